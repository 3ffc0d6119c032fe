import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { isInAccount, type LocatingServices, removeAt } from '#server/storage/destination.ts';
import { removeGolden } from './golden-records.ts';

/** A deleted job whose golden records must be removed. */
export interface DeletedJob {
  tenantId: string;
  jobId: string;
  /** The location of the record, from the job's row. */
  goldenUri: string | null;
}

/** Seconds after which a worker removes records of a deleted job again, in case a crash has left some. */
const secondLookAfter = 60;

/**
 * Queues a task that later removes the records of a deleted job again. Runs in the transaction that deletes the job.
 */
export async function removeGoldenLater(tx: Tx, job: DeletedJob): Promise<void> {
  // A document that is approved again and then deleted has two records: one task must not replace the other.
  // The end of the location identifies the record; a key has at most 512 characters.
  const key = `remove_golden_records:${job.jobId}:${job.goldenUri?.slice(-300)}`;
  await addJob(tx, 'remove_golden_records', job, { key, afterSeconds: secondLookAfter });
}

/**
 * Removes the golden records of a job that was just deleted. Best effort: the task queued by `removeGoldenLater` tries
 * again.
 * @returns the number of removed records
 */
export function removeGoldenNow(
  services: LocatingServices & Pick<Services, 'log'>,
  job: DeletedJob,
): Promise<number> {
  return removeGoldenRecords(services, job).catch((error: unknown) => {
    services.log.warn({ job_id: job.jobId, error: describeForLog(error) }, 'golden records not removed yet');
    return 0;
  });
}

/**
 * Removes the golden record to which the row of a deleted job referred. A record to which no row ever referred is removed
 * by `checkGoldenRecords`. A record in the tenant's own account is removed on a best-effort basis, if the binding allows it.
 * @returns the number of removed records
 * @throws the store's error, so that the task is retried
 */
export async function removeGoldenRecords(
  services: LocatingServices & Pick<Services, 'log'>,
  { tenantId, jobId, goldenUri: referred }: DeletedJob,
): Promise<number> {
  if (referred === null) return 0;
  const removed = isInAccount(referred)
    ? await removeGolden(services, tenantId, jobId, referred)
    : await removeAt(services, tenantId, referred);
  return removed ? 1 : 0;
}
