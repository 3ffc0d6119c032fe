import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { readBillingAccount, type SubscriptionState, subscriptionStateOf } from '#server/billing/account.ts';
import { billingNotice } from '#server/billing/capabilities.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';
import {
  type CommittedUsage,
  selectBilledTenant,
  selectCommittedUsage,
  type UsageLimits,
} from './committed-usage.ts';
import { type Remedies, refuseByAllowance } from './monthly-allowance.ts';
import { refuseByTokens, tokenLimitOf } from './token-limit.ts';

/** The columns of a tenant's row that billing reads. */
export interface BilledTenant {
  monthlyCharLimit: number;
  metadata: Record<string, unknown>;
  createdAt: Date;
}

/**
 * Checks in two steps whether a tenant may start billable work. First, `checkEntitlement` rejects the work if no usage
 * figures are needed for that. Then `usageCheck` counts usage and decides in the database, using `limits`.
 */
export interface EntitlementCheck {
  /** The parameters of `usageCheck`. */
  limits: UsageLimits;
  /** Whether the trial grant pays for the work. */
  onTrial: boolean;
  /** Whether completing the work may have taken prepaid characters. If so, `settleTopUp` must run. */
  drawsTopUp(usage: CommittedUsage): boolean;
  /** The error for work that exceeds a limit according to the counted usage; null if the work fits. */
  refusal(usage: CommittedUsage): AppError | null;
}

/**
 * Reads the tenant of the transaction for `checkEntitlement`. If billing is off, only the tenant's monthly limit
 * counts, and `usageCheck` reads it: this sends no statement and returns undefined.
 */
export async function readBilledTenant(tx: Tx, settings: Settings): Promise<BilledTenant | undefined> {
  if (!settings.BILLING_ENABLED) return undefined;
  const [tenant] = await selectBilledTenant(tx);
  return tenant;
}

/**
 * Checks payment (402), then the monthly allowance (429), then today's tokens and the rate of failed runs (429 with
 * Retry-After).
 * @param keys the idempotency keys of the work; existing jobs with these keys do not count against it
 * @throws AppError 402, if the work can be rejected without usage figures
 */
export function checkEntitlement(
  settings: Settings,
  tenant: BilledTenant | undefined,
  request: BillableRequest,
  keys: readonly string[],
): EntitlementCheck {
  const payment = tenant && paymentStateOf(tenant, settings);
  // Leave out the characters: the rest of the trial is only known after usage is counted.
  const unpaid = payment && refuseByPayment(payment, { ...request, chars: 0 }, Date.now());
  if (unpaid) throw paymentRequired(unpaid);

  const subscribed = payment?.subscription === 'current';
  const trial =
    tenant && payment && !subscribed ? { granted: payment.trial.granted, since: tenant.createdAt } : null;
  const remedies: Remedies = {
    canChangePlan: subscribed && billingNotice(settings) === null,
    topUpSold: settings.STRIPE_PRICE_TOPUP !== undefined,
  };
  const ceiling = settings.MONTHLY_CHAR_CEILING;
  // A document may be larger than the remaining allowance: it is admitted if any allowance remains. It may not exceed
  // the ceiling.
  const needed = request.kind === 'document' ? Math.min(request.chars, 1) : request.chars;
  return {
    limits: {
      chars: needed,
      keys: JSON.stringify(keys),
      staleSeconds: settings.STALE_PENDING_SECONDS,
      monthBefore: ceiling - request.chars,
      topUpCeiling: subscribed ? ceiling : null,
      trialBefore: trial && trial.granted - request.chars,
      failedBefore: failedRunSecondsAllowed(settings),
      tokenLimit: tokenLimitOf(settings),
      trialSince: trial?.since.toISOString() ?? null,
    },
    onTrial: trial !== null,
    drawsTopUp: ({ topUp }) => subscribed && topUp > 0,
    refusal({ trialUsed, topUp, failedFor, tokensSpent, tokensExpected, ...used }) {
      if (payment) {
        const counted = { ...payment.trial, used: trialUsed, inFlight: used.inFlight };
        const refused = refuseByPayment({ ...payment, trial: counted }, request, Date.now());
        if (refused) return paymentRequired(refused);
      }
      const figures = { ...used, ceiling, topUp: subscribed ? topUp : null };
      const exceeded = refuseByAllowance(figures, remedies, request.chars, needed);
      if (exceeded !== null) return new AppError('quota_exceeded', exceeded);
      const spent = refuseByTokens(tokenLimitOf(settings), { tokensSpent, tokensExpected }, Date.now());
      return spent ?? refuseByFailedRuns(settings, failedFor);
    },
  };
}

/**
 * Returns the error that the tenant of the transaction would get for billable work now; null if it may start.
 * @param tenant see `readBilledTenant`
 */
