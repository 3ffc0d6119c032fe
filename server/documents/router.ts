import { z } from 'zod';
import { listArtifacts } from '#server/documents/artifacts.ts';
import { downloadDocument } from '#server/documents/download.ts';
import { estimateDocument } from '#server/documents/estimate.ts';
import { getDocument, requireDocument } from '#server/documents/jobs.ts';
import { listDocuments } from '#server/documents/list.ts';
import { operatorProcedures } from '#server/documents/operator-procedures.ts';
import { removeDocument } from '#server/documents/removal.ts';
import {
  documentApproval,
  documentArtifact,
  documentDeletion,
  documentForm,
  documentJob,
  documentListQuery,
  documentReviewInput,
  documentSummary,
  summaryQuery,
} from '#server/documents/schema.ts';
import { documentSegmentPage, listSegments, segmentQuery } from '#server/documents/segment-list.ts';
import { checkForm } from '#server/documents/submission-form.ts';
import { submitDocument } from '#server/documents/submit.ts';
import { summarizeByTenant, summarizeDocuments, summarizeStages } from '#server/documents/summary.ts';
import { AppError } from '#server/errors.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { xliffType } from '#server/formats/xliff/writer.ts';
import { sendPage } from '#server/http/paging.ts';
import { markKeyedResult } from '#server/http/request-fingerprint.ts';
import { notingUnknownFields } from '#server/http/unknown-fields.ts';
import { adminProcedure } from '#server/identity/access/guards/admin.ts';
import { deferredTenantProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { deleteCommentsOn } from '#server/review/comments.ts';
import { confirmationOf } from '#server/review/decide.ts';
import { approveDocument, documentApproveInput } from '#server/review/documents/approve.ts';
import { reviewDocument } from '#server/review/documents/correct.ts';
import {
  exportSegments,
  reviewSegmentsByXliff,
  xliffSegmentQuery,
  xliffSegmentReviewInput,
} from '#server/review/documents/exchange.ts';
import { workplaceProcedures } from '#server/review/documents/procedures.ts';
import { translationEstimate } from '#server/translation/estimate.ts';
import { requireTranslationEnabled } from '#server/translation/intake/submission-limits.ts';
import { fileResponse, router, streamResponse } from '#server/trpc.ts';

const byId = z.object({ document_id: z.string().describe('The ID of the document job.') });

const translate = deferredTenantProcedure('translate')
  .meta({
    route: {
      method: 'POST',
      path: '/api/documents/translate',
      gate: requireTranslationEnabled,
      upload: {
        parts: ['source_document', 'existing_target', 'existing_texts'],
        raw: false,
        lists: ['pages', 'include'],
        ceiling: () => 'MAX_UPLOAD_BYTES',
      },
      headers: { idempotency_key: 'Idempotency-Key' },
      tag: 'Documents',
      summary: 'Translate a file and keep its layout',
      description:
        'Queues a job, which you poll until it ends. With `wait`, the response is sent when the job has ended. A repeated request with the same Idempotency-Key returns the same job.',
      status: 200,
      accepted: documentJob,
    },
  })
  .use(notingUnknownFields(documentForm))
  .input(documentForm)
  .output(z.union([documentJob, translationEstimate]))
  .mutation(async ({ ctx, input }) => {
    requireTranslationEnabled(ctx.services);
    const { services, withTenant, response, audience, unknownFields } = ctx;
    const form = await Promise.try(checkForm, input).catch(async (error: unknown) => {
      // Without a credential, the response is a 401 even if the form is invalid.
      await withTenant(async () => {});
      throw error;
    });
    const sender = { signal: ctx.disconnected(), unknownFields };
    if (form.limits.dryRun) return estimateDocument(services, withTenant, form, sender);
    const made = await submitDocument(services, withTenant, form, sender, audience);
    markKeyedResult(response, made);
    if (made.inFlight) response.setStatus(202);
    return made.job;
  });

const list = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/documents',
      tag: 'Documents',
      summary: 'List document jobs',
      description:
        'Sorted by `updated_at`, latest first. If there are more jobs, X-Next-Cursor has the cursor of the next page; send it with the same filters. With a filter, one request examines at most 10,000 jobs, so a page may have few or no jobs although more follow. The list ends when X-Next-Cursor is absent.',
      paged: true,
    },
  })
  .input(documentListQuery)
  .output(z.array(documentJob))
  .query(async ({ ctx, input }) => {
    const request = { audience: ctx.audience, signal: ctx.disconnected() };
    return sendPage(ctx.response, await listDocuments(ctx.services, ctx.withTenant, input, request));
  });

