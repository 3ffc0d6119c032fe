import type { Tx } from '#db/client.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { isInAccount, type LocatingServices, locate } from '#server/storage/destination.ts';
import { type GoldenRecord, type RecordedJobs, writeOnPlatform } from './golden-records.ts';

/**
 * Writes a record again. In an account, it replaces the former one. In platform storage, the row then refers to the new
 * record, and the former one is removed. If a process dies before that, the row still refers to the former record, and
 * `checkGoldenRecords` removes the new one.
 * @returns false if the row has changed in the meantime, or if the account was disconnected
 * @throws the error of the store; AppError 409 storage_binding_not_verified
 */
export async function rewriteRecord(
  services: LocatingServices,
  kind: RecordedJobs,
  record: GoldenRecord,
): Promise<boolean> {
  const { tenantId, jobId, uri: from } = record;
  if (isInAccount(from)) {
    const place = await locate(services, tenantId, from);
    await place?.store.put(place.path, record.content);
    return place !== null;
  }
  const { address: to } = await writeOnPlatform(services, record);
  if (to === from) return true;
  const moved = await services.database.inTenant(tenantId, async (tx) => {
    if (!(await kind.relocate(tx, tenantId, jobId, { from, to }))) return false;
    await removeFormerLater(tx, tenantId, jobId, from);
    return true;
  });
  // Otherwise another process has written the record to the same path. If no row refers to it, the check of announced
  // records removes it.
  if (moved) await services.storage.remove(`${tenantId}/${from}`);
  return moved;
}

/** Queues a task that removes the former record of a job, in case the process dies before it does so. */
function removeFormerLater(tx: Tx, tenantId: string, jobId: string, goldenUri: string): Promise<void> {
  const key = `remove_golden_records:${jobId}:${goldenUri}`;
  return addJob(tx, 'remove_golden_records', { tenantId, jobId, goldenUri }, { key, afterSeconds: 60 });
}
