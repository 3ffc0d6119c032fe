import { z } from 'zod';
import { tenantSubmission } from '../guard.ts';
import { fileRequest } from '../intake/schema.ts';
import { translationJob } from '../schema.ts';
import { isLayoutFile, readFileRequest, requireTranslationEnabled, submit } from '../service.ts';
import { viewFor } from '../tenant-view.ts';

export const createFromFile = tenantSubmission
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
      summary: 'Translate a text file, page by page',
      description:
        'A form with a `source_document` part, or the file as the body with its fields in the query. The text is split into pages, one job each.',
      headers: { idempotency_key: 'Idempotency-Key' },
    },
  })
  .input(fileRequest)
  .output(z.array(translationJob))
  .mutation(async ({ ctx, input }) => {
    const authenticate = () =>
      ctx.withTenant(async (_tx, principal) => ({ tenantId: principal.tenant.id, signal: ctx.hungUp() }));
    const requests = await readFileRequest(ctx.services, input, authenticate);
    const { jobs, replayed } = await submit(ctx.services, ctx.withTenant, requests);
    if (replayed) ctx.answer.setHeader('Idempotency-Replayed', 'true');
    return jobs.map(viewFor(ctx.audience));
  });
