import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Settings } from '#server/settings.ts';

/**
 * Failed runs of the live engine are billed to nobody, and cost the operator what the model did. Each puts its share of an
 * hour on its tenant's account (`tenants.failed_runs_until`), which time pays off; a tenant with a full hour on it starts no
 * work. So MAX_FAILED_RUNS_PER_HOUR holds over all processes, and after an outage of the model, where every tenant's runs
 * failed, work goes on as soon as a few shares are paid off: six at the most.
 */
const hour = 3600;

type Limit = Pick<Settings, 'MAX_FAILED_RUNS_PER_HOUR'>;

/** Seconds that one failed run puts on the account; null where they are not limited. */
export function secondsPerFailedRun({ MAX_FAILED_RUNS_PER_HOUR: most }: Limit): number | null {
  return most === 0 ? null : hour / most;
}

/** Seconds that may be on the account of a tenant that starts work: half a share below the hour, whatever was rounded. */
export function failedRunSecondsAllowed(settings: Limit): number | null {
  const share = secondsPerFailedRun(settings);
  return share === null ? null : hour - share / 2;
}

/**
 * The refusal of a tenant whose runs have failed too often; null for any other.
 * @param failedFor seconds on its account; null where no run has failed
 */
export function refuseByFailedRuns(settings: Limit, failedFor: number | null): AppError | null {
  const bound = failedRunSecondsAllowed(settings);
  if (bound === null || failedFor === null || failedFor <= bound) return null;
  return new AppError(
    'rate_limit',
    `too many failed runs: at most ${settings.MAX_FAILED_RUNS_PER_HOUR} an hour may fail; try again later`,
    { retryAfter: Math.max(1, failedFor - bound) },
  );
}

/**
 * Seconds that may be on the account. What fails beyond the hour, at once or in an outage of the model, is remembered as five
 * runs at the most, and never as more than half an hour: so long work waits once runs would succeed again.
 */
const fullest = (share: number): number => hour + Math.min(5 * share, hour / 2);

/** Puts a failed run's share of an hour, in seconds, on its tenant's account. */
export function recordFailedRun(tx: Tx, tenantId: string, share: number): PromiseLike<unknown> {
  return tx.execute(sql`
    update tenants set failed_runs_until = least(
      greatest(failed_runs_until, now()) + make_interval(secs => ${share}), now() + make_interval(secs => ${fullest(share)}))
    where tenant_id = ${tenantId}`);
}
