import { and, asc, eq, inArray, lt } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import type { WithOwningTenant } from '#server/identity/access/guards/admin.ts';
import { unlearnJob } from '#server/language/translation-memory/learning.ts';
import { removeGoldenLater, removeGoldenNow, removeGoldenRecords } from '#server/records/golden-deletion.ts';
import { isInAccount, type LocatingServices } from '#server/storage/destination.ts';
import { isJob, ofEachStatus, selectTenantOfJob, unknownJob } from './jobs.ts';
import type { JobDeletion, JobStatus } from './schema.ts';

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
      if (!job) throw unknownJob();
      await deleteAttached(tx, tenantId);
      const pairs = await unlearnJob(tx, tenantId, jobId);
      const deleted = { tenantId, jobId, ...job };
      await removeGoldenLater(tx, deleted);
      return { deleted, pairs };
    },
    (tx) => selectTenantOfJob(tx, jobId),
  );
  if (!removed) throw unknownJob();
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
 * @returns the URI of its golden record; undefined if the job does not exist
 */
async function deleteJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
): Promise<{ goldenUri: string | null } | undefined> {
  const [row] = await tx
    .delete(translationJobs)
    .where(isJob(tenantId, jobId))
    .returning({ goldenUri: translationJobs.goldenUri });
  return row;
}

/** The statuses of a job about which nothing is left to decide. */
export const finishedStatuses = ['published', 'human_edited', 'rejected', 'failed'] as const;

/** Jobs whose records are removed at the same time. */
const atOnce = 16;

/**
 * Deletes some finished jobs that have not changed since a time, with their golden records; TM segments and usage
 * records stay. The records are removed first: if the process dies then, the rows are found again.
 * @param deleteAttached deletes what other modules store about the jobs, in the same transaction
 * @returns the number of deleted jobs; 0 if none is left
 * @throws the error of platform storage
 */
export async function removeOldJobs(
  services: LocatingServices & Pick<Services, 'log'>,
  tenantId: string,
  { before, limit }: { before: Date; limit: number },
  deleteAttached: (tx: Tx, jobIds: readonly string[]) => Promise<void>,
): Promise<number> {
  const { database } = services;
  const isOld = (statuses: readonly JobStatus[]) =>
    and(
      eq(translationJobs.tenantId, tenantId),
      inArray(translationJobs.status, [...statuses]),
      lt(translationJobs.updatedAt, before),
    );
  const { jobId, goldenUri } = translationJobs;
  const jobs = await database.inTenant(tenantId, (tx) =>
    ofEachStatus(finishedStatuses, [asc(translationJobs.updatedAt)], limit, (status) =>
      tx
        .select({ jobId, goldenUri, updatedAt: translationJobs.updatedAt })
        .from(translationJobs)
        .where(isOld([status]))
        .$dynamic(),
    ),
  );
  for (let from = 0; from < jobs.length; from += atOnce)
    await Promise.all(
      jobs.slice(from, from + atOnce).map((job) => {
        const deleted = { tenantId, ...job };
        // An account of the tenant is tried once. Platform storage must not keep a record.
        return job.goldenUri && isInAccount(job.goldenUri)
          ? removeGoldenNow(services, deleted)
          : removeGoldenRecords(services, deleted);
      }),
    );
  if (jobs.length === 0) return 0;
  const ids = jobs.map((job) => job.jobId);
  return database.inTenant(tenantId, async (tx) => {
    const { count } = await tx
      .delete(translationJobs)
      .where(and(isOld(finishedStatuses), inArray(translationJobs.jobId, ids)));
    await deleteAttached(tx, ids);
    return count;
  });
}
