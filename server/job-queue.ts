import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/**
 * The background tasks by name, with what each is given: ids, never content or secrets. Their handlers are in
 * `workers/tasks.ts`, one for each name.
 */
export interface TaskPayloads {
  /** Finds the tenants whose jobs are stale or unpersisted, imports that nobody is at, and memory that is not indexed, and adds a job for each. */
  sweep_stale_jobs: Record<string, never>;
  fail_stale_jobs: { tenantId: string };
  /** Deletes expired tokens, challenges, links, states and rate windows, and old payment events and memory imports. */
  prune_expired: Record<string, never>;
  /** Writes the golden records that could not be written, or whose process died meanwhile. */
  publish_unpersisted_jobs: { tenantId: string };
  /** Removes golden records that no job refers to; after an unclean end of the store's system, writes lost ones again. */
  check_golden_records: Record<string, never>;
  /** Stores what a large memory import has read (B 4.5). */
  import_memory: { tenantId: string; importId: string };
  /** Brings the approved pairs of a golden set, or the segments of a small one, into the fuzzy index. */
  index_memory: { tenantId: string; setId: string };
  /** Brings the small imported sets of a pair into a part of the fuzzy index that they share. */
  index_memory_pair: { tenantId: string; pairSource: string; pairTarget: string };
  /** Makes the vectors that the pairs of a golden set lack. */
  embed_memory: { tenantId: string; setId: string };
  /** Looks again for golden records of a deleted job; `attempt` is its last. */
  remove_golden_records: { tenantId: string; jobId: string; attempt: number };
}

export type TaskName = keyof TaskPayloads;

/**
 * Adds a background job inside the caller's transaction: it runs if, and only if, that commits. With `key`, a job
 * of that key which waits already is kept instead of a second one. Of the jobs of one `queue` one runs at a time; without it, a job
 * runs beside one of its key that has begun.
 */
export async function addJob<N extends TaskName>(
  tx: Tx,
  name: N,
  payload: TaskPayloads[N],
  options: { key?: string; queue?: string; afterSeconds?: number } = {},
): Promise<void> {
  await tx.execute(sql`
    select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json,
      run_at => now() + make_interval(secs => ${options.afterSeconds ?? 0}),
      queue_name => ${options.queue ?? null}::text, job_key => ${options.key ?? null}::text, job_key_mode => 'preserve_run_at')`);
}

/**
 * Deletes jobs that will never run: those that another one of their key replaced while they ran, whose worker died then, after an hour,
 * and those whose tries are all used up, after 30 days. At most 5000 at a time; answers how many.
 */
export async function pruneQueue(tx: Tx): Promise<number> {
  const [row] = await tx.execute<{ pruned: number }>(sql`
    select count(*)::int as pruned from graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
      where attempts >= max_attempts and locked_at is null
        and greatest(run_at, updated_at) < now() - case when key is null then interval '1 hour' else interval '30 days' end
      limit 5000))`);
  return row?.pruned ?? 0;
}
