import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { paymentEvents } from '#db/schema/billing.ts';

/**
 * Records that an event is applied, in the transaction that applies it. The processor delivers at least once: a known
 * event has no effect.
 * @returns false if the event is already known
 */
export async function insertPaymentEvent(tx: Tx, event: typeof paymentEvents.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(paymentEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ eventId: paymentEvents.eventId });
  return inserted.length > 0;
}

/** Days that an applied event is remembered. Stripe delivers again automatically for 3 days, and by hand for 30. */
const daysKept = 90;

/** Rows that one statement deletes, so that it holds its locks briefly. */
const batch = 5000;

/**
 * Forgets events that are too old to be delivered again. Their changes stay; a top-up also keeps its session's id.
 * @returns how many were deleted
 */
export async function prunePaymentEvents(database: Database): Promise<number> {
  let pruned = 0;
  let count: number;
  do {
    count = await database.inPlatform((tx) => deleteOldEvents(tx));
    pruned += count;
  } while (count === batch);
  return pruned;
}

async function deleteOldEvents(tx: Tx): Promise<number> {
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${paymentEvents} where ctid = any(array(
        select ctid from ${paymentEvents} where applied_at < now() - make_interval(days => ${daysKept}) limit ${batch}
        for update skip locked))
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}
