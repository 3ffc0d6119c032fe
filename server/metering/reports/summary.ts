import type { WithNamedTenant } from '#server/access/service.ts';
import { readCursor, writeCursor } from '#server/paging.ts';
import type { Settings } from '#server/settings.ts';
import { readAllowance } from '../allowance-report.ts';
import { selectRecords } from '../queries/records.ts';
import { selectMonthlyLimit } from '../queries/tenant-limit.ts';
import { selectDays } from '../queries/totals.ts';
import type { UsageSummary } from '../schema.ts';
import { billingPeriod } from './billing-period.ts';
import { sumOf } from './daily.ts';

export interface SummaryQuery {
  tenant_id: string;
  period?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface SummaryPage {
  summary: UsageSummary;
  nextCursor: string | null;
}

/**
 * A tenant's usage in a billing period (A 4.4, C 3), with its records, a page of them, the newest first.
 * @throws AppError 404, also for an ordinary administrator's foreign tenant; 422
 */
export async function summarizePeriod(
  settings: Settings,
  withNamedTenant: WithNamedTenant,
  { tenant_id: named, period: asked, limit, cursor }: SummaryQuery,
): Promise<SummaryPage> {
  const period = billingPeriod(asked);
  const after = cursor === undefined ? undefined : readCursor(cursor);
  return withNamedTenant({ named, foreign: 'not_found', missing: '' }, async (tx, tenantId, { operator }) => {
    const [monthlyCharLimit, days, { records, more }, allowance] = await Promise.all([
      selectMonthlyLimit(tx, tenantId),
      selectDays(tx, tenantId, { from: period.firstDay, to: period.lastDay }),
      selectRecords(tx, { tenantId, period, operator, limit, after }),
      readAllowance(tx, tenantId, settings),
    ]);
    const { jobs, source_chars, billable_chars } = sumOf(days);
    const last = records.at(-1);
    return {
      summary: {
        tenant_id: tenantId,
        billing_period: period.name,
        jobs,
        source_chars,
        billable_chars,
        monthly_char_limit: monthlyCharLimit,
        ...allowance,
        records,
      },
      nextCursor: more && last ? writeCursor({ updated_at: last.recorded_at, id: last.job_id }) : null,
    };
  });
}
