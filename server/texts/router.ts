import { z } from 'zod';
import { xliffType } from '#server/formats/xliff/writer.ts';
import { sendPage } from '#server/http/paging.ts';
import { adminProcedure } from '#server/identity/access/guards/admin.ts';
import {
  deferredTenantOrCookieProcedure,
  deferredTenantProcedure,
  tenantProcedure,
} from '#server/identity/access/guards/tenant.ts';
import { deleteCommentsOn } from '#server/review/comments.ts';
import { confirmationOf } from '#server/review/decide.ts';
import { reviewProcedures } from '#server/review/procedures.ts';
import { reviewJob } from '#server/review/texts/decide.ts';
import { exportJobs, reviewJobByXliff, xliffReviewInput } from '#server/review/texts/exchange.ts';
import { workplaceProcedures } from '#server/review/texts/procedures.ts';
import { reviewInput } from '#server/review/texts/schema.ts';
import { create, createBatch, createFromFile, createFromText } from '#server/texts/create.ts';
import { listJobs } from '#server/texts/find-jobs.ts';
import { downloadGolden, goldenTypes } from '#server/texts/golden-download.ts';
import { getJob } from '#server/texts/jobs.ts';
import { removeJob } from '#server/texts/removal.ts';
import { goldenFormat, jobDeletion, listQuery, translationJob } from '#server/texts/schema.ts';
import { viewFor } from '#server/texts/tenant-view.ts';
import { fileResponse, router, streamResponse } from '#server/trpc.ts';

const deleteJob = adminProcedure
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/translations/{job_id}',
      tag: 'Translations',
      summary: 'Delete a job with its records',
      description:
        'Requires the session of an administrator of the workspace, or the operator key; the API key of the workspace is rejected. Usage records are kept.',
    },
  })
  .input(z.object({ job_id: z.string().describe('The ID of the job.') }))
  .output(jobDeletion)
  .mutation(({ ctx, input: { job_id: id } }) =>
    removeJob(ctx.services, ctx.withOwningTenant, id, (tx, tenantId) =>
      deleteCommentsOn(tx, tenantId, { kind: 'job', id }),
    ),
  );

const golden = deferredTenantOrCookieProcedure('read', 'translate')
  .meta({
    route: {
      method: 'GET',
      path: '/api/translations/{job_id}/golden',
      tag: 'Translations',
      summary: 'Download a published translation',
      description:
        'The job must be `published` or `human_edited`; otherwise the response is a 409. The file name contains the target language. X-Suggested-Filename has the same name, percent-encoded.',
      download: Object.values(goldenTypes),
      suggestsName: true,
    },
  })
  .input(z.object({ job_id: z.string().describe('The ID of the job.'), format: goldenFormat }))
  .output(fileResponse)
  .query(({ ctx, input }) =>
    downloadGolden(ctx.services, ctx.withTenant, input.job_id, input.format, ctx.disconnected()),
  );

const review = deferredTenantProcedure('review')
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations/{job_id}/review',
      tag: 'Translations',
      summary: 'Review a job: save a draft, approve, modify or reject',
      description:
        'If several reviewers act at the same time, only the first review is stored; the others get an error, because the job can no longer be reviewed. For signed-in members, the session determines the reviewer. Clients with an API key send the name of the reviewer in the body.',
    },
  })
  .input(reviewInput)
  .output(translationJob)
  .mutation(async ({ ctx, input: { job_id, confirm_critical, updated_at: seen, ...review } }) =>
    viewFor(ctx.audience)(
      await reviewJob(ctx.services, ctx.withTenant, ctx, job_id, review, {
        seen,
        confirmCritical: confirmationOf(ctx, confirm_critical),
      }),
    ),
  );

const list = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/translations',
      tag: 'Translations',
      summary: 'List translation jobs',
      description:
        'Sorted by `updated_at`, latest first. If there are more jobs, X-Next-Cursor has the cursor of the next page; send it with the same filters. With a filter other than `status`, one request examines at most 10,000 jobs, so a page may have few or no jobs although more follow. The list ends when X-Next-Cursor is absent.',
      paged: true,
    },
  })
  .input(listQuery)
  .output(z.array(translationJob))
  .query(async ({ ctx, input }) => {
    const page = await listJobs(ctx.services, ctx.withTenant, input, ctx.disconnected());
    return sendPage(ctx.response, page).map(viewFor(ctx.audience));
  });

const exportXliff = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/translations',
      tag: 'Translations',
      summary: 'Export translation jobs as XLIFF 2.1',
      paged: true,
      description:
        'Send `Accept: application/xliff+xml`. The XLIFF document has one file for each job, by default for the jobs that await review. All jobs must have the same language pair. Otherwise the response is a 422: send source_lang and target_lang to select one pair.',
      download: [xliffType],
    },
  })
  .input(listQuery)
  .output(streamResponse)
  .query(async ({ ctx, input }) => {
    const request = { requestId: ctx.requestId, signal: ctx.disconnected() };
    return sendPage(ctx.response, await exportJobs(ctx.services, ctx.withTenant, input, request));
  });

const reviewXliff = deferredTenantProcedure('review')
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations/{job_id}/review',
      body: 'xliff',
      query: ['action', 'reviewer', 'notes'],
      tag: 'Translations',
      summary: 'Review a job with an XLIFF document',
      description:
        'Send the exported XLIFF document with a changed target, with `Content-Type: application/xliff+xml`. Files of other jobs in it are ignored. If the job has changed since the export, the response is a 409.',
    },
  })
  .input(xliffReviewInput)
  .output(translationJob)
  .mutation(async ({ ctx, input }) =>
    viewFor(ctx.audience)(
      await reviewJobByXliff(ctx.services, ctx.withTenant, ctx, input, ctx.disconnected()),
    ),
  );

const get = tenantProcedure('read', 'translate')
  .meta({
    route: {
      method: 'GET',
      path: '/api/translations/{job_id}',
      tag: 'Translations',
      summary: 'Get a translation job',
      description: 'Returns the current state of the job.',
    },
  })
  .input(z.object({ job_id: z.string().describe('The ID of the job.') }))
  .output(translationJob)
  .query(async ({ ctx, input }) =>
    viewFor(ctx.audience)(await getJob(ctx.tx, ctx.principal.tenant.id, input.job_id)),
  );

export const translationsRouter = router({
  create,
  createBatch,
  createFromFile,
  createFromText,
  get,
  list,
  review,
  exportXliff,
  reviewXliff,
  golden,
  delete: deleteJob,
  ...workplaceProcedures,
});

export const reviewsRouter = router(reviewProcedures);
