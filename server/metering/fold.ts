import type { Database } from '#db/client.ts';
import { foldDays } from './queries/totals.ts';

/** Folds the usage of all days that are over, a month a transaction. Doing it twice, or in two processes, does nothing more. */
export async function foldUsage(database: Database): Promise<void> {
  while (await database.inPlatform(foldDays));
}
