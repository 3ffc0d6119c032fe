import { deferredTenantProcedure } from '#server/access/service.ts';
import { streamResponse } from '#server/trpc.ts';
import { goldenExportQuery } from '../schema.ts';
import { exportGolden as start } from '../service.ts';

export const exportGolden = deferredTenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm/export/golden',
      tag: 'Translation memory',
      summary: 'Export the approved pairs of a language pair as TMX 1.4b',
      download: ['application/xml'],
    },
  })
  .input(goldenExportQuery)
  .output(streamResponse)
  .query(({ ctx, input }) =>
    start(ctx.services, ctx.withTenant, input, { requestId: ctx.requestId, signal: ctx.disconnected() }),
  );
