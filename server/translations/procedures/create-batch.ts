import { z } from 'zod';
import { tenantSubmission } from '../guard.ts';
import { batchRequest } from '../intake/schema.ts';
import { translationJob } from '../schema.ts';
import { expandBatch, requireTranslationEnabled, submit } from '../service.ts';
import { viewFor } from '../tenant-view.ts';

export const createBatch = tenantSubmission
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      gate: requireTranslationEnabled,
      chosenBy: 'inputs',
      tag: 'Translations',
      summary: 'Translate a batch',
      description:
        'One job for each input and target, run in order and answered in order. An item that fails ends the batch with its error; what was done stays, and a resend with the same key goes on from there.',
      headers: { idempotency_key: 'Idempotency-Key' },
    },
  })
  .input(batchRequest)
  .output(z.array(translationJob))
  .mutation(async ({ ctx, input }) => {
    const requests = expandBatch(input, ctx.services.settings);
    const { jobs, replayed } = await submit(ctx.services, ctx.withTenant, requests);
    if (replayed) ctx.answer.setHeader('Idempotency-Replayed', 'true');
    return jobs.map(viewFor(ctx.audience));
  });
