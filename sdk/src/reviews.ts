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

/** Claims and reports of reviewers. A claim shows others that someone is reviewing a job; it locks no one out. */
export interface Reviews {
  /** The job that has waited longest, or the next after a cursor, and claims it for the signed-in member for 60 s. */
  next(query?: NextReviewQuery, options?: CallOptions): ApiPromise<NextReview>;
  /** Claims a job, renews the claim, or ends it; returns who else is reviewing it. */
  claim(request: ReviewClaimRequest, options?: CallOptions): ApiPromise<ReviewClaim>;
  /**
   * Undoes the review that closed a job, or the approval of a document, within 10 minutes: for the member who
   * decided, and administrators. Its publication is withdrawn until the next decision. ConflictError if it is too
   * late, or nothing is decided.
   */
  reopen(request: ReopenRequest, options?: CallOptions): ApiPromise<ReopenedItem>;
  /** The work of each reviewer in a period, for an administrator: the number of jobs, the changes, and the time. */
  byReviewer(query: ReviewerReportQuery, options?: CallOptions): ApiPromise<ReviewerReport>;
}

/** Repeatable: a second claim of the same member is the same claim. */
const nextCall: Call = { name: 'reviews.next', repeatable: true };
const claimCall: Call = { name: 'reviews.claim', repeatable: true };
/** Not repeatable: for the second one, the item would already be open. */
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
