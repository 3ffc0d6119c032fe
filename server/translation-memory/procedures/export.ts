import { z } from 'zod';
import { deferredTenantProcedure } from '#server/access/service.ts';
import { streamResponse } from '#server/trpc.ts';
import { exportSet as start } from '../service.ts';

export const exportSet = deferredTenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/{set_id}/export',
      tag: 'Translation memory',
      summary: 'Export a set as TMX 1.4b',
      download: ['application/xml'],
    },
  })
  .input(z.object({ set_id: z.string() }))
  .output(streamResponse)
  .query(({ ctx, input }) =>
    start(ctx.services, ctx.withTenant, input.set_id, {
      requestId: ctx.requestId,
      signal: ctx.disconnected(),
    }),
  );
