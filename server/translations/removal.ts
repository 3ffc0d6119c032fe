import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { WithOwningTenant } from '#server/access/guards/admin.ts';
import type { Services } from '#server/context.ts';
import { AppError, describeForLog } from '#server/errors.ts';
import { addJob } from '#server/job-queue.ts';
import { unlearnJob } from '#server/translation-memory/learning.ts';
import { formerGoldenUri, goldenUri } from './golden/record.ts';
import { isJob, selectTenantOfJob } from './jobs.ts';
import type { JobDeletion } from './schema.ts';

/** Seconds after which a worker removes what a crash may have left of a deleted job. */
const secondLookAfter = 60;

/**
 * Deletes a job. The row goes first: a run in flight then finds no job and removes its own golden record. The golden records go next; a task
 * that the same transaction adds removes what is left if the process dies in between. The usage record stays (A 2.5).
 * @throws AppError 404
 */
export async function removeJob(
  services: Pick<Services, 'log' | 'storage'>,
  withOwningTenant: WithOwningTenant,
  jobId: string,
): Promise<JobDeletion> {
  const removed = await withOwningTenant(
    async (tx, tenantId) => {
      const job = await deleteJob(tx, tenantId, jobId);
      if (!job) throw new AppError('not_found', 'job not found');
      const pairs = await unlearnJob(tx, tenantId, jobId);
      const { attempt } = job;
      await addJob(
        tx,
        'remove_golden_records',
        { tenantId, jobId, attempt },
        { key: `remove_golden_records:${jobId}`, afterSeconds: secondLookAfter },
      );
      return { tenantId, attempt, pairs };
    },
    (tx) => selectTenantOfJob(tx, jobId),
  );
  if (!removed) throw new AppError('not_found', 'job not found');
  return {
    deleted: true,
    job_id: jobId,
    records_removed: 1,
    artifacts_removed: 0,
    // Best effort: the task tries again if the store is out of reach.
    golden_records_deleted: await removeGoldenRecords(services, { ...removed, jobId }).catch((error) => {
      services.log.warn({ job_id: jobId, error: describeForLog(error) }, 'golden records not removed yet');
      return 0;
    }),
    tm_pairs_removed: removed.pairs,
  };
}

/**
 * Removes the golden records of all attempts of a deleted job.
 * @returns how many there were
 * @throws the store's error, so that the task is retried
 */
export async function removeGoldenRecords(
  { storage }: Pick<Services, 'storage'>,
  { tenantId, jobId, attempt }: { tenantId: string; jobId: string; attempt: number },
): Promise<number> {
  let count = 0;
  for (let n = 1; n <= attempt; n++)
    for (const uri of [goldenUri(jobId, n), formerGoldenUri(jobId, n)])
      if (await storage.remove(`${tenantId}/${uri}`)) count += 1;
  return count;
}

/** Deletes a job's row. @returns its last attempt; undefined if there was no such job */
async function deleteJob(tx: Tx, tenantId: string, jobId: string): Promise<{ attempt: number } | undefined> {
  const [row] = await tx
    .delete(translationJobs)
    .where(isJob(tenantId, jobId))
    .returning({ attempt: translationJobs.attempt });
  return row;
}
