import type { Services } from '#server/context.ts';
import { resumeDocuments } from '#server/documents/queue.ts';
import { addJob } from '#server/job-queue.ts';
import { foldUsage } from '#server/metering/daily-usage.ts';
import { embedWaiting } from '#server/translation-memory/embed-golden-sets.ts';
import { resumeImports } from '#server/translation-memory/imports/run-import.ts';
import { indexWaitingPairs } from '#server/translation-memory/index-pair.ts';
import { indexWaiting } from '#server/translation-memory/index-set.ts';
import { sweepUnusedVersions } from '#server/translation-memory/versions.ts';
import { tenantsWithUnpersistedJobs } from '#server/translations/golden/pending-persistence.ts';
import { tenantsWithStaleJobs } from '#server/translations/stale-sweep.ts';

/**
 * Finds unfinished work of all tenants. For stale and unpersisted jobs it adds one job per tenant, which writes in that
 * tenant's own scope.
 */
export async function sweepStaleJobs(services: Services): Promise<void> {
  const { database, settings } = services;
  const staleSeconds = settings.STALE_PENDING_SECONDS;
  await database.inPlatform(async (tx) => {
    for (const tenantId of await tenantsWithStaleJobs(tx, staleSeconds))
      await addJob(tx, 'fail_stale_jobs', { tenantId }, { key: `fail_stale_jobs:${tenantId}` });
    for (const tenantId of await tenantsWithUnpersistedJobs(tx, staleSeconds))
      await addJob(
        tx,
        'publish_unpersisted_jobs',
        { tenantId },
        { key: `publish_unpersisted_jobs:${tenantId}` },
      );
  });
  await foldUsage(database);
  await resumeImports(services, staleSeconds);
  await resumeDocuments(services, staleSeconds);
  await sweepUnusedVersions(services);
  await indexWaiting(services);
  await indexWaitingPairs(services);
  await embedWaiting(services);
}
