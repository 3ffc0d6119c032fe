import { LinguaLoopError } from './errors.ts';
import type { UploadOptions } from './options.ts';
import { ImportFailedError } from './outcome-errors.ts';
import type { Poller, WaitOptions } from './poller.ts';
import { usualPolling } from './polling.ts';
import type { Backoff } from './retry.ts';
import type { TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';
import { type Watched, watch } from './watching.ts';

/** What waiting for an import may do otherwise. `signal` ends the waiting, never the import. */
export interface ImportOptions extends UploadOptions {
  /**
   * Receives each new state while a caller waits, the first one included, with how much is done (0, then 1); nothing of a set that was
   * stored at once. What it throws, the waiting throws.
   */
  onProgress?: ((job: TranslationMemoryImportJob, progress: number) => void) | undefined;
  /** Waits between two polls; by default 1 s, growing to 5 s. */
  pollEvery?: Backoff | undefined;
}

/** An import in progress. */
export interface ImportPoller extends Poller<TranslationMemoryImportJob, TranslationMemorySet> {
  /** Names the import; null if the set was stored at once. */
  readonly id: string | null;
  /** As of the last poll; null if the set was stored at once. */
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
  /** What `memory.resumeImport` takes in whichever process, also if the set was stored at once. */
  toString(): string;
}

/** How `toString` writes a set that was stored at once, before its id. */
const storedPrefix = 'set:';

/** The id of a set that was stored at once, if a poller of one was written as this text. */
export function storedSetOf(written: string): string | undefined {
  return written.startsWith(storedPrefix) ? written.slice(storedPrefix.length) : undefined;
}

/** A poller for a file that the service stored at once: nothing to wait for. */
export function storedAtOnce(set: TranslationMemorySet): ImportPoller {
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
  // The service does not say how far an import is.
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
  const detail = `import ${job.id} is completed and has no result`;
  throw new LinguaLoopError({ status: 200, detail, answeredBy: 'other' });
}
