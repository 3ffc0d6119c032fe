import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { countWaiting, type WaitingDocuments } from '#server/documents/summary.ts';
import { remembered } from './bounded-reading.ts';

/** Work in the database that is queued or in progress. */
export interface QueueState {
  tasks: TaskState[];
  jobs: { kind: 'text' | 'document'; status: string; jobs: number }[];
  /** Documents that wait until an outage ends. */
  outages: WaitingDocuments[];
}

/** The background jobs of one task. */
export interface TaskState {
  task: string;
  /** Jobs that have attempts left and that no worker is running, including the next two kinds. */
  waiting: number;
  /** Jobs that have not been tried yet and may not start yet. */
  scheduled: number;
  /** Jobs whose last attempt failed and that have attempts left. */
  retrying: number;
  running: number;
  /** Jobs without attempts left. */
  failed: number;
  /** Seconds for which the oldest job that may start has been waiting. */
  oldestSeconds: number;
}

/** Milliseconds for which a result is cached. */
const maximumAge = 5000;

/**
 * Maximum jobs that are counted for each state of unfinished jobs. With a limit, a long backlog does not make the
 * count slow.
 */
const maxPerState = 10_000;

/**
 * Maximum background jobs that are read, over all tasks. There is no limit for each task, because no index of
 * graphile-worker begins with the task: each task would need its own pass over the queue, and a pass over a million
 * jobs takes almost a second.
 */
const maxQueued = 1_000_000;

/** Each count uses a separate index that contains only the rows of unfinished jobs. */
const unfinished = [
  { kind: 'text', table: 'translation_jobs', status: 'pending' },
  { kind: 'text', table: 'translation_jobs', status: 'approved' },
  { kind: 'text', table: 'translation_jobs', status: 'persistence_failed' },
  { kind: 'document', table: 'document_jobs', status: 'queued' },
  { kind: 'document', table: 'document_jobs', status: 'extracted' },
] as const;

/** Returns a function that counts the jobs of the queue and the unfinished jobs of all tenants. Its cost is limited. */
export function watchQueue(database: Database): () => Promise<QueueState> {
  return remembered(maximumAge, () => readQueue(database));
}

/** Counts the jobs of the queue and the unfinished jobs of all tenants. */
export function readQueue(database: Database): Promise<QueueState> {
  return database.inPlatform(async (tx) => {
    await tx.execute(sql`set local statement_timeout = '3s'`);
    const tasks = await tx.execute<TaskState & Record<string, unknown>>(sql`
      select task_identifier as task,
        count(*) filter (where locked_at is null and attempts < max_attempts)::int as waiting,
        count(*) filter (where locked_at is null and attempts = 0 and run_at > now())::int as scheduled,
        count(*) filter (where locked_at is null and attempts > 0 and attempts < max_attempts
          and last_error is not null)::int as retrying,
        count(*) filter (where locked_at is not null)::int as running,
        count(*) filter (where locked_at is null and attempts >= max_attempts)::int as failed,
        coalesce(greatest(0, extract(epoch from now() - min(run_at) filter
          (where locked_at is null and attempts < max_attempts and run_at <= now()))), 0)::float8 as "oldestSeconds"
      from (select * from graphile_worker.jobs limit ${maxQueued}) jobs group by 1`);
    const jobs = await tx.execute<QueueState['jobs'][number]>(
      sql.join(
        unfinished.map(
          ({ kind, table, status }) => sql`
            select ${kind}::text as kind, ${status}::text as status, count(*)::int as jobs from (
              select from ${sql.identifier(table)}
              where status = ${sql.raw(`'${status}'`)} limit ${maxPerState}) counted`,
        ),
        sql` union all `,
      ),
    );
    return { tasks: [...tasks], jobs: [...jobs], outages: await countWaiting(tx) };
  });
}
