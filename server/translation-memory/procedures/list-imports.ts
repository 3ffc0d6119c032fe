import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { memoryImportJob } from '../schema.ts';
import { listImports as newest } from '../service.ts';

export const listImports = tenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/imports',
      tag: 'Translation memory',
      summary: 'List the newest 50 imports',
    },
  })
  .output(z.array(memoryImportJob))
  .query(({ ctx }) => newest(ctx.tx, ctx.principal.tenant.id));
