import type { Database } from '#db/client.ts';
import { deleteOldEvents } from './queries.ts';

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
