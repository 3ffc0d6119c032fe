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

/** Who reviews what. A claim shows others that someone is on a job; no one is locked out by it. */
export interface Reviews {
  /** The job that waits longest, or the next after a cursor, and claims it for the signed-in member for 60 s. */
  next(query?: NextReviewQuery, options?: CallOptions): ApiPromise<NextReview>;
  /** Claims a job, renews the claim, or ends it; and says who else is on it. */
  claim(request: ReviewClaimRequest, options?: CallOptions): ApiPromise<ReviewClaim>;
  /**
   * Takes back the review that closed a job, or the approval of a document, within 10 minutes: for who decided, and administrators. What it
   * published is withdrawn until the next decision. ConflictError if it is too late, or nothing is decided.
   */
  reopen(request: ReopenRequest, options?: CallOptions): ApiPromise<ReopenedItem>;
  /** What each reviewer did in a period, for an administrator: how many jobs, how much was changed, how long it took. */
  byReviewer(query: ReviewerReportQuery, options?: CallOptions): ApiPromise<ReviewerReport>;
}

/** Repeatable: a second claim of the same member is the same claim. */
const nextCall: Call = { name: 'reviews.next', repeatable: true };
const claimCall: Call = { name: 'reviews.claim', repeatable: true };
/** Not repeatable: the second one would find the item open already. */
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
