import { DocumentFailedError } from './outcome-errors.ts';
import type { Backoff } from './retry.ts';
import type { TenantDocumentJob } from './types.ts';
import { type WatchOptions, watch } from './watching.ts';

/** What waiting for a document may do otherwise. `signal` ends the waiting, never the job. */
export interface DocumentOptions extends WatchOptions<TenantDocumentJob> {
  /**
   * Receives each new state while somebody waits, the first one included; `job.progress` says how far it is. What it throws,
   * the waiting throws.
   */
  onProgress?: ((job: TenantDocumentJob) => void) | undefined;
  /** Waits between two polls; by default 2 s, growing to 10 s. */
  pollEvery?: Backoff | undefined;
}

/** What is needed to go on waiting for a document in another process. */
export interface DocumentHandle {
  /** The document's id. */
  document_id: string;
}

/**
 * A document that is being translated. It is polled only while somebody waits, in `pollUntilDone` or in a loop over its
 * states; however many do, they share the polls. A poll that fails temporarily (no connection, 503) is repeated, for up to
 * five minutes. What ends the waiting, the signal too, ends nothing else: wait again, or resume it by its handle.
 */
export interface DocumentPoller extends AsyncIterable<TenantDocumentJob> {
  /** The document's id. */
  readonly id: string;
  /** As of the last poll. */
  readonly job: TenantDocumentJob;
  /** Waits for the end, and returns the translated job. DocumentFailedError if it failed; NotFoundError if it was deleted. */
  pollUntilDone(): Promise<TenantDocumentJob>;
  /** The handle for `documents.resume`, in whichever process: `JSON.stringify(poller)`. */
  toJSON(): DocumentHandle;
  /** Each new state, the one at hand first. A failed one is the last before a DocumentFailedError. */
  [Symbol.asyncIterator](): AsyncIterator<TenantDocumentJob, void, undefined>;
}

/** Default waits between two polls. */
const usual: Backoff = { firstMs: 2_000, maxMs: 10_000 };

/** @param look reads the state of the document, in one attempt */
export function pollDocument(
  first: TenantDocumentJob,
  look: () => Promise<TenantDocumentJob>,
  options: DocumentOptions = {},
): DocumentPoller {
  const watched = watch(first, look, resultOf, { ...options, pollEvery: options.pollEvery ?? usual });
  return {
    id: first.id,
    get job() {
      return watched.job;
    },
    pollUntilDone: watched.done,
    toJSON: () => ({ document_id: first.id }),
    [Symbol.asyncIterator]: watched.states,
  };
}

/** Undefined while it runs: an unknown status, added to the service later, does not end a job. */
function resultOf(job: TenantDocumentJob): TenantDocumentJob | undefined {
  if (job.status === 'failed') throw new DocumentFailedError(job);
  return job.status === 'translated' ? job : undefined;
}
