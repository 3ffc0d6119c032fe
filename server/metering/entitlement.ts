import type { Tx } from '#db/client.ts';
import { readBillingAccount, subscriptionStateOf } from '#server/billing/service.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import { type CommittedUsage, selectBilledTenant, type UsageLimits } from './committed-usage.ts';
import { failedRunSecondsAllowed, refuseByFailedRuns } from './failed-run-rate.ts';
import { type Remedies, refuseByAllowance } from './monthly-allowance.ts';
import { type BillableRequest, type PaymentState, refuseByPayment } from './payment-gate.ts';

/** A tenant as billing knows it. */
export interface BilledTenant {
  monthlyCharLimit: number;
  metadata: Record<string, unknown>;
  createdAt: Date;
}

/** The gates of billable work, open for one submission: what to count it against, and what the count means. */
export interface EntitlementCheck {
  limits: UsageLimits;
  /** Whether the trial grant pays for it. */
  onTrial: boolean;
  /** Whether its completion has to look if it took prepaid characters. */
  drawsTopUp(figures: CommittedUsage): boolean;
  /** The refusal that the counted figures mean; null where the work fits. */
  refusal(figures: CommittedUsage): AppError | null;
}

/**
 * Reads the tenant of a transaction for `openAdmission`. Without billing nothing but its limit matters, which the count
 * itself reads: then nothing is asked.
 */
export async function readBilledTenant(tx: Tx, settings: Settings): Promise<BilledTenant | undefined> {
  if (!settings.BILLING_ENABLED) return undefined;
  const [tenant] = await selectBilledTenant(tx);
  return tenant;
}

/**
 * The gates for work of any kind, in their order: payment (402), the monthly allowance (429), runs that failed too often
 * (429 with Retry-After). What can be refused without counting is refused here.
 * @param keys the idempotency keys of the work, whose own reservations do not count against it
 * @throws AppError 402
 */
export function checkEntitlement(
  settings: Settings,
  tenant: BilledTenant | undefined,
  request: BillableRequest,
  keys: readonly string[],
): EntitlementCheck {
  const payment = tenant && paymentStandingOf(tenant, settings);
  const uncounted = payment && refuseByPayment(payment, request, Date.now());
  if (uncounted) throw paymentRequired(uncounted);

  const subscribed = payment?.subscription === 'current';
  const trial =
    tenant && payment && !subscribed ? { granted: payment.trial.granted, since: tenant.createdAt } : null;
  const remedies: Remedies = { subscribed, topUpSold: settings.STRIPE_PRICE_TOPUP !== undefined };
  const ceiling = settings.MONTHLY_CHAR_CEILING;
  return {
    limits: {
      chars: request.chars,
      keys: JSON.stringify(keys),
      staleSeconds: settings.STALE_PENDING_SECONDS,
      monthBefore: ceiling - request.chars,
      topUpCeiling: subscribed ? ceiling : null,
      trialBefore: trial && trial.granted - request.chars,
      failedBefore: failedRunSecondsAllowed(settings),
      trialSince: trial?.since.toISOString() ?? null,
    },
    onTrial: trial !== null,
    drawsTopUp: ({ topUp }) => subscribed && topUp > 0,
    refusal({ trialUsed, topUp, failedFor, ...counted }) {
      const { inFlight } = counted;
      const unpaid =
        payment &&
        refuseByPayment(
          { ...payment, trial: { ...payment.trial, used: trialUsed, inFlight } },
          request,
          Date.now(),
        );
      if (unpaid) return paymentRequired(unpaid);
      const figures = { ...counted, ceiling, topUp: subscribed ? topUp : null };
      const spent = refuseByAllowance(figures, remedies, request.chars);
      if (spent !== null) return new AppError('too_many_requests', spent);
      return refuseByFailedRuns(settings, failedFor);
    },
  };
}

function paymentStandingOf(tenant: BilledTenant, { TRIAL_DAYS }: Settings): PaymentState {
  const { subscriptionStatus, trialCharsGranted } = readBillingAccount(tenant);
  return {
    subscription: subscriptionStateOf(subscriptionStatus),
    trial: {
      granted: trialCharsGranted,
      endsAt: tenant.createdAt.getTime() + TRIAL_DAYS * 86_400_000,
      used: 0,
      inFlight: 0,
    },
  };
}

function paymentRequired(detail: string): AppError {
  return new AppError('payment_required', detail);
}