const get = tenantProcedure('read', 'translate')
  .meta({
    route: {
      method: 'GET',
      path: '/api/documents/{document_id}',
      tag: 'Documents',
      summary: 'Get a document job',
      description:
        'Repeat this request every two seconds, later every five to ten seconds, until the status is `translated` or `failed`.',
    },
  })
  .input(byId)
  .output(documentJob)
  .query(({ ctx, input }) => getDocument(ctx.tx, ctx.principal.tenant.id, input.document_id, ctx.audience));

const segments = tenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/documents/{document_id}/segments',
      tag: 'Documents',
      summary: 'List the segments of a document',
      description:
        'Returns the segments in reading order. With `flagged`, only segments that need a review are returned.',
    },
  })
  .input(segmentQuery)
  .output(documentSegmentPage)
  .query(({ ctx, input }) => listSegments(ctx.tx, ctx.principal.tenant.id, input));

const exportXliff = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/documents/{document_id}/segments',
      tag: 'Documents',
      summary: 'Export the segments of a document as XLIFF 2.1',
      paged: true,
      description:
        'Send `Accept: application/xliff+xml`. The XLIFF document has one file with a unit for each segment. Without `limit`, it has all segments. With `limit`, X-Next-Cursor has the cursor of the next page if there are more.',
      download: [xliffType],
    },
  })
  .input(xliffSegmentQuery)
  .output(streamResponse)
  .query(async ({ ctx, input }) => {
    const request = { requestId: ctx.requestId, signal: ctx.disconnected() };
    return sendPage(ctx.response, await exportSegments(ctx.services, ctx.withTenant, input, request));
  });

const artifacts = tenantProcedure('read', 'translate')
  .meta({
    route: {
      method: 'GET',
      path: '/api/documents/{document_id}/artifacts',
      tag: 'Documents',
      summary: 'List the files of a document',
      description: 'Returns the source file and every revision of the translated file, oldest first.',
    },
  })
  .input(byId)
  .output(z.array(documentArtifact))
  .query(async ({ ctx, input }) => {
    await requireDocument(ctx.tx, ctx.principal.tenant.id, input.document_id);
    return listArtifacts(ctx.tx, ctx.principal.tenant.id, input.document_id);
  });

const download = deferredTenantProcedure('read', 'translate')
  .meta({
    route: {
      method: 'GET',
      path: '/api/documents/{document_id}/download',
      tag: 'Documents',
      summary: 'Download the latest translated file',
      description:
        'Returns 409 while the job is in progress, or if it failed. The source file cannot be downloaded here. Content-Disposition has the name of the source file; a Word file with the text of a PDF has the extension `.docx`. X-Suggested-Filename has a percent-encoded name with the language, such as `menu.fr.xlsx`.',
      download: Object.values(layoutKinds).map(({ mediaType }) => mediaType),
      suggestsName: true,
    },
  })
  .input(
    byId.extend({
      content: z
        .enum(['file', 'texts'])
        .default('file')
        .describe(
          '`file` for the translated file. `texts` for the hashes of its texts as JSON, to send as `existing_texts` with a later version; null if the format has no separate texts.',
        ),
    }),
  )
  .output(z.union([fileResponse, streamResponse]))
  .query(({ ctx, input }) =>
    downloadDocument(ctx.services, ctx.withTenant, input.document_id, {
      texts: input.content === 'texts',
      requestId: ctx.requestId,
      signal: ctx.disconnected(),
    }),
  );

