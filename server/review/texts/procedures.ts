import { AppError } from '#server/errors.ts';
import { deferredTenantProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { contentOf } from '#server/texts/find-jobs.ts';
import { type JobView, type TranslationJob, translationJob } from '#server/texts/schema.ts';
import { jobCounts, searchInput, searchPage } from '#server/texts/search-schema.ts';
import { viewFor } from '#server/texts/tenant-view.ts';
import { runSearch } from '#server/translation/listing/bounded-scan.ts';
import { checkText, recheckText, resolveTextFinding, textRecheckInput, textResolveInput } from './check.ts';
import { reviewJob, reviewJobs } from './decide.ts';
import { countJobs, searchJobs } from './list.ts';
import { actInput, checkInput, reviewManyInput, reviewResults, textCheck } from './schema.ts';
import { JobChanged } from './text.ts';

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
    .mutation(async ({ ctx, input }) => ({ results: await reviewJobs(ctx, input) })),
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