export async function findRefusal(
  tx: Tx,
  settings: Settings,
  { tenantId, tenant }: { tenantId: string; tenant: BilledTenant | undefined },
  request: BillableRequest,
  keys: readonly string[] = [],
): Promise<AppError | null> {
  try {
    const { limits, refusal } = checkEntitlement(settings, tenant, request, keys);
    const [usage] = await selectCommittedUsage(tx, { ...limits, tenantId });
    return usage ? refusal(usage) : null;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Returns the payments of a tenant, before usage is counted. */
export function paymentStateOf(
  tenant: BilledTenant,
  { TRIAL_DAYS }: Pick<Settings, 'TRIAL_DAYS'>,
): PaymentState {
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

/** A request for billable work. */
export interface BillableRequest {
  kind: 'text' | 'document';
  credential: 'session' | 'api_key';
  /** Weighted characters; at least 1. */
  chars: number;
}

/** The payments of a tenant. Characters are weighted, times are milliseconds since the epoch. */
export interface PaymentState {
  subscription: SubscriptionState;
  trial: {
    /** Characters granted; 0 without a grant. */
    granted: number;
    endsAt: number;
    used: number;
    inFlight: number;
  };
}

const subscribe = 'subscribe at /billing';

/**
 * Decides whether the tenant has paid for the work, with a current subscription or a trial grant. Called only if
 * billing is on. The rest of the trial is checked last, so that all other checks run without counting usage.
 * @returns null if the work may start, else the message of the 402
 */
export function refuseByPayment(
  { subscription, trial }: PaymentState,
  request: BillableRequest,
  now: number,
): string | null {
  if (subscription === 'current') return null;
  if (subscription === 'lapsed') return 'subscription is not current; update the payment method at /billing';
  if (trial.granted === 0) return `subscription required; ${subscribe}`;
  if (request.credential === 'api_key')
    return `the free trial covers the workspace only - API access requires an active subscription; ${subscribe}`;
  if (request.kind === 'document') return `subscription required; ${subscribe}`;
  if (now >= trial.endsAt) return `free trial ended; ${subscribe}`;
  if (trial.used >= trial.granted) return `free trial used up; ${subscribe}`;
  if (trial.used + trial.inFlight + request.chars > trial.granted)
    return `free trial has too few characters left; ${subscribe}`;
  return null;
}

/** The work that a tenant's payments cover in a session: everything, only texts (the free trial), or nothing. */
export const coverages = ['all', 'texts', 'none'] as const;

/**
 * Returns the work that the tenant of the transaction may start from a session. Usage is not counted: a trial that is
 * used up still covers texts. `all` if billing is off.
 */
export async function readCoverage(tx: Tx, settings: Settings): Promise<(typeof coverages)[number]> {
  const tenant = await readBilledTenant(tx, settings);
  if (!tenant) return 'all';
  const payment = paymentStateOf(tenant, settings);
  const isCovered = (kind: BillableRequest['kind']) =>
    refuseByPayment(payment, { kind, credential: 'session', chars: 0 }, Date.now()) === null;
  return isCovered('document') ? 'all' : isCovered('text') ? 'texts' : 'none';
}

/**
 * Limits how often a tenant's runs of the live engine may fail: no tenant pays for a failed run, but the operator pays
 * for the model. Each failed run adds 3600 / failed_runs_per_hour seconds, its share, to the tenant's account
 * (`tenants.failed_runs_until`). The seconds on the account expire with time. A tenant with 3600 s on the account
 * cannot start work. The account is in the database, so failed_runs_per_hour limits all processes together. After
 * an outage of the model, when every run failed, work continues as soon as a few shares have expired: at most six.
 */
const hour = 3600;

type Limit = Pick<Settings, 'WORKSPACE_LIMITS'>;

/** Seconds that one failed run adds to the account; null if failed runs are not limited. */
export function secondsPerFailedRun({ WORKSPACE_LIMITS }: Limit): number | null {
  const { failed_runs_per_hour: max } = WORKSPACE_LIMITS;
  return max === 0 ? null : hour / max;
}

/**
 * The highest number of seconds on a tenant's account with which new work may start; null if failed runs are not
 * limited. This is half a share less than an hour, so that rounding does not matter.
 */
function failedRunSecondsAllowed(settings: Limit): number | null {
  const share = secondsPerFailedRun(settings);
  return share === null ? null : hour - share / 2;
}

/**
 * The error for a tenant whose runs failed too often; null for other tenants.
 * @param failedFor seconds on the tenant's account; null if no run has failed
 */
function refuseByFailedRuns(settings: Limit, failedFor: number | null): AppError | null {
  const allowed = failedRunSecondsAllowed(settings);
  if (allowed === null || failedFor === null || failedFor <= allowed) return null;
  return new AppError(
    'rate_limit',
    `too many failed runs (limit: ${settings.WORKSPACE_LIMITS.failed_runs_per_hour} per hour); try again later`,
    { retryAfter: Math.max(1, failedFor - allowed) },
  );
}

/**
 * The maximum of the account, in seconds. Several runs can fail after the account has reached an hour: runs at the same
 * time, or all runs during an outage of the model. Together they add at most five shares and at most half an hour,
 * because these seconds block the tenant even if runs would succeed again.
 */
const fullest = (share: number): number => hour + Math.min(5 * share, hour / 2);

/**
 * Adds the shares of failed runs to the tenant's account.
 * @param share seconds, see `secondsPerFailedRun`
 */
export function recordFailedRun(tx: Tx, tenantId: string, share: number, runs = 1): PromiseLike<unknown> {
  return tx.execute(sql`
    update tenants set failed_runs_until = least(
      greatest(failed_runs_until, now()) + make_interval(secs => ${share * runs}), now() + make_interval(secs => ${fullest(share)}))
    where tenant_id = ${tenantId}`);
}
