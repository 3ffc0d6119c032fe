import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../server/router.ts';

// Types of procedures that only the web application calls. They are not published.
type Inputs = inferRouterInputs<AppRouter>['reviews'];
type Outputs = inferRouterOutputs<AppRouter>['reviews'];

/** The tasks that await review, the most severe first. */
export type Inbox = Outputs['inbox'];
/** A document, or a group of texts, that awaits review. */
export type InboxTask = Inbox['tasks'][number];
/** The filters of the texts to list. */
export type ReviewTextsQuery = Extract<Inputs['texts'], object>;
/** A page of texts to review, oldest first. */
export type ReviewTextPage = Outputs['texts'];
/** A claim on an item, with the segment that the member has open. */
export type SegmentClaimRequest = Inputs['claim'];
/** The current reviewers of an item, with the segments that they have open. */
export type SegmentClaim = Outputs['claim'];
/** The item whose comments to list; with `position`, only those on this segment. */
export type CommentsQuery = Inputs['comments'];
/** A page of comments, oldest first. */
export type CommentPage = Outputs['comments'];
/** A comment of a member. */
export type Comment = Outputs['comment'];
/** A comment to add. */
export type CommentRequest = Inputs['comment'];
/** The item whose comments to count. */
export type CommentCountsQuery = Inputs['commentCounts'];
/** The number of comments on an item and on each of its segments. */
export type CommentCounts = Outputs['commentCounts'];
/** The time after which comments were written. */
export type MentionsQuery = Extract<Inputs['mentions'], object>;
/** The latest comments that mention the member. */
export type MentionList = Outputs['mentions'];
