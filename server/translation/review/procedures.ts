import { bearerProcedure, deferredBearerProcedure } from '#server/identity/access/guards/session.ts';
import { runSearch } from '#server/translation/core/listing/bounded-scan.ts';
import { claimantOf } from './claims.ts';
import {
  comment,
  commentCounts,
  commentDeletion,
  commentDeletionInput,
  commentInput,
  commentPage,
  commentsInput,
  mentionList,
  mentionsInput,
} from './comment-schema.ts';
import { addComment, countComments, deleteComment, listComments, listMentions } from './comments.ts';
import { inbox } from './inbox/inbox-schema.ts';
import { listInbox } from './inbox/list-inbox.ts';
import { reviewItem } from './schema.ts';
import { listTexts } from './texts/list-texts.ts';
import { fewTexts, reviewTextPage, reviewTextsInput } from './texts/text-list-schema.ts';

/**
 * Procedures for the inbox and for comments. They have no route, so only /trpc serves them. For members only: a comment
 * has an author, and an inbox has a reader.
 */
export const itemProcedures = {
  inbox: deferredBearerProcedure
    .output(inbox)
    .query(({ ctx }) =>
      runSearch(
        ctx.services.database,
        ctx.withBearer,
        { scans: () => true, signal: ctx.disconnected() },
        (tx, principal) => listInbox(tx, claimantOf(principal)),
      ),
    ),

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

  commentCounts: bearerProcedure
    .input(reviewItem)
    .output(commentCounts)
    .query(({ ctx, input }) => countComments(ctx.tx, ctx.principal.tenant.id, input)),

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
};
