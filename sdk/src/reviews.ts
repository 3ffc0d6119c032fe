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
import type {
  Comment,
  CommentCounts,
  CommentCountsQuery,
  CommentPage,
  CommentRequest,
  CommentsQuery,
  Inbox,
  MentionList,
  MentionsQuery,
  ReviewTextPage,
  ReviewTextsQuery,
  SegmentClaim,
  SegmentClaimRequest,
} from './workplace-types.ts';

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
  /** @internal Returns the documents and the groups of texts that await review, the most severe first. */
  inbox(options?: CallOptions): ApiPromise<Inbox>;
  /** @internal Returns a page of the texts to review, or of texts with the given IDs. */
  texts(query?: ReviewTextsQuery, options?: CallOptions): ApiPromise<ReviewTextPage>;
  /** @internal Like `claim`, for an item and the segment of it that the member has open. */
  claimSegment(request: SegmentClaimRequest, options?: CallOptions): ApiPromise<SegmentClaim>;
  /** @internal Returns a page of the comments on an item or a segment, oldest first. */
  comments(query: CommentsQuery, options?: CallOptions): ApiPromise<CommentPage>;
  /** @internal Counts the comments on an item and on each of its segments. */
  commentCounts(query: CommentCountsQuery, options?: CallOptions): ApiPromise<CommentCounts>;
  /** @internal Adds a comment. The ID of the request makes it repeatable. */
  comment(request: CommentRequest & { comment_id: string }, options?: CallOptions): ApiPromise<Comment>;
  /** @internal Deletes a comment of the member; an administrator can delete any. */
  deleteComment(commentId: string, options?: CallOptions): ApiPromise<{ deleted: true; comment_id: string }>;
  /** @internal Returns the latest comments that mention the member, latest first. */
  mentions(query?: MentionsQuery, options?: CallOptions): ApiPromise<MentionList>;
}

export function reviews({ mutate, mutateOnce, query }: Connection): Reviews {
  return {
    next: (wanted, options) => mutate('reviews.next', wanted ?? {}, options),
    claim: (request, options) => mutate('reviews.claim', request, options),
    // Not repeatable: after the first call, the item is open, so a second call would fail.
    reopen: (request, options) => mutateOnce('reviews.reopen', request, options),
    inbox: (options) => query('reviews.inbox', undefined, options),
    texts: (wanted, options) => query('reviews.texts', wanted ?? {}, options),
    claimSegment: (request, options) => mutate('reviews.claim', request, options),
    comments: (wanted, options) => query('reviews.comments', wanted, options),
    commentCounts: (wanted, options) => query('reviews.commentCounts', wanted, options),
    comment: (request, options) => mutate('reviews.comment', request, options),
    // Not repeatable: after the first call, the comment does not exist.
    deleteComment: (comment_id, options) => mutateOnce('reviews.deleteComment', { comment_id }, options),
    mentions: (wanted, options) => query('reviews.mentions', wanted ?? {}, options),
  };
}
