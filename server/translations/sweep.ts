import type { Tx } from '#db/client.ts';
import { advance } from './job-states.ts';
import { failStaleJobs, selectTenantsWithStaleJobs } from './queries.ts';

/** The tenants whose stale pending jobs the sweep has to mark (B 8 "Stale pending job"). Platform scope. */
export function tenantsWithStaleJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  return selectTenantsWithStaleJobs(tx, staleSeconds);
}

/** Marks one tenant's stale pending jobs failed, and answers how many. Doing it twice does nothing more. */
export function failStaleJobsOfTenant(tx: Tx, tenantId: string, staleSeconds: number): Promise<number> {
  advance('pending', 'failed');
  return failStaleJobs(tx, tenantId, staleSeconds, 'job interrupted by service restart');
}
