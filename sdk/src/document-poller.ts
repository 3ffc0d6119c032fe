import { DocumentFailedError } from './outcome-errors.ts';
import type { Poller, WaitOptions } from './poller.ts';
import type { Backoff } from './retry.ts';
import type { TenantDocumentJob } from './types.ts';
import { type Watched, type WatchOptions, watch } from './watching.ts';

/** Options of waiting for a document. `signal` ends the waiting, never the job. */
export interface DocumentOptions extends WatchOptions<TenantDocumentJob> {
  /**
   * Receives each new state while a caller waits, the first one included, with the completed share (0 to 1);
   * `job.progress` has the details. If it throws, the waiting throws the same error.
   */
  onProgress?: ((job: TenantDocumentJob, progress: number) => void) | undefined;
  /** Waits between two polls; by default 2 s, growing to 10 s. */
  pollEvery?: Backoff | undefined;
}

/** The data with which another process can continue to wait for a document. */
export interface DocumentHandle {
  /** The document's id. */
  document_id: string;
}

/** A document that is being translated. */
export interface DocumentPoller extends Poller<TenantDocumentJob, TenantDocumentJob> {
  /** The document's id. */
  readonly id: string;
  /** As of the last poll. */
  readonly job: TenantDocumentJob;
  /** Waits for the end, and returns the translated job. DocumentFailedError if it failed; NotFoundError if it was deleted. */
  pollUntilDone(options?: WaitOptions): Promise<TenantDocumentJob>;
  /** The handle for `documents.resume`, in any process: `JSON.stringify(poller)`. */
  toJSON(): DocumentHandle;
  /** The document's id, for `documents.resume` in any process. */
  toString(): string;
}

/** Default waits between two polls. */
const usual: Backoff = { firstMs: 2_000, maxMs: 10_000 };

/** @param look reads the state of the document, in one attempt */
export function pollDocument(
  first: TenantDocumentJob,
  look: Watched<TenantDocumentJob, TenantDocumentJob>['look'],
  options: DocumentOptions = {},
): DocumentPoller {
  const { id } = first;
  const kind = { look, resultOf, shareOf };
  const watched = watch(first, kind, { ...options, pollEvery: options.pollEvery ?? usual });
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
    toJSON: () => ({ document_id: id }),
    toString: () => id,
    [Symbol.asyncIterator]: watched[Symbol.asyncIterator],
  };
}

/** Undefined while it runs: an unknown status, added to the service later, does not end a job. */
function resultOf(job: TenantDocumentJob): TenantDocumentJob | undefined {
  if (job.status === 'failed') throw new DocumentFailedError(job);
  return job.status === 'translated' ? job : undefined;
}

function shareOf({ progress }: TenantDocumentJob): number {
  return progress && progress.total_segments > 0 ? progress.translated_segments / progress.total_segments : 0;
}
