import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { unlearnJob } from '#server/language/translation-memory/learning.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { removeGoldenLater, removeGoldenNow } from '#server/translation/records/golden-deletion.ts';
import { isJob, selectTenantOfJob } from './jobs.ts';
import type { JobDeletion } from './schema.ts';

/**
 * Deletes a job. The row is deleted first: a run in progress then finds no job, and removes its own golden record. The
 * golden records are removed next. The transaction that deletes the row also queues a task, which removes the records
 * that remain if the process dies in between. The usage record stays.
 * @param deleteAttached deletes what other modules store about the job, in the same transaction
 * @throws AppError 404
 */
export async function removeJob(
  services: LocatingServices & Pick<Services, 'log'>,
  withOwningTenant: WithOwningTenant,
  jobId: string,
  deleteAttached: (tx: Tx, tenantId: string) => Promise<void>,
): Promise<JobDeletion> {
  const removed = await withOwningTenant(
    async (tx, tenantId) => {
      const job = await deleteJob(tx, tenantId, jobId);
      if (!job) throw new AppError('not_found', 'job not found');
      await deleteAttached(tx, tenantId);
      const pairs = await unlearnJob(tx, tenantId, jobId);
      const deleted = { tenantId, jobId, ...job };
      await removeGoldenLater(tx, deleted);
      return { deleted, pairs };
    },
    (tx) => selectTenantOfJob(tx, jobId),
  );
  if (!removed) throw new AppError('not_found', 'job not found');
  return {
    deleted: true,
    job_id: jobId,
    records_removed: 1,
    artifacts_removed: 0,
    golden_records_deleted: await removeGoldenNow(services, removed.deleted),
    tm_pairs_removed: removed.pairs,
  };
}

/**
 * Deletes a job's row.
 * @returns the number of its last attempt and its golden record; undefined if the job does not exist
 */
async function deleteJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
): Promise<{ attempt: number; goldenUri: string | null } | undefined> {
  const [row] = await tx
    .delete(translationJobs)
    .where(isJob(tenantId, jobId))
    .returning({ attempt: translationJobs.attempt, goldenUri: translationJobs.goldenUri });
  return row;
}
