import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type {
  NextReview,
  NextReviewQuery,
  ReopenedItem,
  ReopenRequest,
  ReviewClaim,
  ReviewClaimRequest,
} from './types.ts';

/**
 * Claims of reviewers. A claim shows other members that someone is reviewing a job; it
 * does not lock the job.
 */
export interface Reviews {
  /**
   * Returns the job that has been awaiting review for the longest time, or the next one after a cursor. Claims this
   * job for the signed-in member for 60 s.
   */
  next(query?: NextReviewQuery, options?: CallOptions): ApiPromise<NextReview>;
  /** Claims a job, renews the claim, or ends it. Returns the other members who are reviewing the job. */
  claim(request: ReviewClaimRequest, options?: CallOptions): ApiPromise<ReviewClaim>;
  /**
   * Undoes the review that closed a job, or the approval of a document, within 10 minutes. Allowed for the member who
   * decided, and for administrators. The publication is withdrawn until the next decision. Throws ConflictError if it
   * is too late, or if nothing has been decided.
   */
  reopen(request: ReopenRequest, options?: CallOptions): ApiPromise<ReopenedItem>;
}

export function reviews({ mutate, mutateOnce }: Connection): Reviews {
  return {
    next: (wanted, options) => mutate('reviews.next', wanted ?? {}, options),
    claim: (request, options) => mutate('reviews.claim', request, options),
    // Not repeatable: after the first call, the item is open, so a second call would fail.
    reopen: (request, options) => mutateOnce('reviews.reopen', request, options),
  };
}
