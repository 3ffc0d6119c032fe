import { z } from 'zod';
import { adminProcedure } from '#server/access/service.ts';
import { summarizePeriod } from '../reports/summary.ts';
import { period, recordPage, usageSummary } from '../schema.ts';

export const summary = adminProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tenants/{tenant_id}/billing',
      tag: 'Usage',
      summary: 'Usage in a billing period',
      description:
        'Of the current period where none is named; records newest first. While there are more, X-Next-Cursor carries the next cursor. Token counters and models are an operator’s.',
    },
  })
  .input(z.object({ tenant_id: z.string(), period: period.optional(), ...recordPage }))
  .output(usageSummary)
  .query(async ({ ctx, input }) => {
    const { services, withNamedTenant, response: answer } = ctx;
    const { summary, nextCursor } = await summarizePeriod(services.settings, withNamedTenant, input);
    if (nextCursor) answer.setHeader('X-Next-Cursor', nextCursor);
    return summary;
  });
