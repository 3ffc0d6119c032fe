import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { countWaiting, type WaitingDocuments } from '#server/translation/documents/summary.ts';

/** Queued and unfinished work in the database. */
export interface QueueState {
  tasks: { task: string; waiting: number; running: number; failed: number; oldestSeconds: number }[];
  jobs: { kind: 'text' | 'document'; status: string; jobs: number }[];
  /** Documents that wait for the end of an outage. */
  outages: WaitingDocuments[];
}

/** Milliseconds for which a result is cached: several tools may request the metrics. */
const maximumAge = 5000;

/** The maximum count of unfinished jobs per state, so that a backlog does not make its own count expensive. */
const maxPerState = 10_000;

/**
 * The maximum number of background jobs that are read, of all tasks together. No index of graphile-worker has the
 * task first, so a limit for each task would need one pass over the queue per task; one pass over a million jobs
 * takes less than a second.
 */
const maxQueued = 1_000_000;

/** Each from a separate index, which has only the rows of unfinished jobs. */
const unfinished = [
  { kind: 'text', table: 'translation_jobs', status: 'pending' },
  { kind: 'text', table: 'translation_jobs', status: 'approved' },
  { kind: 'text', table: 'translation_jobs', status: 'persistence_failed' },
  { kind: 'document', table: 'document_jobs', status: 'queued' },
  { kind: 'document', table: 'document_jobs', status: 'extracted' },
] as const;

/** Counts the jobs of the queue and the unfinished jobs of all tenants, at a bounded cost. */
export function watchQueue(database: Database): () => Promise<QueueState> {
  let held: { state: Promise<QueueState>; since: number } | undefined;
  return () => {
    if (!held || performance.now() - held.since > maximumAge)
      held = { state: readQueue(database), since: performance.now() };
    return held.state;
  };
}

function readQueue(database: Database): Promise<QueueState> {
  return database.inPlatform(async (tx) => {
    await tx.execute(sql`set local statement_timeout = '3s'`);
    const tasks = await tx.execute<QueueState['tasks'][number]>(sql`
      select task_identifier as task,
        count(*) filter (where locked_at is null and attempts < max_attempts)::int as waiting,
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
