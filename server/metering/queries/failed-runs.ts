import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** Hours that may be on the account: runs that were under way already when it was full must not close it for the day. */
const mostHours = 2;

/** Puts a failed run's share of an hour, in seconds, on its tenant's account. */
export function addFailedRun(tx: Tx, tenantId: string, share: number): PromiseLike<unknown> {
  return tx.execute(sql`
    update tenants set failed_runs_until = least(
      greatest(failed_runs_until, now()) + make_interval(secs => ${share}), now() + make_interval(hours => ${mostHours}))
    where tenant_id = ${tenantId}`);
}
