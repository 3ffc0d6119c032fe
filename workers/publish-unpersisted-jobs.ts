import type { Services } from '#server/context.ts';
import { publishUnpersistedJobs } from '#server/translations/golden/pending-persistence.ts';

/** Publishes one tenant's parked jobs (B 3.1 persistence_failed). */
export async function publishUnpersisted(
  services: Services,
  { tenantId }: { tenantId: string },
): Promise<void> {
  const replay = await publishUnpersistedJobs(services, tenantId);
  services.log.info({ tenant_id: tenantId, ...replay }, 'unpersisted jobs tried again');
}
