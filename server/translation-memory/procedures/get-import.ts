import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { memoryImportAnswer } from '../schema.ts';
import { readImport } from '../service.ts';

export const getImport = tenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/imports/{job_id}',
      tag: 'Translation memory',
      summary: 'Poll an import',
    },
  })
  .input(z.object({ job_id: z.string() }))
  .output(memoryImportAnswer)
  .query(({ ctx, input }) => readImport(ctx.tx, ctx.principal.tenant.id, input.job_id));
