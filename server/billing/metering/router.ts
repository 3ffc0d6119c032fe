import { z } from 'zod';
import { adminProcedure } from '#server/identity/access/guards/admin.ts';
import { administratorSessionProcedure } from '#server/identity/access/guards/session.ts';
import { router, streamResponse } from '#server/trpc.ts';
import { reportDaily } from './daily-usage.ts';
import { exportPeriod, exportTexts } from './ledger-export.ts';
import { calendarDate, dailyUsage, exportFormat, period, recordPage, usageSummary } from './schema.ts';
import { breakDownUsage, breakdownField, reportRange, usageBreakdown } from './usage-breakdown.ts';
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
          'Days in UTC, at most 366, first and last day included; the last 30 by default. An administrator sees its own tenant, without tokens; an operator the tenant that it names, or the sum over all, with tokens.',
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
          .describe(
            'The tenant, for an operator; without it, the sum over all. Administrators get their own.',
          ),
      }),
    )
    .output(dailyUsage)
    .query(({ ctx, input }) => reportDaily(ctx, input)),

  /** Has no route, so only /trpc serves it. */
  breakdown: administratorSessionProcedure
    .input(reportRange.unwrap().extend({ by: breakdownField }))
    .output(usageBreakdown)
    .query(({ ctx, input }) => ctx.asAdministrator((tx, { tenant }) => breakDownUsage(tx, tenant.id, input))),

  summary: adminProcedure
    .meta({
      route: {
        method: 'GET',
        path: '/api/tenants/{tenant_id}/billing',
        tag: 'Usage',
        summary: 'Usage in a billing period',
        paged: true,
        description:
          'The current period by default; records latest first. X-Next-Cursor has the next cursor if there are more. Only operators get token counters and models.',
      },
    })
    .input(
      z.object({
        tenant_id: z.string().describe("The tenant's id."),
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
          'The current period by default; oldest record first, up to the latest at the start of the export. Only operators get token counters, models and the list of models.',
        download: Object.values(exportTexts).map(({ contentType }) => contentType),
      },
    })
    .input(
      z.object({
        tenant_id: z.string().describe("The tenant's id."),
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
