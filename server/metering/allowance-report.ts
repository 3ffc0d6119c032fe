import type { Tx } from '#db/client.ts';
import { tenantNotFound } from '#server/access/service.ts';
import { readBillingAccount, standingOf } from '#server/billing/service.ts';
import type { Settings } from '#server/settings.ts';
import { type AllowanceFigures, reachOf, roomOf } from './allowance.ts';
import { selectBilledTenant, selectCommitted } from './queries/admission.ts';
import type { UsageSummary } from './schema.ts';

/** What a tenant may still use, in the current allowance window (A 8.2). */
export type AllowanceReport = Pick<UsageSummary, 'allowance' | 'topup'>;

/**
 * Reads it in a transaction in the tenant, whichever period is asked for beside it: what admission would count now.
 * @throws AppError 404 where there is no such tenant
 */
export async function readAllowance(tx: Tx, tenantId: string, settings: Settings): Promise<AllowanceReport> {
  const [[tenant], [committed]] = await Promise.all([
    selectBilledTenant(tx),
    selectCommitted(tx, {
      tenantId,
      keys: '[]',
      staleSeconds: settings.STALE_PENDING_SECONDS,
      trialSince: null,
    }),
  ]);
  if (!tenant || !committed) throw tenantNotFound();
  const account = readBillingAccount(tenant);
  const topUpCounts = settings.BILLING_ENABLED && standingOf(account.subscriptionStatus) === 'current';
  const figures: AllowanceFigures = {
    ...committed,
    ceiling: settings.MONTHLY_CHAR_CEILING,
    topUp: topUpCounts ? committed.topUp : null,
  };
  return {
    allowance: {
      window_start: windowStart(account.allowanceFrom),
      limit: reachOf(figures),
      used: figures.windowUsed,
      reserved: figures.inFlight,
      remaining: Math.max(0, roomOf(figures)),
    },
    topup: {
      purchased: account.topUpPurchased,
      used: account.topUpUsed,
      balance: account.topUpPurchased - account.topUpUsed,
    },
  };
}

/** The later of the UTC month's start and the moment the current plan took effect (A 8.2 rule 3). */
function windowStart(allowanceFrom: string | null): string {
  const now = new Date();
  const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const plan = Date.parse(allowanceFrom ?? '');
  return new Date(plan > month ? plan : month).toISOString();
}
