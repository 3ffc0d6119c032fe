import type { Database } from '#db/client.ts';
import type { AccountStores } from '#server/platform/stores/account-stores.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import type { Settings } from '#server/settings.ts';
import type { Report } from './report.ts';

/** The inputs of the comparison of store and database. It writes to neither. */
export interface Comparison {
  database: Database;
  storage: PlatformStore;
  accountStores: AccountStores;
  settings: Settings;
  report: Report;
  /** Checks only names and sizes: reads neither records nor files. */
  quick: boolean;
  /** The URLs of folders in accounts that were searched for objects without a row. */
  walked: Set<string>;
  /** Once aborted, the comparison ends with its reason. */
  stop: AbortSignal;
}

/** Rows and names of one query. */
export const pageSize = 500;

/** Objects that are read at the same time. */
const concurrentReads = 16;

/** Does `work` with each item, a few at a time. */
export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: concurrentReads }, worker));
}

/** Groups single items into pages. */
export async function* inPages<T>(items: AsyncIterable<T>, size = pageSize): AsyncGenerator<T[]> {
  let page: T[] = [];
  for await (const item of items)
    if (page.push(item) === size) {
      yield page;
      page = [];
    }
  if (page.length > 0) yield page;
}

/**
 * Milliseconds after which a record without a row is removed and a missing line is added, if workers run (decision
 * 36): its announcement list grows for one interval, waits, and is processed by the next check.
 */
export function recordLimit({ STALE_PENDING_SECONDS, SWEEP_INTERVAL_SECONDS }: Settings): number {
  return (STALE_PENDING_SECONDS + 3 * SWEEP_INTERVAL_SECONDS) * 1000;
}
