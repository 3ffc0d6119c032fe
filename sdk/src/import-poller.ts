import { LinguaLoopError } from './errors.ts';
import type { UploadOptions } from './options.ts';
import { ImportFailedError } from './outcome-errors.ts';
import { usualPolling } from './polling.ts';
import type { Backoff } from './retry.ts';
import type { TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';
import { type Poller, type WaitOptions, type Watched, watch } from './watching.ts';

/** Options to wait for an import. `signal` ends only the wait, never the import. */
export interface ImportOptions extends UploadOptions {
  /**
   * Called with each new state of the import while a caller waits, starting with the current one. The completed share
   * is 0 until the end and then 1. Never called if the set was stored immediately. If the callback throws, the wait
   * throws the same error.
   */
  onProgress?: ((job: TranslationMemoryImportJob, progress: number) => void) | undefined;
  /** The time between two polls. Default: 1 s, growing to 5 s. */
  pollEvery?: Backoff | undefined;
}

/** An import in progress. */
export interface ImportPoller extends Poller<TranslationMemoryImportJob, TranslationMemorySet> {
  /** The import's id; null if the set was stored immediately. */
  readonly id: string | null;
  /** The state of the import at the last poll; null if the set was stored immediately. */
  readonly job: TranslationMemoryImportJob | null;
  /**
   * Waits until the import ends, and returns the set with the counts `imported`, `total_units`, `skipped_units` and
   * `duplicates_dropped`. Throws ImportFailedError if nothing was imported, and NotFoundError if the import no longer
   * exists.
   */
  pollUntilDone(options?: WaitOptions): Promise<TranslationMemorySet>;
  /**
   * The same as `pollUntilDone`.
   * @deprecated Use `pollUntilDone`.
   */
  done(): Promise<TranslationMemorySet>;
  /** Returns a text that `memory.resumeImport` accepts in any process, even if the set was stored immediately. */
  toString(): string;
}

/** In the text of `toString`, the prefix before the id of a set that was stored immediately. */
const storedPrefix = 'set:';

/** Returns the id of the set from a text of `toString`, if the set was stored immediately; otherwise undefined. */
export function storedSetOf(written: string): string | undefined {
  return written.startsWith(storedPrefix) ? written.slice(storedPrefix.length) : undefined;
}

/** Returns a poller for a file that the service stored immediately. It never polls. */
export function storedImmediately(set: TranslationMemorySet): ImportPoller {
  const done = async () => set;
  return {
    id: null,
    job: null,
    isDone: true,
    progress: 1,
    pollUntilDone: done,
    done,
    toString: () => `${storedPrefix}${set.id}`,
    async *[Symbol.asyncIterator]() {},
  };
}

/** @param look reads the state of the import with one request, without retries */
export function pollImport(
  first: TranslationMemoryImportJob,
  look: Watched<TranslationMemoryImportJob, TranslationMemorySet>['look'],
  options: ImportOptions = {},
): ImportPoller {
  const { id } = first;
  // The share is always 0: the service does not report the progress of an import.
  const kind = { look, resultOf, shareOf: () => 0 };
  const watched = watch(first, kind, { ...options, pollEvery: options.pollEvery ?? usualPolling });
  return {
    id,
    get job() {
      return watched.job;
    },
    get isDone() {
      return watched.isDone;
    },
    get progress() {
      return watched.progress;
    },
    pollUntilDone: watched.pollUntilDone,
    done: () => watched.pollUntilDone(),
    toString: () => id,
    [Symbol.asyncIterator]: watched[Symbol.asyncIterator],
  };
}

/**
 * Undefined while the import is in progress. A status that this version of the SDK does not know counts as in
 * progress.
 */
function resultOf(job: TranslationMemoryImportJob): TranslationMemorySet | undefined {
  if (job.status === 'failed') throw new ImportFailedError(job);
  if (job.status !== 'completed') return undefined;
  if (job.result) return job.result;
  const detail = `import ${job.id} is completed but has no result`;
  throw new LinguaLoopError({ status: 200, detail, answeredBy: 'other' });
}
