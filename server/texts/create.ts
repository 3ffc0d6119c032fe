import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { RequestContext, Services } from '#server/context.ts';
import { estimateDocument } from '#server/documents/estimate.ts';
import { type DocumentJob, documentJob } from '#server/documents/schema.ts';
import { checkForm } from '#server/documents/submission-form.ts';
import { submitDocument } from '#server/documents/submit.ts';
import { AppError, toAppError } from '#server/errors.ts';
import { markKeyedResult, withDifferingRequest } from '#server/http/request-fingerprint.ts';
import { notingUnknownFields } from '#server/http/unknown-fields.ts';
import { orderedTenantProcedure, type WithTenant } from '#server/identity/access/guards/tenant.ts';
import { basePathOf } from '#server/settings.ts';
import { type TranslationEstimate, translationEstimate } from '#server/translation/estimate.ts';
import { warningsOf } from '#server/translation/intake/request-warnings.ts';
import {
  readLimits,
  requireTranslationEnabled,
  type SubmissionLimits,
  splitLimits,
} from '#server/translation/intake/submission-limits.ts';
import type { Submitted } from './admit-series.ts';
import { estimateTexts } from './estimate.ts';
import { requireKey } from './idempotency.ts';
import { expandBatch } from './intake/batch.ts';
import { callersMetadata, checkRequest } from './intake/check-request.ts';
import { isLayoutFile, readFileRequest, requestPagesOfText } from './intake/file.ts';
import { batchRequest, documentTextRequest, type FileRequest, fileRequest } from './intake/schema.ts';
import {
  type JobView,
  type TranslationJob,
  type TranslationRequest,
  translationJob,
  translationRequest,
} from './schema.ts';
import { submit } from './submission.ts';
import { viewFor } from './tenant-view.ts';

/**
 * Checks in this order: whether translation is enabled, the input, the caller. Only an API key that lacks the scope gets
 * its 403 before the problems of an input that can be read.
 */
const submissionProcedure = orderedTenantProcedure('translate')
  .meta({ inputFirst: true })
  .use(async ({ ctx, meta, next, path }) => {
    requireTranslationEnabled(ctx.services);
    const result = await next();
    if (!result.ok && ctx.notes.tenantId === null && !isUnreadable(result.error))
      await ctx.admit(meta ?? {}, path).catch((error: unknown) => {
        if (toAppError(error).code === 'forbidden') throw error;
      });
    return result;
  });

/** Whether the input could not be read, such as a body that is not JSON. */
const isUnreadable = (error: Error): boolean => toAppError(error.cause ?? error).code === 'malformed_request';

type SubmissionContext = Pick<RequestContext, 'services' | 'response' | 'requestId' | 'prefersAsync'> & {
  withTenant: WithTenant;
  audience: { operator: boolean };
};

/**
 * Returns the requests, each with its warnings. Lets other requests of the server run in between.
 * @param fields allowed fields of the request
 */
async function withWarnings(
  requests: readonly TranslationRequest[],
  { unknownFields }: { unknownFields: readonly string[] },
  fields = Object.keys(translationRequest.shape),
): Promise<Submitted[]> {
  const submitted: Submitted[] = [];
  for (const request of requests) {
    if (submitted.length > 0) await setImmediate();
    submitted.push({ request, warnings: warningsOf(request, { unknownFields, fields }) });
  }
  return submitted;
}

/**
 * Runs a submission and returns its jobs in the caller's view, or estimates it. If all jobs already existed, marks the
 * response as a replay. An asynchronous request gets the pending jobs, which workers run.
 */
async function submitFor(
  { services, response, requestId, prefersAsync, withTenant, audience }: SubmissionContext,
  submitted: Submitted[],
  limits: SubmissionLimits,
): Promise<JobView[] | TranslationEstimate> {
  if (limits.dryRun) return estimateTexts(services, withTenant, submitted, limits);
  const { jobs, items, replayed } = await submit(
    services,
    withTenant,
    { requestId, prefersAsync },
    submitted,
    limits,
  );
  markKeyedResult(response, { replayed, differs: items.some(({ differs }) => differs) });
  if (prefersAsync) markAsync(services, response, jobs);
  const view = viewFor(audience);
  return jobs.map((job, index) => (items[index]?.differs ? withDifferingRequest(view(job)) : view(job)));
}

/** Sets the status and the headers of the response to an asynchronous request (RFC 7240). */
function markAsync(
  { settings }: Pick<Services, 'settings'>,
  response: RequestContext['response'],
  jobs: readonly TranslationJob[],
): void {
  response.setHeader('Preference-Applied', 'respond-async');
  const [job, ...others] = jobs;
  if (job && others.length === 0)
    response.setHeader('Location', `${basePathOf(settings)}/api/translations/${job.id}`);
  if (jobs.some(({ status }) => status === 'pending')) response.setStatus(202);
}

