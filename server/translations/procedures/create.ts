import { AppError } from '#server/errors.ts';
import { tenantSubmission } from '../guard.ts';
import { translationJob, translationRequest } from '../schema.ts';
import { callersMetadata, checkRequest, requireKey, requireTranslationEnabled, submit } from '../service.ts';
import { viewFor } from '../tenant-view.ts';

export const create = tenantSubmission
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      gate: requireTranslationEnabled,
      tag: 'Translations',
      summary: 'Translate a text, a batch or a text file',
      description:
        'Runs the whole pipeline and answers the finished job: published, or awaiting_review. With an Idempotency-Key a resend answers the same job and does no work twice.',
      headers: { idempotency_key: 'Idempotency-Key' },
    },
  })
  .input(translationRequest)
  .output(translationJob)
  .mutation(async ({ ctx, input }) => {
    // At the REST door such a body is `createFromText`'s; a typed caller is told.
    if (isObject(input.metadata['source_document']))
      throw new AppError(
        'unprocessable',
        'metadata.source_document makes an array of jobs: use createFromText',
      );
    requireKey(input.idempotency_key);
    const metadata = callersMetadata(input.metadata);
    const request = checkRequest({ ...input, metadata }, ctx.services.settings);
    const { jobs, replayed } = await submit(ctx.services, ctx.withTenant, [request]);
    if (replayed) ctx.answer.setHeader('Idempotency-Replayed', 'true');
    const [job] = jobs;
    if (!job) throw new Error('a submission came to no job');
    return viewFor(ctx.audience)(job);
  });

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
