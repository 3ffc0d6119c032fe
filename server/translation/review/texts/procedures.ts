import { reportRange, usageBreakdown } from '#server/billing/metering/usage-breakdown.ts';
import { AppError } from '#server/errors.ts';
import {
  administratorSessionProcedure,
  bearerProcedure,
  deferredBearerProcedure,
} from '#server/identity/access/guards/session.ts';
import {
  audienceOf,
  deferredTenantProcedure,
  tenantProcedure,
} from '#server/identity/access/guards/tenant.ts';
import { runSearch } from '#server/translation/core/listing/bounded-scan.ts';
import { contentOf } from '#server/translation/texts/find-jobs.ts';
import { type JobView, type TranslationJob, translationJob } from '#server/translation/texts/schema.ts';
import { jobCounts, searchInput, searchPage } from '#server/translation/texts/search-schema.ts';
import { viewFor } from '#server/translation/texts/tenant-view.ts';
import { claimantOf } from '../claims.ts';
import { reopenDocument } from '../documents/reopen.ts';
import { reportReviewers } from '../figures.ts';
import { breakDownByDomain, outcomeReport, reportOutcomes } from '../outcomes.ts';
import { JobChanged } from '../review-conflict.ts';
import {
  claimInput,
  claimState,
  reopenedItem,
  reviewerReport,
  reviewerReportInput,
  reviewItem,
} from '../schema.ts';
import { checkText } from './check-text.ts';
import { countJobs } from './counts.ts';
import { reviewJob } from './decide.ts';
import { reopenJob } from './reopen.ts';
import { recheckText, resolveTextFinding, textRecheckInput, textResolveInput } from './resolve.ts';
import { reviewJobs } from './review-many.ts';
import { claim, nextReview } from './review-queue.ts';
import {
  actInput,
  checkInput,
  nextReviewInput,
  nextReviewView,
  reviewManyInput,
  reviewResults,
  textCheck,
} from './review-schema.ts';
import { searchJobs } from './search.ts';

/** Procedures for the review screens only. They have no route, so only /trpc serves them. */
export const workplaceProcedures = {
  search: deferredTenantProcedure('read')
    .input(searchInput)
    .output(searchPage)
    .query(({ ctx, input }) =>
      runSearch(
        ctx.services.database,
        ctx.withTenant,
        { scans: () => contentOf(input) !== undefined, signal: ctx.disconnected() },
        (tx, principal) => searchJobs(tx, principal, input),
      ),
    ),

  counts: tenantProcedure('read')
    .output(jobCounts)
    .query(({ ctx }) => countJobs(ctx.tx, ctx.principal.tenant.id)),

  /**
   * This is a mutation although it changes nothing: the input of a query is part of the URL, whose length is limited.
   */
  check: deferredTenantProcedure('review')
    .input(checkInput)
    .output(textCheck)
    .mutation(({ ctx, input }) => checkText(ctx.services, ctx.withTenant, input, ctx.disconnected())),

  /** Applies a review to the job that the reviewer saw. If the job has changed since then: 409 with the current job. */
  act: deferredTenantProcedure('review')
    .input(actInput)
    .output(translationJob)
    .mutation(({ ctx, input }) => {
      const { job_id, updated_at: seen, worked_ms: workedMs, confirm_critical, ...review } = input;
      return presenting(
        viewFor(ctx.audience),
        reviewJob(ctx.services, ctx.withTenant, ctx, job_id, review, {
          seen,
          workedMs,
          confirmCritical: confirm_critical ?? false,
        }),
      );
    }),

  resolve: deferredTenantProcedure('review')
    .input(textResolveInput)
    .output(translationJob)
    .mutation(({ ctx, input }) =>
      presenting(viewFor(ctx.audience), resolveTextFinding(ctx.services, ctx.withTenant, input)),
    ),

  recheck: deferredTenantProcedure('review')
    .input(textRecheckInput)
    .output(translationJob)
    .mutation(({ ctx, input }) =>
      presenting(viewFor(ctx.audience), recheckText(ctx.services, ctx.withTenant, input, ctx.disconnected())),
    ),

  reviewMany: deferredTenantProcedure('review')
    .input(reviewManyInput)
    .output(reviewResults)
    .mutation(async ({ ctx, input }) => ({
      results: await reviewJobs(ctx.services, ctx.withTenant, ctx, input.reviews),
    })),
};

/** Returns the view of a changed job. If the job was changed by others before: 409 with the view of the current job. */
async function presenting(
  view: (job: TranslationJob) => JobView,
  changed: Promise<TranslationJob>,
): Promise<JobView> {
  try {
    return view(await changed);
  } catch (error) {
    if (!(error instanceof JobChanged)) throw error;
    throw new AppError(error.code, error.message, { present: view(error.job) });
  }
}

/**
 * Procedures for the next item and for the figures of reviewers. For members only: a claim has the name of its holder,
 * and an API key has no name.
 */
export const turnProcedures = {
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
    .mutation(({ ctx, input: { kind, id } }) =>
      (kind === 'job' ? reopenJob : reopenDocument)(ctx.services, ctx.withBearer, ctx, id),
    ),

  byReviewer: administratorSessionProcedure
    .input(reviewerReportInput)
    .output(reviewerReport)
    .query(({ ctx, input }) =>
      ctx.asAdministrator((tx, { tenant }) => reportReviewers(tx, tenant.id, input)),
    ),

  outcomes: administratorSessionProcedure
    .input(reportRange)
    .output(outcomeReport)
    .query(({ ctx, input }) => ctx.asAdministrator((tx, { tenant }) => reportOutcomes(tx, tenant.id, input))),

  byDomain: administratorSessionProcedure
    .input(reportRange)
    .output(usageBreakdown)
    .query(({ ctx, input }) =>
      ctx.asAdministrator((tx, { tenant }) => breakDownByDomain(tx, tenant.id, input)),
    ),
};
