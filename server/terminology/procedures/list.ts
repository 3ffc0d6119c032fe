import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { terminologySet } from '../schema.ts';
import { listSets } from '../service.ts';

export const list = tenantProcedure
  .meta({
    route: { method: 'GET', path: '/api/terminology', tag: 'Terminology', summary: 'List the glossaries' },
  })
  .output(z.array(terminologySet))
  .query(({ ctx }) => listSets(ctx.tx, ctx.principal.tenant.id));
