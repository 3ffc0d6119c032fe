import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

const hour = 3600;

/**
 * Seconds that may be on the account. What fails beyond the hour, at once or in an outage of the model, is remembered as five
 * runs at the most, and never as more than half an hour: so long work waits once runs would succeed again.
 */
const fullest = (share: number): number => hour + Math.min(5 * share, hour / 2);

/** Puts a failed run's share of an hour, in seconds, on its tenant's account. */
export function addFailedRun(tx: Tx, tenantId: string, share: number): PromiseLike<unknown> {
  return tx.execute(sql`
    update tenants set failed_runs_until = least(
      greatest(failed_runs_until, now()) + make_interval(secs => ${share}), now() + make_interval(secs => ${fullest(share)}))
    where tenant_id = ${tenantId}`);
}
