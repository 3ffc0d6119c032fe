import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { removeSet } from '../service.ts';

export const remove = tenantProcedure
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/terminology/{set_id}',
      tag: 'Terminology',
      summary: 'Delete a glossary',
      status: 204,
    },
  })
  .input(z.object({ set_id: z.string() }))
  .output(z.void())
  .mutation(({ ctx, input }) => removeSet(ctx.tx, ctx.principal.tenant.id, input.set_id));
