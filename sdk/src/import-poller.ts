import { LinguaLoopError } from './errors.ts';
import type { CallOptions } from './options.ts';
import { ImportFailedError } from './outcome-errors.ts';
import { createPolling, usualPolling } from './polling.ts';
import type { Backoff } from './retry.ts';
import type { TranslationMemoryImportJob, TranslationMemorySet } from './types.ts';

/** What waiting for an import may do otherwise. `signal` ends the waiting, never the import. */
export interface ImportOptions extends CallOptions {
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
  { onProgress, pollEvery = usualPolling, signal }: ImportOptions = {},
): ImportPoller {
  let job = first;
  let told: TranslationMemoryImportJob | undefined;
  const poll = createPolling(
    async () => {
      const found = await look();
      if (JSON.stringify(found) !== JSON.stringify(job)) job = found;
    },
    pollEvery,
    signal,
  );
  const tell = () => {
    if (told === job) return;
    told = job;
    onProgress?.(job);
  };

  return {
    id: first.id,
    get job() {
      return job;
    },
    async done() {
      for (;;) {
        tell();
        if (isOver(job)) return resultOf(job);
        await poll();
      }
    },
    async *[Symbol.asyncIterator]() {
      let seen: TranslationMemoryImportJob | undefined;
      for (;;) {
        tell();
        if (seen !== job) {
          seen = job;
          yield seen;
        } else if (isOver(seen)) {
          resultOf(seen);
          return;
        } else await poll();
      }
    },
  };
}

/** An unknown status, added to the service later, does not end an import. */
function isOver({ status }: TranslationMemoryImportJob): boolean {
  return status === 'completed' || status === 'failed';
}

function resultOf(job: TranslationMemoryImportJob): TranslationMemorySet {
  if (job.status === 'failed') throw new ImportFailedError(job);
  if (job.result) return job.result;
  const detail = `import ${job.id} is completed and has no result`;
  throw new LinguaLoopError({ status: 200, detail, answeredBy: 'other' });
}
