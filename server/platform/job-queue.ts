import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** The background tasks by name, with their payloads: ids only, never content or secrets. `workers/tasks.ts` runs each. */
export interface TaskPayloads {
  /**
   * Finds tenants with stale or parked jobs, imports that no worker is running, and memory that is not indexed.
   * Adds a job for each.
   */
  sweep_stale_jobs: Record<string, never>;
  fail_stale_jobs: { tenantId: string };
  /**
   * Deletes expired tokens, challenges, links, states and rate windows, and old payment events and memory imports.
   */
  prune_expired: Record<string, never>;
  /** Writes golden records whose write failed or whose process died. */
  publish_unpersisted_jobs: { tenantId: string };
  /** Publishes the parked jobs of a tenant whose storage changed. */
  replay_parked_jobs: { tenantId: string; replayId: string };
  /** Removes golden records that no job refers to. After an unclean shutdown of the storage system, rewrites lost ones. */
  check_golden_records: Record<string, never>;
  /** Removes files of documents that have no row. */
  check_document_files: Record<string, never>;
  /** Stores the segments that a large memory import has read. */
  import_memory: { tenantId: string; importId: string };
  /** Adds the approved pairs of a golden set, or the segments of a small one, to the fuzzy index. */
  index_memory: { tenantId: string; setId: string };
  /** Adds the small imported sets of a pair to a part of the fuzzy index that they share. */
  index_memory_pair: { tenantId: string; pairSource: string; pairTarget: string };
  /** Computes the missing vectors of a golden set's pairs. */
  embed_memory: { tenantId: string; setId: string };
  /** Translates a document, from where the previous worker stopped. */
  run_document: { tenantId: string; documentId: string };
  /** Adds an approved document to the memory and writes its audit record, if its approval was interrupted. */
  resume_approval: { tenantId: string; documentId: string };
  /**
   * Checks again for golden records of a deleted job; `attempt` is the job's last, `goldenUri` the address in its
   * row.
   */
  remove_golden_records: { tenantId: string; jobId: string; attempt: number; goldenUri: string | null };
}

export type TaskName = keyof TaskPayloads;

/**
 * Adds a background job in the caller's transaction: it runs if and only if that commits. With `key`, no second job
 * is added if one with that key is already queued. Jobs of one `queue` run one at a time. Without a queue, a job may
 * run at the same time as one with the same key that has already started. Of queued jobs, the one with the lowest
 * `priority` runs first.
 */
export async function addJob<N extends TaskName>(
  tx: Tx,
  name: N,
  payload: TaskPayloads[N],
  options: { key?: string; queue?: string; afterSeconds?: number; priority?: number } = {},
): Promise<void> {
  await tx.execute(sql`
    select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json,
      run_at => now() + make_interval(secs => ${options.afterSeconds ?? 0}),
      queue_name => ${options.queue ?? null}::text, job_key => ${options.key ?? null}::text, job_key_mode => 'preserve_run_at',
      priority => ${options.priority ?? 0}::int)`);
}

/**
 * Deletes jobs that will never run: after an hour, those that another job with the same key replaced while they ran and
 * whose worker then died; after 30 days, those that have used all their attempts. Deletes at most 5000; returns how many.
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
