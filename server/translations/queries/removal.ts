import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { isJob } from './rows.ts';

/** Deletes a job's row, and answers its last attempt; nothing where there was no such job. */
export async function deleteJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
): Promise<{ attempt: number } | undefined> {
  const [row] = await tx
    .delete(translationJobs)
    .where(isJob(tenantId, jobId))
    .returning({ attempt: translationJobs.attempt });
  return row;
}
