import type { Services } from '#server/context.ts';
import { failStaleJobsOfTenant } from '#server/translations/stale-sweep.ts';

/** Marks one tenant's stale pending jobs failed (B 8 "Stale pending job"). */
export async function failStaleJobs(
  { database, settings, log }: Services,
  { tenantId }: { tenantId: string },
): Promise<void> {
  const failed = await failStaleJobsOfTenant(database, tenantId, settings.STALE_PENDING_SECONDS);
  if (failed > 0) log.warn({ tenant_id: tenantId, jobs: failed }, 'stale pending jobs marked failed');
}
