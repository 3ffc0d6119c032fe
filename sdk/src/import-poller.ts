import { LinguaLoopError } from './errors.ts';
import type { UploadOptions } from './options.ts';
import { ImportFailedError } from './outcome-errors.ts';
import { usualPolling } from './polling.ts';
import type { Backoff } from './retry.ts';
import type { TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';
import { watch } from './watching.ts';

/** What waiting for an import may do otherwise. `signal` ends the waiting, never the import. */
export interface ImportOptions extends UploadOptions {
  /**
   * Is told each new state while somebody waits, the first one included; nothing of a set that was stored at once. What it
   * throws, the waiting throws.
   */
  onProgress?: ((job: TranslationMemoryImportJob) => void) | undefined;
  /** Waits between two looks, 1 s growing to 5 s unless told. */
  pollEvery?: Backoff | undefined;
}

/**
 * An import under way. It is looked at only while somebody waits, in `done` or in a loop over its states; however many do,
 * they share the looks. A look that fails for the moment (no connection, 503) is repeated, for up to five minutes. What
 * ends the waiting, the signal too, ends nothing else: wait again, or hand `id` to `memory.resumeImport`.
 */
export interface ImportPoller extends AsyncIterable<TranslationMemoryImportJob> {
  /** For `memory.resumeImport`, in whichever process; null where the set was stored at once. */
  readonly id: string | null;
  /** As it was at the last look; null where the set was stored at once. */
  readonly job: TranslationMemoryImportJob | null;
  /**
   * Waits for the end, and answers the set with its counts: `imported`, `total_units`, `skipped_units`,
   * `duplicates_dropped`. ImportFailedError where nothing was imported; NotFoundError where the import is gone.
   */
  done(): Promise<TranslationMemorySet>;
  /** Each new state, the one at hand first. A failed one is the last before an ImportFailedError. */
  [Symbol.asyncIterator](): AsyncIterator<TranslationMemoryImportJob, void, undefined>;
}

/** A poller for a file that the service stored at once: nothing to wait for. */
export function storedAtOnce(set: TranslationMemorySet): ImportPoller {
  return {
    id: null,
    job: null,
    done: async () => set,
    async *[Symbol.asyncIterator]() {},
  };
}

/** @param look reads the state of the import, in one attempt */
export function pollImport(
  first: TranslationMemoryImportJob,
  look: () => Promise<TranslationMemoryImportJob>,
  options: ImportOptions = {},
): ImportPoller {
  const watched = watch(first, look, resultOf, { ...options, pollEvery: options.pollEvery ?? usualPolling });
  return {
    id: first.id,
    get job() {
      return watched.job;
    },
    done: watched.done,
    [Symbol.asyncIterator]: watched.states,
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
