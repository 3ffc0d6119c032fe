import { tenantEntryProcedure } from '#server/auth/service.ts';
import { translationJob, translationRequest } from '../schema.ts';
import { requireTranslationEnabled, submitText } from '../service.ts';
import { tenantView } from '../tenant-view.ts';

export const create = tenantEntryProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      tag: 'Translations',
      summary: 'Translate a text',
      description:
        'Runs the whole pipeline and answers the finished job: published, or awaiting_review. With an Idempotency-Key a resend answers the same job and does no work twice.',
      headers: { idempotency_key: 'Idempotency-Key' },
    },
  })
  .use(({ ctx, next }) => {
    requireTranslationEnabled(ctx.services);
    return next();
  })
  .input(translationRequest)
  .output(translationJob)
  .mutation(async ({ ctx, input }) => {
    const { job, replayed } = await submitText(ctx.services, ctx.enter, input);
    if (replayed) ctx.answer.setHeader('Idempotency-Replayed', 'true');
    return tenantView(job);
  });
