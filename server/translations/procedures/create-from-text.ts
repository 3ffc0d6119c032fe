import { z } from 'zod';
import { tenantSubmission } from '../guard.ts';
import { documentTextRequest } from '../intake/schema.ts';
import { translationJob } from '../schema.ts';
import {
  callersMetadata,
  requestPagesOfText,
  requireKey,
  requireTranslationEnabled,
  submit,
} from '../service.ts';
import { viewFor } from '../tenant-view.ts';

export const createFromText = tenantSubmission
  .meta({
    route: {
      method: 'POST',
      path: '/api/translations',
      gate: requireTranslationEnabled,
      chosenBy: 'metadata.source_document',
      tag: 'Translations',
      summary: 'Translate the text of a document, page by page',
      headers: { idempotency_key: 'Idempotency-Key' },
    },
  })
  .input(documentTextRequest)
  .output(z.array(translationJob))
  .mutation(async ({ ctx, input }) => {
    requireKey(input.idempotency_key);
    const { source_document } = input.metadata;
    const metadata = { ...callersMetadata(input.metadata), source_document };
    const requests = await requestPagesOfText({ ...input, metadata }, ctx.services.settings);
    const { jobs, replayed } = await submit(ctx.services, ctx.withTenant, requests);
    if (replayed) ctx.answer.setHeader('Idempotency-Replayed', 'true');
    return jobs.map(viewFor(ctx.audience));
  });
