import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { memorySet } from '../schema.ts';
import { listSets } from '../service.ts';

export const list = tenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm',
      tag: 'Translation memory',
      summary: 'List the sets',
    },
  })
  .output(z.array(memorySet))
  .query(({ ctx }) => listSets(ctx.tx, ctx.principal.tenant.id));
