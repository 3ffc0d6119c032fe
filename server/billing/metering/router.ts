import { z } from 'zod';
import { adminProcedure } from '#server/identity/access/guards/admin.ts';
import { router, streamResponse } from '#server/trpc.ts';
import { reportDaily } from './daily-usage.ts';
import { exportPeriod, exportTexts } from './ledger-export.ts';
import { calendarDate, dailyUsage, exportFormat, period, recordPage, usageSummary } from './schema.ts';
import { summarizePeriod } from './usage-summary.ts';

export const usageRouter = router({
  daily: adminProcedure
    .meta({
      route: {
        method: 'GET',
        path: '/api/tenants/usage/daily',
        tag: 'Usage',
        summary: 'Usage per day',
        description:
          'Days in UTC, both ends counted, 366 at most; the last 30 where nothing is said. An administrator sees its own tenant, characters only; an operator the tenant that it names, or the sum over all, with tokens.',
      },
    })
    .input(
      z.object({
        from: calendarDate
          .optional()
          .describe('The first day, included; by default 29 days before the last.'),
        to: calendarDate
          .optional()
          .describe('The last day, included; today by default. At most 366 days after the first.'),
        tenant_id: z
          .string()
          .optional()
          .describe('The tenant, for an operator; without it, the sum over all. An administrator has one.'),
      }),
    )
    .output(dailyUsage)
    .query(({ ctx, input }) => reportDaily(ctx, input)),

  summary: adminProcedure
    .meta({
      route: {
        method: 'GET',
        path: '/api/tenants/{tenant_id}/billing',
        tag: 'Usage',
        summary: 'Usage in a billing period',
        paged: true,
        description:
          'Of the current period where none is named; records newest first. While there are more, X-Next-Cursor carries the next cursor. Token counters and models are an operator’s.',
      },
    })
    .input(
      z.object({
        tenant_id: z.string().describe('The id of the tenant.'),
        period: period.optional(),
        ...recordPage,
      }),
    )
    .output(usageSummary)
    .query(async ({ ctx, input }) => {
      const { services, withNamedTenant, response } = ctx;
      const { summary, nextCursor } = await summarizePeriod(services.settings, withNamedTenant, input);
      if (nextCursor) response.setHeader('X-Next-Cursor', nextCursor);
      return summary;
    }),

  export: adminProcedure
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
    .input(
      z.object({
        tenant_id: z.string().describe('The id of the tenant.'),
        format: exportFormat,
        period: period.optional(),
      }),
    )
    .output(streamResponse)
    .query(({ ctx, input }) => {
      const { services, withNamedTenant, requestId } = ctx;
      return exportPeriod(services, withNamedTenant, input, { requestId, signal: ctx.disconnected() });
    }),
});
