import { bearerProcedure } from '#server/access/guards/session.ts';
import { audienceOf, deferredTenantProcedure } from '#server/access/guards/tenant.ts';
import { AppError } from '#server/errors.ts';
import { claimantOf } from '#server/reviews/claims.ts';
import { claimInput, claimState } from '#server/reviews/schema.ts';
import { checkText } from './check-text.ts';
import { JobChanged, reviewJob } from './review.ts';
import { reviewJobs } from './review-many.ts';
import { claim, nextReview } from './review-queue.ts';
import {
  actInput,
  checkInput,
  nextReviewInput,
  nextReview as nextReviewOutput,
  reviewManyInput,
  reviewResults,
  textCheck,
} from './review-schema.ts';
import { translationJob } from './schema.ts';
import { viewFor } from './tenant-view.ts';

/*
 * What a reviewer does in the web application, besides `translations.review`. None has a route.
 */

/** The reviewer's issues while typing: the service's own checks of a text, without a model. A mutation only because
 * a query's input is a part of its address, where a text may be too long. */
export const check = deferredTenantProcedure
  .input(checkInput)
  .output(textCheck)
  .mutation(({ ctx, input }) => checkText(ctx.services, ctx.withTenant, input, ctx.disconnected()));

/** A review of the job as the reviewer saw it: 409 with the present job if it has changed since. */
export const act = deferredTenantProcedure
  .input(actInput)
  .output(translationJob)
  .mutation(async ({ ctx, input: { job_id, updated_at, ...review } }) => {
    try {
      return viewFor(ctx.audience)(await reviewJob(ctx.services, ctx.withTenant, job_id, review, updated_at));
    } catch (error) {
      if (!(error instanceof JobChanged)) throw error;
      const present = viewFor(ctx.audience)(error.job);
      throw new AppError(error.code, error.message, { present });
    }
  });

export const reviewMany = deferredTenantProcedure
  .input(reviewManyInput)
  .output(reviewResults)
  .mutation(async ({ ctx, input }) => ({
    results: await reviewJobs(ctx.services, ctx.withTenant, ctx.requestId, input.reviews),
  }));

/** The next job for this member. A mutation, because it claims the job. */
export const next = bearerProcedure
  .input(nextReviewInput)
  .output(nextReviewOutput)
  .mutation(async ({ ctx: { tx, principal, ...ctx }, input }) => {
    const found = await nextReview(tx, claimantOf(principal), input);
    const view = viewFor({ operator: principal.operator || audienceOf(ctx).operator });
    return { ...found, job: found.job && view(found.job) };
  });

export const claimReview = bearerProcedure
  .input(claimInput)
  .output(claimState)
  .mutation(({ ctx, input }) => claim(ctx.tx, claimantOf(ctx.principal), input));