const summary = deferredTenantProcedure('read')
  .meta({
    route: {
      method: 'GET',
      path: '/api/documents/summary',
      tag: 'Documents',
      summary: 'Count the document jobs',
      description:
        'Counts the document jobs of the workspace. Only platform operators get breakdowns over all tenants.',
    },
  })
  .input(summaryQuery)
  .output(documentSummary)
  .query(async ({ ctx, input }) => {
    const { include_tenant_breakdown: byTenant, include_stage_timing_breakdown: byStage } = input;
    // End the tenant's transaction before the platform's transaction begins: requests that hold one connection and wait
    // for a second one could block each other.
    const own = await ctx.withTenant((tx, { tenant }) => {
      if ((byTenant || byStage) && !ctx.audience.operator)
        throw new AppError('forbidden', 'cross-tenant breakdowns require operator access');
      return summarizeDocuments(tx, tenant.id);
    });
    const { database } = ctx.services;
    return {
      ...own,
      ...(byTenant && { tenants: await database.inPlatform(summarizeByTenant) }),
      ...(byStage && { stage_timings: await database.inPlatform(summarizeStages) }),
    };
  });

const review = deferredTenantProcedure('review')
  .meta({
    route: {
      method: 'POST',
      path: '/api/documents/{document_id}/review',
      tag: 'Documents',
      summary: 'Correct segments and write the translated file again',
      description:
        'Either all corrections are applied or none. If others review the document, or if it was approved after a second review, the response is a 409. For signed-in members, the session determines the reviewer. Clients with an API key send the name of the reviewer in the body.',
    },
  })
  .input(documentReviewInput)
  .output(documentJob)
  .mutation(async ({ ctx, input: { document_id, ...request } }) => {
    const { tenantId } = await reviewDocument(ctx.services, ctx.withTenant, ctx, document_id, request);
    return ctx.services.database.inTenant(tenantId, (tx) =>
      getDocument(tx, tenantId, document_id, ctx.audience),
    );
  });

const reviewXliff = deferredTenantProcedure('review')
  .meta({
    route: {
      method: 'POST',
      path: '/api/documents/{document_id}/review',
      body: 'xliff',
      query: ['notes', 'reviewer'],
      tag: 'Documents',
      summary: 'Correct segments with an XLIFF document',
      description:
        'Send the exported XLIFF document with changed targets, with `Content-Type: application/xliff+xml`. Unchanged units have no effect. If a translation has changed since the export, nothing is corrected: the response is a 409 that names its unit.',
    },
  })
  .input(xliffSegmentReviewInput)
  .output(documentJob)
  .mutation(async ({ ctx, input }) => {
    const { document_id } = input;
    const { tenantId } = await reviewSegmentsByXliff(
      ctx.services,
      ctx.withTenant,
      ctx,
      input,
      ctx.disconnected(),
    );
    return ctx.services.database.inTenant(tenantId, (tx) =>
      getDocument(tx, tenantId, document_id, ctx.audience),
    );
  });

const approve = deferredTenantProcedure('review')
  .meta({
    route: {
      method: 'POST',
      path: '/api/documents/{document_id}/approve',
      tag: 'Documents',
      summary: 'Approve a document and add it to the translation memory',
      description:
        'If the document is already approved, nothing changes, and the response describes the first approval, unless it was changed since. With a second review, send the `updated_at` that the reviewer saw.',
    },
  })
  .input(documentApproveInput)
  .output(documentApproval)
  .mutation(async ({ ctx, input: { document_id, confirm_critical, ...request } }) => {
    const { tenantId, result } = await approveDocument(
      ctx.services,
      ctx.withTenant,
      ctx,
      document_id,
      request,
      {
        confirmCritical: confirmationOf(ctx, confirm_critical),
      },
    );
    const job = await ctx.services.database.inTenant(tenantId, (tx) =>
      getDocument(tx, tenantId, document_id, ctx.audience),
    );
    return { job, approval_result: result };
  });

const remove = adminProcedure
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/documents/{document_id}',
      tag: 'Documents',
      summary: 'Delete a document with its files and segments',
      description:
        'Requires the session of an administrator of the workspace, or the operator key; the API key of the workspace is rejected. Usage records are kept.',
    },
  })
  .input(byId)
  .output(documentDeletion)
  .mutation(({ ctx, input: { document_id: id } }) =>
    removeDocument(ctx.services, ctx.withOwningTenant, id, (tx, tenantId) =>
      deleteCommentsOn(tx, tenantId, { kind: 'document', id }),
    ),
  );

export const documentsRouter = router({
  translate,
  list,
  summary,
  get,
  segments,
  exportXliff,
  artifacts,
  download,
  review,
  reviewXliff,
  approve,
  delete: remove,
  ...workplaceProcedures,
  ...operatorProcedures,
});
