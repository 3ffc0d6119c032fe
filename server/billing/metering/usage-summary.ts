import type { Tx } from '#db/client.ts';
import { readBillingAccount } from '#server/billing/account.ts';
import { subscriptionStateOf } from '#server/billing/subscription-state.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import { tenantNotFound, type WithNamedTenant } from '#server/identity/access/guards/admin.ts';
import type { Settings } from '#server/settings.ts';
import { selectBilledTenant, selectCommittedUsage } from './committed-usage.ts';
import { sumOf } from './daily-usage.ts';
import { type AllowanceFigures, effectiveLimit, remainingAllowance } from './monthly-allowance.ts';
import { billingPeriod } from './periods.ts';
import type { UsageSummary } from './schema.ts';
import { selectRecords } from './usage-ledger.ts';
import { selectDays, selectMonthlyLimit } from './usage-totals.ts';

interface SummaryQuery {
  tenant_id: string;
  period?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

interface SummaryPage {
  summary: UsageSummary;
  nextCursor: string | null;
}

/**
 * Reports a tenant's usage in a billing period, with a page of the records, latest first.
 * @throws AppError 404, also if an administrator who is not an operator selects another tenant; 422
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

/** The remaining allowance of a tenant in the current window. */
type AllowanceReport = Pick<UsageSummary, 'allowance' | 'topup'>;

/**
 * Reads the current allowance, whatever period is reported. The figures are the same that `usageCheck` counts.
 * @throws AppError 404 if the tenant does not exist
 */
export async function readAllowance(tx: Tx, tenantId: string, settings: Settings): Promise<AllowanceReport> {
  const [[tenant], [committed]] = await Promise.all([
    selectBilledTenant(tx),
    selectCommittedUsage(tx, {
      tenantId,
      keys: '[]',
      staleSeconds: settings.STALE_PENDING_SECONDS,
      trialSince: null,
      tokenLimit: null,
    }),
  ]);
  if (!tenant || !committed) throw tenantNotFound();
  const account = readBillingAccount(tenant);
  const topUpCounts =
    settings.BILLING_ENABLED && subscriptionStateOf(account.subscriptionStatus) === 'current';
  const figures: AllowanceFigures = {
    ...committed,
    ceiling: settings.MONTHLY_CHAR_CEILING,
    topUp: topUpCounts ? committed.topUp : null,
  };
  return {
    allowance: {
      window_start: windowStart(account.allowanceFrom),
      limit: effectiveLimit(figures),
      used: figures.windowUsed,
      reserved: figures.inFlight,
      remaining: Math.max(0, remainingAllowance(figures)),
    },
    topup: {
      purchased: account.topUpPurchased,
      used: account.topUpUsed,
      balance: account.topUpPurchased - account.topUpUsed,
    },
  };
}

/** The start of the UTC month, or the moment when the current plan took effect, whichever is later. */
function windowStart(allowanceFrom: string | null): string {
  const now = new Date();
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const plan = Date.parse(allowanceFrom ?? '');
  return new Date(plan > month ? plan : month).toISOString();
}