export const create = submissionProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      gate: requireTranslationEnabled,
      tag: 'Translations',
      summary: 'Translate a text, a batch or a text file',
      description:
        'Translates and checks the text, and returns the job with the status `published` or `awaiting_review`. A repeated request with the same Idempotency-Key returns the same job, and nothing is translated or billed twice. With `Prefer: respond-async`, the response is a 202 with the pending jobs: workers translate them, and you poll until the status is no longer `pending`, `translated` or `approved`.',
      headers: { idempotency_key: 'Idempotency-Key' },
      respondsAsync: true,
    },
  })
  .use(notingUnknownFields(translationRequest))
  .input(translationRequest)
  .output(z.union([translationJob, translationEstimate]))
  .mutation(async ({ ctx, input }) => {
    // Over REST, such a body is handled by `createFromText`.
    if (isObject(input.metadata['source_document']))
      throw new AppError(
        'unprocessable',
        'metadata.source_document creates several jobs: use createFromText',
      );
    requireKey(input.idempotency_key);
    const { limits, request } = splitLimits(input);
    const metadata = callersMetadata(request.metadata);
    const checked = checkRequest({ ...request, metadata }, ctx.services.settings);
    const made = await submitFor(ctx, await withWarnings([checked], ctx), limits);
    if (!Array.isArray(made)) return made;
    const [job] = made;
    if (!job) throw new Error('the request created no job');
    return job;
  });

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const createBatch = submissionProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      gate: requireTranslationEnabled,
      chosenBy: 'inputs',
      tag: 'Translations',
      summary: 'Translate a batch',
      description:
        'Each pair of an input and a target becomes a job. The jobs run side by side, are stored one after the other, and are returned in the same order. If a job fails, the response is its error; earlier jobs are kept, later ones are discarded, and a repeated request with the same key continues with the failed job.',
      headers: { idempotency_key: 'Idempotency-Key' },
      respondsAsync: true,
    },
  })
  .use(notingUnknownFields(batchRequest))
  .input(batchRequest)
  .output(z.union([z.array(translationJob), translationEstimate]))
  .mutation(async ({ ctx, input }) => {
    const submitted = await expandBatch(input, ctx.services.settings, ctx.unknownFields);
    return submitFor(ctx, submitted, splitLimits(input).limits);
  });

export const createFromFile = submissionProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      gate: requireTranslationEnabled,
      upload: {
        parts: ['source_document'],
        raw: true,
        ceiling: (file) => (isLayoutFile(file) ? 'MAX_UPLOAD_BYTES' : 'MAX_REQUEST_BYTES'),
      },
      tag: 'Translations',
      summary: 'Translate a file',
      description:
        'Send a form with the part `source_document`, or the file as the body with the fields in the query. The text of the file is split into pages, and each page becomes a job. A PDF, DOCX or XLSX file in a form is translated with its layout instead: the response is a queued document job, as from POST /api/documents/translate.',
      headers: { idempotency_key: 'Idempotency-Key' },
      respondsAsync: true,
    },
  })
  .use(notingUnknownFields(fileRequest))
  .input(fileRequest)
  .output(z.union([z.array(translationJob), documentJob, translationEstimate]))
  .mutation(async ({ ctx, input }) => {
    const file = input.source_document;
    if (file?.via === 'form' && isLayoutFile(file)) return submitDocumentFor(ctx, input);
    const limits = readLimits(input);
    const authenticate = () =>
      ctx.withTenant(async (_tx, principal) => ({
        tenantId: principal.tenant.id,
        signal: ctx.disconnected(),
      }));
    const requests = await readFileRequest(ctx.services, input, authenticate);
    return submitFor(ctx, await withWarnings(requests, ctx, Object.keys(fileRequest.shape)), limits);
  });

/** Queues a file to be translated with its layout, and returns the document job. */
async function submitDocumentFor(
  {
    services,
    response,
    withTenant,
    audience,
    disconnected,
    unknownFields,
  }: SubmissionContext & Pick<RequestContext, 'disconnected'> & { unknownFields: readonly string[] },
  input: FileRequest,
): Promise<DocumentJob | TranslationEstimate> {
  const submittedVia = 'translations_upload' as const;
  const form = { ...checkForm(input), wait: false, submittedVia };
  const sender = { signal: disconnected(), unknownFields };
  if (form.limits.dryRun) return estimateDocument(services, withTenant, form, sender);
  const made = await submitDocument(services, withTenant, form, sender, audience);
  markKeyedResult(response, made);
  return made.job;
}

export const createFromText = submissionProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      gate: requireTranslationEnabled,
      chosenBy: 'metadata.source_document',
      tag: 'Translations',
      summary: 'Translate the text of a document, page by page',
      headers: { idempotency_key: 'Idempotency-Key' },
      respondsAsync: true,
    },
  })
  .use(notingUnknownFields(documentTextRequest))
  .input(documentTextRequest)
  .output(z.union([z.array(translationJob), translationEstimate]))
  .mutation(async ({ ctx, input }) => {
    requireKey(input.idempotency_key);
    const { limits, request } = splitLimits(input);
    const { source_document } = request.metadata;
    const metadata = { ...callersMetadata(request.metadata), source_document };
    const requests = await requestPagesOfText({ ...request, metadata }, ctx.services.settings);
    return submitFor(ctx, await withWarnings(requests, ctx), limits);
  });
