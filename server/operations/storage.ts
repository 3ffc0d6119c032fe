import type { Services } from '#server/context.ts';
import { inTime } from '#server/observability/bounded-reading.ts';
import { readMaintenance } from '#server/observability/deployment-state.ts';
import { countParkedJobs } from '#server/storage/parked-job-replays.ts';
import { readLargestWorkspaces } from '#server/storage/usage.ts';
import type { StorageView } from './schema.ts';

/** The providers by the protocol of PLATFORM_STORAGE_URL. */
const providers: Readonly<Record<string, StorageView['provider']>> = { https: 'datalake', s3: 's3' };

/** Number of workspaces in the list. */
const maxListed = 20;

/**
 * Reads the state of platform storage, the workspaces with the most files, and the ages of the recurring tasks and of
 * the backup. Storage that does not respond does not make this fail.
 */
export async function viewStorage({
  database,
  settings,
  storage,
}: Pick<Services, 'database' | 'settings' | 'storage'>): Promise<StorageView> {
  const [isUp, space] = await Promise.all([
    inTime(storage.check()).then(
      () => true,
      () => false,
    ),
    inTime(storage.space()).catch(() => null),
  ]);
  return database.inPlatform(async (tx) => {
    const stored = await readLargestWorkspaces(tx, settings, maxListed);
    const maintenance = await readMaintenance(tx);
    return {
      provider: providers[settings.PLATFORM_STORAGE_URL?.split(':', 1)[0] ?? ''] ?? 'directory',
      up: isUp,
      free_bytes: space?.freeBytes ?? null,
      total_bytes: space?.totalBytes ?? null,
      parked_jobs: await countParkedJobs(tx),
      document_bytes: stored.bytes,
      document_files: stored.objects,
      workspaces: stored.workspaces.map(({ tenantId, name, bytes, objects, allowed }) => ({
        tenant_id: tenantId,
        name,
        bytes,
        files: objects,
        bytes_allowed: allowed,
      })),
      maintenance: maintenance.map(({ task, ageSeconds, everySeconds }) => ({
        task,
        age_seconds: ageSeconds,
        interval_seconds: everySeconds,
      })),
    };
  });
}
