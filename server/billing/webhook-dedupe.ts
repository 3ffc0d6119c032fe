import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { paymentEvents } from '#db/schema/billing.ts';

/**
 * Records that an event is applied, in the transaction that applies the event. The processor may deliver an event
 * several times: a known event has no effect.
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

/**
 * Days for which an applied event is remembered. Stripe repeats deliveries automatically for 3 days, and an operator
 * can repeat them for 30.
 */
const daysKept = 90;

/** Rows that one statement deletes; few, so that it holds its locks briefly. */
const batch = 5000;

/**
 * Deletes the records of events that are too old to be delivered again. The changes made by the events stay; the
 * session id of a top-up stays too.
 * @returns the number of deleted events
 */
export async function prunePaymentEvents(database: Database): Promise<number> {
  let pruned = 0;
  let count: number;
  do {
    count = await database.inPlatform((tx) => deleteOldEvents(tx));
    pruned += count;
  } while (count >= batch);
  return pruned;
}

async function deleteOldEvents(tx: Tx): Promise<number> {
  // The condition is repeated, because rows of several partitions can have the same ctid if the table is split. It is
  // repeated in a form for which no index can be used, so that the rows are found by their places.
  const isOld = sql`applied_at < now() - make_interval(days => ${daysKept})`;
  const isStillOld = sql`applied_at - now() < - make_interval(days => ${daysKept})`;
  const [row] = await tx.execute(sql`
    with pruned as (
      delete from ${paymentEvents} where ctid = any(array(
        select ctid from ${paymentEvents} where ${isOld} limit ${batch}
        for update skip locked)) and ${isStillOld}
      returning 1)
    select count(*)::int as count from pruned`);
  return Number(row?.['count']);
}
