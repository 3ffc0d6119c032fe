import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';

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
export function failedRunSecondsAllowed(settings: Limit): number | null {
  const share = secondsPerFailedRun(settings);
  return share === null ? null : hour - share / 2;
}

/**
 * The error for a tenant whose runs failed too often; null for other tenants.
 * @param failedFor seconds on the tenant's account; null if no run has failed
 */
export function refuseByFailedRuns(settings: Limit, failedFor: number | null): AppError | null {
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
