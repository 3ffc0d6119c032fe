import type { Tx } from '#db/client.ts';
import { readBillingAccount } from '#server/billing/account.ts';
import { type Page, readCursor, writeCursor } from '#server/http/paging.ts';
import { tenantNotFound, type WithNamedTenant } from '#server/identity/access/guards/admin.ts';
import type { Settings } from '#server/settings.ts';
import { selectBilledTenant, selectCommittedUsage } from './committed-usage.ts';
import { sumOf } from './daily-usage.ts';
import { type PaymentState, paymentStateOf, refuseByPayment } from './entitlement.ts';
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

/**
 * Reports a tenant's usage in a billing period, with a page of the records, latest first.
 * @throws AppError 404, also if an administrator who is not an operator selects another tenant; 422
 */
export async function summarizePeriod(
  settings: Settings,
  withNamedTenant: WithNamedTenant,
  { tenant_id: named, period: asked, limit, cursor }: SummaryQuery,
): Promise<Page<UsageSummary>> {
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
      content: {
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
type AllowanceReport = Pick<UsageSummary, 'allowance' | 'topup' | 'trial'>;

/**
 * Reads the current allowance, whatever period is reported. The figures are the same that `usageCheck` counts, and
 * `remaining` is what payments leave of them: the rest of a free trial, or nothing without a subscription.
 * @throws AppError 404 if the tenant does not exist
 */
export async function readAllowance(tx: Tx, tenantId: string, settings: Settings): Promise<AllowanceReport> {
  const [tenant] = await selectBilledTenant(tx);
  if (!tenant) throw tenantNotFound();
  const payment = settings.BILLING_ENABLED ? paymentStateOf(tenant, settings) : null;
  const isOnTrial = payment !== null && isTrialOpen(payment);
  const [committed] = await selectCommittedUsage(tx, {
    tenantId,
    keys: '[]',
    staleSeconds: settings.STALE_PENDING_SECONDS,
    trialSince: isOnTrial ? tenant.createdAt.toISOString() : null,
    tokenLimit: null,
  });
  if (!committed) throw tenantNotFound();
  const account = readBillingAccount(tenant);
  const figures: AllowanceFigures = {
    ...committed,
    ceiling: settings.MONTHLY_CHAR_CEILING,
    topUp: payment?.subscription === 'current' ? committed.topUp : null,
  };
  const paid = payment
    ? paidCharacters({
        ...payment,
        trial: { ...payment.trial, used: committed.trialUsed, inFlight: committed.inFlight },
      })
    : Infinity;
  return {
    allowance: {
      window_start: windowStart(account.allowanceFrom),
      limit: effectiveLimit(figures),
      used: figures.windowUsed,
      reserved: figures.inFlight,
      remaining: Math.max(0, Math.min(remainingAllowance(figures), paid)),
    },
    trial: isOnTrial
      ? {
          granted: payment.trial.granted,
          used: committed.trialUsed,
          ends_at: new Date(payment.trial.endsAt).toISOString(),
        }
      : null,
    topup: {
      purchased: account.topUpPurchased,
      used: account.topUpUsed,
      balance: account.topUpPurchased - account.topUpUsed,
    },
  };
}

/** Whether a trial pays for the tenant's texts, until it is used up or has ended. */
function isTrialOpen({ subscription, trial }: PaymentState): boolean {
  return trial.granted > 0 && (subscription === 'none' || subscription === 'ended');
}

/** The characters that the tenant's payments cover, apart from its monthly allowance. */
function paidCharacters(payment: PaymentState): number {
  const text = { kind: 'text', credential: 'session', chars: 0 } as const;
  if (refuseByPayment(payment, text, Date.now()) !== null) return 0;
  const { granted, used, inFlight } = payment.trial;
  return isTrialOpen(payment) ? granted - used - inFlight : Infinity;
}

/** The start of the UTC month, or the moment when the current plan took effect, whichever is later. */
function windowStart(allowanceFrom: string | null): string {
  const now = new Date();
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const plan = Date.parse(allowanceFrom ?? '');
  return new Date(plan > month ? plan : month).toISOString();
}
