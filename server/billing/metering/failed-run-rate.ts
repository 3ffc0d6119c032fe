import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';

/**
 * Limits how often a tenant's runs of the live engine may fail: no one pays for a failed run, but the operator pays
 * the model. Each failed run adds its share of an hour to the tenant's account (`tenants.failed_runs_until`), which
 * decreases with time. A tenant with a full hour on the account cannot start work. The account is in the database, so
 * MAX_FAILED_RUNS_PER_HOUR holds over all processes. After an outage of the model, when every run failed, work
 * continues as soon as a few shares have expired: at most six.
 */
const hour = 3600;

type Limit = Pick<Settings, 'MAX_FAILED_RUNS_PER_HOUR'>;

/** Seconds that one failed run adds to the account; null if failed runs are not limited. */
export function secondsPerFailedRun({ MAX_FAILED_RUNS_PER_HOUR: max }: Limit): number | null {
  return max === 0 ? null : hour / max;
}

/**
 * Seconds with which a tenant's account still allows new work; null if failed runs are not limited. Half a share
 * below the hour, so that rounding does not matter.
 */
export function failedRunSecondsAllowed(settings: Limit): number | null {
  const share = secondsPerFailedRun(settings);
  return share === null ? null : hour - share / 2;
}

/**
 * The rejection of a tenant whose runs have failed too often; null for any other.
 * @param failedFor seconds on its account; null if no run has failed
 */
export function refuseByFailedRuns(settings: Limit, failedFor: number | null): AppError | null {
  const allowed = failedRunSecondsAllowed(settings);
  if (allowed === null || failedFor === null || failedFor <= allowed) return null;
  return new AppError(
    'rate_limit',
    `too many failed runs (limit: ${settings.MAX_FAILED_RUNS_PER_HOUR} per hour); try again later`,
    { retryAfter: Math.max(1, failedFor - allowed) },
  );
}

/**
 * The account's maximum in seconds. Runs that fail beyond the hour, at the same time or in an outage of the model,
 * count as at most five, and never as more than half an hour: that is how long the tenant waits although runs would
 * succeed again.
 */
const fullest = (share: number): number => hour + Math.min(5 * share, hour / 2);

/** Adds a failed run to its tenant's account. @param share seconds, see `secondsPerFailedRun` */
export function recordFailedRun(tx: Tx, tenantId: string, share: number): PromiseLike<unknown> {
  return tx.execute(sql`
    update tenants set failed_runs_until = least(
      greatest(failed_runs_until, now()) + make_interval(secs => ${share}), now() + make_interval(secs => ${fullest(share)}))
    where tenant_id = ${tenantId}`);
}
