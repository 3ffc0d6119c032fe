import type { EnterAdmin } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { addJob } from '#server/jobs.ts';
import { unlearnJob } from '#server/translation-memory/service.ts';
import { removeGolden } from './golden/persist.ts';
import { goldenUri } from './golden/record.ts';
import { selectTenantOfJob } from './queries/reading.ts';
import { deleteJob } from './queries/removal.ts';
import type { JobDeletion } from './schema.ts';

/** Seconds after which a worker looks for what a crash may have left of a deleted job. */
const secondLookAfter = 60;

/**
 * Deletes a job, its row first: a run that is still under way then finds no job, and takes its own golden record back.
 * The usage record stays (A 2.5). The golden records go right after; a background job that the same transaction adds
 * goes over them again, should the process die in between.
 * @throws AppError 404
 */
export async function removeJob(services: Services, enter: EnterAdmin, jobId: string): Promise<JobDeletion> {
  const removed = await enter(
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
    golden_records_deleted: await removeGoldenRecords(services, { ...removed, jobId }),
    tm_pairs_removed: removed.pairs,
  };
}

/** Removes the golden records of every attempt of a deleted job, and answers how many there were. */
export async function removeGoldenRecords(
  services: Services,
  { tenantId, jobId, attempt }: { tenantId: string; jobId: string; attempt: number },
): Promise<number> {
  let count = 0;
  for (let n = 1; n <= attempt; n++)
    if (await removeGolden(services, tenantId, jobId, goldenUri(jobId, n))) count += 1;
  return count;
}
