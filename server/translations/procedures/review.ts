import { deferredTenantProcedure } from '#server/access/service.ts';
import { reviewInput, translationJob } from '../schema.ts';
import { reviewJob } from '../service.ts';
import { viewFor } from '../tenant-view.ts';

export const review = deferredTenantProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations/{job_id}/review',
      tag: 'Translations',
      summary: 'Save a draft of, approve, modify or reject a job that awaits review',
      description:
        'Of reviewers who act at once, one wins; the others find a job that is not reviewable. The reviewer is the session, and the body says it only for a caller with an API key.',
    },
  })
  .input(reviewInput)
  .output(translationJob)
  .mutation(async ({ ctx, input: { job_id, ...review } }) =>
    viewFor(ctx.audience)(await reviewJob(ctx.services, ctx.withTenant, job_id, review)),
  );
