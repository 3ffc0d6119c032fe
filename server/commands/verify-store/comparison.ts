import type { Database } from '#db/client.ts';
import type { AccountStores } from '#server/platform/stores/account-stores.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import type { Settings } from '#server/settings.ts';
import type { Report } from './report.ts';

/** The parameters for a comparison of storage and database. It writes only with `repair`, and only to storage. */
export interface Comparison {
  database: Database;
  storage: PlatformStore;
  accountStores: AccountStores;
  settings: Settings;
  report: Report;
  /** Whether to check only names and sizes, without reading records and files. */
  quick: boolean;
  /** Whether to repair differences, as far as the database has what is missing. */
  repair: boolean;
  /** The URLs of folders in accounts that have been searched for objects without a row. */
  walked: Set<string>;
  /** Ends the comparison when it aborts. The comparison then throws the reason of the signal. */
  stop: AbortSignal;
}

/** Maximum rows or names of one query. */
export const pageSize = 500;

/** Maximum objects that are read at the same time. */
const concurrentReads = 16;

/** Runs `work` for each item, with at most `concurrentReads` items at the same time. */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: concurrentReads }, worker));
}

/** Groups items into pages. */
export async function* inPages<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let page: T[] = [];
  for await (const item of items)
    if (page.push(item) === pageSize) {
      yield page;
      page = [];
    }
  if (page.length > 0) yield page;
}

/**
 * Returns the milliseconds after which workers have certainly removed a record without a row, or added a missing line
 * (decision 10). An announcement list grows for one interval, waits, and is processed by the check after that.
 */
export function recordLimit({ STALE_PENDING_SECONDS, SWEEP_INTERVAL_SECONDS }: Settings): number {
  return (STALE_PENDING_SECONDS + 3 * SWEEP_INTERVAL_SECONDS) * 1000;
}
