import { z } from 'zod';
import { deferredTenantProcedure } from '#server/access/service.ts';
import { importForm, memoryImportAnswer, memorySet } from '../schema.ts';
import { receiveImport } from '../service.ts';

export const importTmx = deferredTenantProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/tm',
      upload: { parts: ['tmx_file'], raw: false, ceiling: () => 'MAX_UPLOAD_BYTES' },
      accepted: memoryImportAnswer,
      tag: 'Translation memory',
      summary: 'Create or replace a set from a TMX file',
      description:
        'A form with `tmx_file` (TMX 1.4b), `name`, `source_lang` and `target_lang`. Up to 5000 segments are stored at once; a larger file answers 202 and is polled.',
    },
  })
  .input(importForm)
  .output(z.union([memorySet, memoryImportAnswer]))
  .mutation(async ({ ctx, input }) => {
    const received = await receiveImport(ctx.services, ctx.withTenant, input, ctx.disconnected());
    if ('set' in received) return received.set;
    ctx.response.setStatus(202);
    return received.accepted;
  });
