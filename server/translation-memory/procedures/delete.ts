import { z } from 'zod';
import { deferredTenantProcedure } from '#server/access/service.ts';
import { removeSet } from '../service.ts';

export const remove = deferredTenantProcedure
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/tm/{set_id}',
      tag: 'Translation memory',
      summary: 'Delete a set',
      status: 204,
    },
  })
  .input(z.object({ set_id: z.string() }))
  .output(z.void())
  .mutation(({ ctx, input }) => removeSet(ctx.services, ctx.withTenant, input.set_id));
