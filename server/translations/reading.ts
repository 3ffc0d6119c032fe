import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { readCursor, writeCursor } from '#server/paging.ts';
import { selectJob, selectJobs } from './queries/reading.ts';
import type { JobStatus, TranslationJob } from './schema.ts';

/** @throws AppError 404 for an unknown, foreign or deleted id alike */
export async function getJob(tx: Tx, tenantId: string, jobId: string): Promise<TranslationJob> {
  const job = await selectJob(tx, tenantId, jobId);
  if (!job) throw new AppError('not_found', 'job not found');
  return job;
}

export interface JobPage {
  jobs: TranslationJob[];
  nextCursor: string | null;
}

/** A page of the tenant's jobs, newest updated_at first. `limit` is 1 to 200; long jobs make a shorter page. */
export async function listJobs(
  tx: Tx,
  tenantId: string,
  query: { status?: JobStatus | undefined; limit: number; cursor?: string | undefined },
): Promise<JobPage> {
  const { status, limit, cursor } = query;
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const { jobs, more } = await selectJobs(tx, { tenantId, status, limit, after });
  const last = jobs.at(-1);
  return { jobs, nextCursor: more && last ? writeCursor(last) : null };
}
