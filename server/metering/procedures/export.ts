import { z } from 'zod';
import { adminProcedure } from '#server/access/service.ts';
import { streamResponse } from '#server/trpc.ts';
import { exportPeriod } from '../reports/export.ts';
import { exportTexts } from '../reports/export-text.ts';
import { exportFormat, period } from '../schema.ts';

export const exportRecords = adminProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tenants/{tenant_id}/billing/export',
      tag: 'Usage',
      summary: 'Export the usage ledger of a billing period',
      description:
        'Of the current period where none is named; the oldest record first, up to the newest at the beginning of the export. Token counters, models and the model roster are an operator’s.',
      download: Object.values(exportTexts).map(({ contentType }) => contentType),
    },
  })
  .input(z.object({ tenant_id: z.string(), format: exportFormat, period: period.optional() }))
  .output(streamResponse)
  .query(({ ctx, input }) => {
    const { services, withNamedTenant, requestId } = ctx;
    return exportPeriod(services, withNamedTenant, input, { requestId, signal: ctx.disconnected() });
  });
