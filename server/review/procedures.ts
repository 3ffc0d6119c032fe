import { reportRange, usageBreakdown } from '#server/billing/metering/usage-breakdown.ts';
import {
  administratorSessionProcedure,
  bearerProcedure,
  deferredBearerProcedure,
  deferredReaderProcedure,
} from '#server/identity/access/guards/session.ts';
import { audienceOf } from '#server/identity/access/guards/tenant.ts';
import { contentOf } from '#server/texts/find-jobs.ts';
import { viewFor } from '#server/texts/tenant-view.ts';
import { runSearch } from '#server/translation/listing/bounded-scan.ts';
import { approvedItemsFile, approvedItemsInput, exportApprovedItems } from './approved-items.ts';
import { claim } from './claims.ts';
import {
  comment,
  commentDeletion,
  commentDeletionInput,
  commentInput,
  commentPage,
  commentsInput,
  mentionList,
  mentionsInput,
} from './comment-schema.ts';
import { addComment, deleteComment, listComments, listMentions } from './comments.ts';
import { reportReviewers } from './figures.ts';
import { inbox } from './inbox.ts';
import { claimantOf } from './item.ts';
import { listInbox } from './kinds.ts';
import { reopenItem } from './reopen.ts';
import {
  claimInput,
  claimState,
  reopenedItem,
  reviewerReport,
  reviewerReportInput,
  reviewItem,
} from './schema.ts';
import { listTexts, nextReview } from './texts/list.ts';
import {
  fewTexts,
  nextReviewInput,
  nextReviewView,
  reviewTextPage,
  reviewTextsInput,
} from './texts/schema.ts';
import { breakDownByDomain } from './usage-by-domain.ts';

/**
 * Procedures for the inbox, the next item for review, claims, reopening, comments and the figures of reviewers. They cover
 * texts and documents, and have no route, so only /trpc serves them. For members only: a comment has an author, a claim a
 * holder, and an inbox a reader.
 */
export const reviewProcedures = {
  inbox: deferredReaderProcedure.output(inbox).query(({ ctx }) => {
    const search = { scans: () => true, signal: ctx.disconnected() };
    return runSearch(ctx.services.database, ctx.asReader, search, (tx, principal) =>
      // A visitor has no claims.
      listInbox(
        tx,
        principal.kind === 'session'
          ? claimantOf(principal)
          : { tenantId: principal.tenant.id, userId: '', name: '' },
      ),
    );
  }),

  texts: deferredBearerProcedure
    .input(reviewTextsInput)
    .output(reviewTextPage)
    .query(({ ctx, input }) =>
      runSearch(
        ctx.services.database,
        ctx.withBearer,
        { scans: () => (input.job_ids?.length ?? Infinity) > fewTexts, signal: ctx.disconnected() },
        (tx, principal) => listTexts(tx, principal, input),
      ),
    ),

  comments: bearerProcedure
    .input(commentsInput)
    .output(commentPage)
    .query(({ ctx, input }) => listComments(ctx.tx, ctx.principal.tenant.id, input)),

  comment: bearerProcedure
    .input(commentInput)
    .output(comment)
    .mutation(({ ctx, input }) => addComment(ctx.tx, ctx.principal, input)),

  deleteComment: bearerProcedure
    .input(commentDeletionInput)
    .output(commentDeletion)
    .mutation(async ({ ctx, input: { comment_id } }) => {
      await deleteComment(ctx.tx, ctx.principal, comment_id);
      return { deleted: true as const, comment_id };
    }),

  mentions: bearerProcedure
    .input(mentionsInput)
    .output(mentionList)
    .query(({ ctx, input }) => listMentions(ctx.tx, ctx.principal, input)),

  /** This is a mutation, because it claims the job. */
  next: deferredBearerProcedure
    .input(nextReviewInput)
    .output(nextReviewView)
    .mutation(({ ctx, input }) =>
      runSearch(
        ctx.services.database,
        ctx.withBearer,
        { scans: () => contentOf(input) !== undefined, signal: ctx.disconnected() },
        async (tx, principal) => {
          const found = await nextReview(tx, claimantOf(principal), input);
          const view = viewFor({ operator: principal.operator || audienceOf(ctx).operator });
          return { ...found, job: found.job && view(found.job) };
        },
      ),
    ),

  claim: bearerProcedure
    .input(claimInput)
    .output(claimState)
    .mutation(({ ctx, input }) => claim(ctx.tx, claimantOf(ctx.principal), input)),

  reopen: deferredBearerProcedure
    .input(reviewItem)
    .output(reopenedItem)
    .mutation(({ ctx, input }) => reopenItem(ctx.services, ctx.withBearer, ctx, input)),

  byReviewer: administratorSessionProcedure
    .input(reviewerReportInput)
    .output(reviewerReport)
    .query(({ ctx, input }) =>
      ctx.asAdministrator((tx, { tenant }) => reportReviewers(tx, tenant.id, input)),
    ),

  approvedItems: administratorSessionProcedure
    .input(approvedItemsInput)
    .output(approvedItemsFile)
    .query(({ ctx, input }) => exportApprovedItems(ctx, input)),

  byDomain: administratorSessionProcedure
    .input(reportRange)
    .output(usageBreakdown)
    .query(({ ctx, input }) =>
      ctx.asAdministrator((tx, { tenant }) => breakDownByDomain(tx, tenant.id, input)),
    ),
};
