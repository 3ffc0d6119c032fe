import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { type ActingOperator, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { readQueue, type TaskState } from '#server/observability/queue-state.ts';
import { findQueuedJob, listFailedJobs, retryFailedJobs } from '#server/platform/job-queue.ts';
import type { QueueView } from './schema.ts';

/** Maximum times that 1,000 jobs of a task are retried in one call. */
const maxRounds = 20;

/** Maximum failed jobs in the list. */
const maxListed = 100;

/** Counts the background jobs by task and state, and lists the jobs that failed latest. */
export async function viewQueue(database: Database): Promise<QueueView> {
  const { tasks } = await readQueue(database);
  const failed = await database.inPlatform(async (tx) => {
    await tx.execute(sql`set local statement_timeout = '3s'`);
    return listFailedJobs(tx, { limit: maxListed });
  });
  return {
    tasks: tasks.map(countsOf).sort((a, b) => (a.task < b.task ? -1 : 1)),
    failed: failed.map(({ id, task, tenantId, attempts, error, maxAttempts, ...job }) => ({
      id,
      task,
      tenant_id: tenantId,
      attempts,
      max_attempts: maxAttempts,
      last_attempt_at: job.lastAttemptAt.toISOString(),
      next_attempt_at: job.nextAttemptAt?.toISOString() ?? null,
      error,
    })),
  };
}

/** Each job counts once: `waiting` contains only jobs that a worker may take. */
function countsOf({ task, running, waiting, scheduled, retrying, failed, oldestSeconds }: TaskState) {
  return {
    task,
    running,
    waiting: waiting - scheduled - retrying,
    scheduled,
    retrying,
    failed,
    oldest_seconds: oldestSeconds,
  };
}

/** The failed jobs to retry: one, or all of a task. */
type RetrySelection = { jobId: string } | { task: string };

/**
 * Lets failed background jobs run again immediately. A job that a worker is running is not changed, and a job that was
 * retried before is not changed either.
 * @returns the number of retried jobs
 * @throws AppError 404 for an unknown job; 409 for a running job
 */
export async function retryBackgroundJobs(
  database: Database,
  selection: RetrySelection,
  by: ActingOperator,
): Promise<number> {
  if ('jobId' in selection) return retryOne(database, selection.jobId, by);
  let retried = 0;
  // Jobs may fail again in the meantime, so the number of rounds is limited.
  for (let round = 0; round < maxRounds; round++) {
    const count = await retryTask(database, selection.task, by);
    retried += count;
    if (count === 0) break;
  }
  return retried;
}

async function retryOne(database: Database, id: string, { admin, origin }: ActingOperator): Promise<number> {
  return database.inPlatform(async (tx) => {
    const job = await findQueuedJob(tx, id);
    if (!job) throw new AppError('not_found', 'there is no such background job; it may have completed');
    if (job.isRunning) throw new AppError('state_conflict', 'the background job is running');
    const retried = await retryFailedJobs(tx, { id });
    if (retried > 0)
      await recordAdministration(tx, origin, admin, {
        action: 'background_job_retried',
        tenantId: job.tenantId,
        target: id,
        details: { task: job.task },
      });
    return retried;
  });
}

/** Retries at most 1,000 jobs of a task, with one audit event for all of them. */
async function retryTask(
  database: Database,
  task: string,
  { admin, origin }: ActingOperator,
): Promise<number> {
  return database.inPlatform(async (tx) => {
    const jobs = await retryFailedJobs(tx, { task });
    if (jobs > 0)
      await recordAdministration(tx, origin, admin, {
        action: 'background_job_retried',
        tenantId: null,
        details: { task, jobs },
      });
    return jobs;
  });
}
