import { LinguaLoopError } from './errors.ts';
import type { UploadOptions } from './options.ts';
import { ImportFailedError } from './outcome-errors.ts';
import type { Poller, WaitOptions } from './poller.ts';
import { usualPolling } from './polling.ts';
import type { Backoff } from './retry.ts';
import type { TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';
import { type Watched, watch } from './watching.ts';

/** Options of waiting for an import. `signal` ends the waiting, never the import. */
export interface ImportOptions extends UploadOptions {
  /**
   * Receives each new state while a caller waits, the first one included, with the completed share (0, then 1); never
   * called for a set that was stored immediately. If it throws, the waiting throws the same error.
   */
  onProgress?: ((job: TranslationMemoryImportJob, progress: number) => void) | undefined;
  /** Waits between two polls; by default 1 s, growing to 5 s. */
  pollEvery?: Backoff | undefined;
}

/** An import in progress. */
export interface ImportPoller extends Poller<TranslationMemoryImportJob, TranslationMemorySet> {
  /** The import's id; null if the set was stored immediately. */
  readonly id: string | null;
  /** As of the last poll; null if the set was stored immediately. */
  readonly job: TranslationMemoryImportJob | null;
  /**
   * Waits for the end, and returns the set with its counts: `imported`, `total_units`, `skipped_units`,
   * `duplicates_dropped`. ImportFailedError if nothing was imported; NotFoundError if the import is gone.
   */
  pollUntilDone(options?: WaitOptions): Promise<TranslationMemorySet>;
  /**
   * The same.
   * @deprecated Use `pollUntilDone`.
   */
  done(): Promise<TranslationMemorySet>;
  /** The text for `memory.resumeImport` in any process, even if the set was stored immediately. */
  toString(): string;
}

/** The prefix of `toString` before the id of a set that was stored immediately. */
const storedPrefix = 'set:';

/** The id of a set that was stored immediately, if the text is from its poller. */
export function storedSetOf(written: string): string | undefined {
  return written.startsWith(storedPrefix) ? written.slice(storedPrefix.length) : undefined;
}

/** A poller for a file that the service stored immediately: there is no need to wait. */
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

/** @param look reads the state of the import, in one attempt */
export function pollImport(
  first: TranslationMemoryImportJob,
  look: Watched<TranslationMemoryImportJob, TranslationMemorySet>['look'],
  options: ImportOptions = {},
): ImportPoller {
  const { id } = first;
  // The service does not report the progress of an import.
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

/** Undefined while it runs: an unknown status, added to the service later, does not end an import. */
function resultOf(job: TranslationMemoryImportJob): TranslationMemorySet | undefined {
  if (job.status === 'failed') throw new ImportFailedError(job);
  if (job.status !== 'completed') return undefined;
  if (job.result) return job.result;
  const detail = `import ${job.id} is completed but has no result`;
  throw new LinguaLoopError({ status: 200, detail, answeredBy: 'other' });
}
