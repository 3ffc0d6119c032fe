import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { paymentEvents } from '#db/schema/billing.ts';

/** Days that an applied event is remembered: Stripe sends one again for 3, and by hand for 30. */
const daysKept = 90;

/** Rows of one statement: each holds its locks briefly. */
const batch = 5000;

/**
 * Deletes events that nobody delivers any more. What they did stays; a top-up stays credited once, by its session's id.
 * @returns how many
 */
export async function prunePaymentEvents(database: Database): Promise<number> {
  let pruned = 0;
  let count: number;
  do {
    count = await database.inPlatform((tx) => deleteOldEvents(tx, daysKept, batch));
    pruned += count;
  } while (count === batch);
  return pruned;
}

/** Remembers an event; false where it is known already. */
export async function insertPaymentEvent(tx: Tx, event: typeof paymentEvents.$inferInsert): Promise<boolean> {
  const inserted = await tx
    .insert(paymentEvents)
    .values(event)
    .onConflictDoNothing()
    .returning({ eventId: paymentEvents.eventId });
  return inserted.length > 0;
}

/** Deletes at most `limit` events that were applied so many days ago, in the platform's scope; answers how many. */
export async function deleteOldEvents(tx: Tx, days: number, limit: number): Promise<number> {
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${paymentEvents} where ctid = any(array(
        select ctid from ${paymentEvents} where applied_at < now() - make_interval(days => ${days}) limit ${limit}
        for update skip locked))
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}
