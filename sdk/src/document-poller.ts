import { DocumentFailedError } from './outcome-errors.ts';
import type { Backoff } from './retry.ts';
import type { TenantDocumentJob } from './types.ts';
import { type Poller, type WaitOptions, type Watched, type WatchOptions, watch } from './watching.ts';

/** Options to wait for a document. `signal` ends only the wait, never the job. */
export interface DocumentOptions extends WatchOptions<TenantDocumentJob> {
  /**
   * Called with each new state of the job while a caller waits, starting with the current one. `progress` is the
   * completed share, from 0 to 1; `job.progress` has details. If the callback throws, the wait throws the same error.
   */
  onProgress?: ((job: TenantDocumentJob, progress: number) => void) | undefined;
  /** The time between two polls. Default: 2 s, growing to 10 s. */
  pollEvery?: Backoff | undefined;
}

/** Identifies a document, so that another process can wait for it. */
export interface DocumentHandle {
  /** The document's id. */
  document_id: string;
}

/** A document that is being translated. */
export interface DocumentPoller extends Poller<TenantDocumentJob, TenantDocumentJob> {
  /** The document's id. */
  readonly id: string;
  /** The state of the document at the last poll. */
  readonly job: TenantDocumentJob;
  /**
   * Waits until the document is translated, and returns it. Throws DocumentFailedError if the translation failed, and
   * NotFoundError if the document was deleted.
   */
  pollUntilDone(options?: WaitOptions): Promise<TenantDocumentJob>;
  /** Returns the handle for `documents.resume`, which works in any process: `JSON.stringify(poller)`. */
  toJSON(): DocumentHandle;
  /** Returns the document's id, which `documents.resume` accepts in any process. */
  toString(): string;
}

/** The default time between two polls. */
const usual: Backoff = { firstMs: 2_000, maxMs: 10_000 };

/** @param look reads the state of the document with one request, without retries */
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

/**
 * Undefined while the document is in progress. A status that this version of the SDK does not know counts as in
 * progress.
 */
function resultOf(job: TenantDocumentJob): TenantDocumentJob | undefined {
  if (job.status === 'failed') throw new DocumentFailedError(job);
  return job.status === 'translated' ? job : undefined;
}

function shareOf({ progress }: TenantDocumentJob): number {
  return progress && progress.total_segments > 0 ? progress.translated_segments / progress.total_segments : 0;
}
