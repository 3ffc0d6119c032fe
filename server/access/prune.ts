import type { Database } from '#db/client.ts';
import { type PrunedTable, prunedTables, pruneTable } from './queries/expired.ts';

/** Rows of one statement: each holds its locks briefly. */
const batch = 5000;

/**
 * Deletes what has expired and means nothing any more: tokens, with their lines in the directory, challenges, reset
 * links, states of single sign-ons, and windows of rate limits. Invites stay, as a ledger, and so does the audit log.
 * @returns how many rows of each
 */
export async function pruneExpired(database: Database): Promise<Record<PrunedTable, number>> {
  const pruned = Object.fromEntries(prunedTables.map((table) => [table, 0])) as Record<PrunedTable, number>;
  for (const table of prunedTables) {
    let count: number;
    do {
      count = await database.inPlatform((tx) => pruneTable(tx, table, batch));
      pruned[table] += count;
    } while (count === batch);
  }
  return pruned;
}
