import { z } from 'zod';
import { sendPage } from '#server/http/paging.ts';
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
          'The range has at most 366 days in UTC, including its first and last day; the default is the last 30 days. Administrators get the usage of their tenant, without tokens. Operators get the usage of the tenant in `tenant_id`, or the sum over all tenants, with tokens.',
      },
    })
    .input(
      z.object({
        from: calendarDate
          .optional()
          .describe('The first day of the range. Default: 29 days before the last day.'),
        to: calendarDate.optional().describe('The last day of the range, which is included. Default: today.'),
        tenant_id: z
          .string()
          .optional()
          .describe(
            'For operators: the tenant; if omitted, the sum over all tenants. Administrators get their own tenant.',
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
          'The default is the current period. Records are sorted by time, latest first. If there are more, X-Next-Cursor has the cursor of the next page. If the operator limits the age of records, older records are missing, and the sums include them. Only operators get token counts and models.',
      },
    })
    .input(
      z.object({
        tenant_id: z.string().describe('The ID of the tenant.'),
        period: period.optional(),
        ...recordPage,
      }),
    )
    .output(usageSummary)
    .query(async ({ ctx, input }) => {
      const { services, withNamedTenant, response } = ctx;
      return sendPage(response, await summarizePeriod(services.settings, withNamedTenant, input));
    }),

  export: adminProcedure
    .meta({
      route: {
        method: 'GET',
        path: '/api/tenants/{tenant_id}/billing/export',
        tag: 'Usage',
        summary: 'Export the usage ledger of a billing period',
        description:
          'The default is the current period. Records are sorted by time, oldest first; those written after the start of the export are not included. If the operator limits the age of records, older records are missing. Only operators get token counts and models.',
        download: Object.values(exportTexts).map(({ contentType }) => contentType),
      },
    })
    .input(
      z.object({
        tenant_id: z.string().describe('The ID of the tenant.'),
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
