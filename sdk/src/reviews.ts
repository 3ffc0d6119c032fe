import type { ApiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import type { Call } from './send.ts';
import type {
  NextReview,
  NextReviewQuery,
  ReopenedItem,
  ReopenRequest,
  ReviewClaim,
  ReviewClaimRequest,
  ReviewerReport,
  ReviewerReportQuery,
} from './types.ts';

/**
 * Claims of reviewers, and reports about their work. A claim shows other members that someone is reviewing a job; it
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
  /**
   * Returns the work of each reviewer in a period: the number of jobs, the changes, and the time. Requires an
   * administrator.
   */
  byReviewer(query: ReviewerReportQuery, options?: CallOptions): ApiPromise<ReviewerReport>;
}

/** Repeatable: if the same member claims a job again, the claim stays the same. */
const nextCall: Call = { name: 'reviews.next', repeatable: true };
const claimCall: Call = { name: 'reviews.claim', repeatable: true };
/** Not repeatable: after the first call, the item is open, so a second call would fail. */
const reopenCall: Call = { name: 'reviews.reopen', repeatable: false };
const byReviewerCall: Call = { name: 'reviews.byReviewer', repeatable: true };

export function reviews({ mutate, query }: Connection): Reviews {
  return {
    next: (wanted, options) => mutate(nextCall, wanted ?? {}, options),
    claim: (request, options) => mutate(claimCall, request, options),
    reopen: (request, options) => mutate(reopenCall, request, options),
    byReviewer: (wanted, options) => query(byReviewerCall, wanted, options),
  };
}
