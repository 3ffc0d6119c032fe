import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/**
 * The payload of each background task. Payloads contain only ids, never content or secrets. `workers/tasks.ts` runs
 * the tasks.
 */
export interface TaskPayloads {
  /**
   * Finds tenants with stale or parked jobs, imports that no worker is running, and TM sets that are not indexed.
   * Adds a job for each of them.
   */
  sweep_stale_jobs: Record<string, never>;
  fail_stale_jobs: { tenantId: string };
  /** Deletes expired tokens, challenges, links, states and rate windows, and old payment events, TM imports and changes of the TM. */
  prune_expired: Record<string, never>;
  /** Publishes jobs whose golden record could not be written, or whose process died before writing it. */
  publish_unpersisted_jobs: { tenantId: string };
  /** Publishes the parked jobs of a tenant whose storage has changed. */
  replay_parked_jobs: { tenantId: string; replayId: string };
  /**
   * Removes golden records to which no job refers. After an unclean shutdown of the storage system, writes lost
   * records again.
   */
  check_golden_records: Record<string, never>;
  /** Removes document files to which no row refers. */
  check_document_files: Record<string, never>;
  /** Stores the segments of a large TM import. */
  import_memory: { tenantId: string; importId: string };
  /** Adds the segments of a golden set, or those of a small imported set, to the fuzzy index. */
  index_memory: { tenantId: string; setId: string };
  /** Adds the small imported sets of a language pair to the fuzzy index. These sets share a part of the index. */
  index_memory_pair: { tenantId: string; pairSource: string; pairTarget: string };
  /** Computes the vectors that are missing for the segments of a golden set, or of an edited set. */
  embed_memory: { tenantId: string; setId: string };
  /**
   * Runs the pending jobs of an asynchronous request, in their order. `attempt` is that of a job when it was
   * queued; the other fields are those of the admission.
   */
  run_texts: {
    tenantId: string;
    jobs: { id: string; attempt: number }[];
    credential: 'session' | 'api_key';
    submittedBy: string;
    requestId: string;
    onTrial: boolean;
    drawsTopUp: boolean;
  };
  /** Translates a document, or continues where the previous worker stopped. */
  run_document: { tenantId: string; documentId: string };
  /**
   * Counts the files of an analysis, and sends those that its start has requested, for some seconds, and queues another
   * run if there is more to do. Deletes an analysis that has expired, unless its workspace has a legal hold.
   */
  run_analysis: { tenantId: string; analysisId: string; hasExpired?: boolean };
  /** Renders the file of a document again after reviewers have changed segments, and adds the segments to the TM. */
  render_document: { tenantId: string; documentId: string };
  /** Removes a translated file that a later one has replaced. */
  remove_superseded_file: { tenantId: string; documentId: string; artifactId: string };
  /**
   * Lets the judge model see confirmed segments of a document whose findings are about an earlier text, from the segment
   * that follows the position `after` on.
   */
  recheck_findings: { tenantId: string; documentId: string; after: number };
  /**
   * Checks the terms of the open segments of a tenant's documents again after a change of a glossary, at `changedAt`: those
   * of the document after the position `after`, or, if that is null, those of the next document. With `single`, only those
   * of this document.
   */
  recheck_terms: {
    tenantId: string;
    documentId: string;
    after: number | null;
    changedAt: string;
    single?: true;
  };
  /** Completes an interrupted approval: adds the approved document to the TM and writes its audit record. */
  resume_approval: { tenantId: string; documentId: string };
  /** Checks again whether a deleted job has a golden record. `goldenUri` is the URI that its row had. */
  remove_golden_records: { tenantId: string; jobId: string; goldenUri: string | null };
  /** Counts judged texts, draws some for checks, and collects the decisions of reviewers, from the tenant that follows `after` on. */
  count_quality: { after?: string };
  /**
   * Applies the rules for assignments to the pending items of a tenant; with `all`, to all unassigned items.
   * Without a tenant, queues itself for each one with such items.
   */
  apply_assignment_rules: { tenantId?: string; all?: boolean };
  /** Deletes the tenants whose deletion is due, for some seconds, and queues another run if there is more to do. */
  delete_tenants: Record<string, never>;
  /** Deletes data that is older than the retention of its tenant, from the tenant that follows `after` on. */
  apply_retention: { after?: string };
  /**
   * Removes the email address of a member everywhere, for some seconds, and queues another run if there is more to do.
   * That run begins in table `part` after the row with the ID `after`.
   */
  anonymize_member: { tenantId: string; userId: string; part: number; after: string };
  /**
   * Makes the export of a tenant, for some seconds, and queues another run if there is more to do. Deletes an export
   * that has expired.
   */
  export_tenant: { tenantId: string; exportId: string };
  /** Sends a mail of the outbox. */
  send_mail: { tenantId: string; mailId: string };
  /** Adds the digests of a day to the outbox, from the tenant that follows `after` on. */
  queue_digests: { after?: string };
  /** Creates the demo workspace, or what is missing of it. */
  make_demo_workspace: Record<string, never>;
}

export type TaskName = keyof TaskPayloads;

/**
 * Adds a background job in the caller's transaction; it runs only if the transaction is committed.
 * - With `key`, no job is added if one with the same key is queued. A job that is already running does not count, so
 *   both may run at the same time, unless they have the same `queue`.
 * - With `postpone`, a queued job with the same key is postponed by `afterSeconds` from now instead, but by at most
 *   `seconds` from the time when it was added.
 * - Jobs of one `queue` run one at a time.
 * - Of the queued jobs, the one with the lowest `priority` runs first.
 * - `flags` are texts by which queued jobs can be found. Unlike the payload, the public view of graphile-worker has them.
 */
export async function addJob<N extends TaskName>(
  tx: Tx,
  name: N,
  payload: TaskPayloads[N],
  {
    key,
    queue,
    afterSeconds = 0,
    priority = 0,
    postpone,
    flags = [],
  }: {
    key?: string;
    queue?: string;
    afterSeconds?: number;
    priority?: number;
    postpone?: { seconds: number };
    flags?: readonly string[];
  } = {},
): Promise<void> {
  const runAt = sql`now() + make_interval(secs => ${afterSeconds})`;
  const latest = sql`(select created_at + make_interval(secs => ${postpone?.seconds ?? 0})
    from graphile_worker.jobs where key = ${key ?? null} and locked_at is null)`;
  const all = 'tenantId' in payload ? [ofTenant(payload.tenantId), ...flags] : flags;
  await tx.execute(sql`
    select graphile_worker.add_job(${name}, ${JSON.stringify(payload)}::json,
      flags => array(select jsonb_array_elements_text(${JSON.stringify(all)}::jsonb)),
      run_at => ${postpone ? sql`least(${runAt}, ${latest})` : runAt},
      queue_name => ${queue ?? null}::text, job_key => ${key ?? null}::text,
      job_key_mode => ${postpone ? 'replace' : 'preserve_run_at'}, priority => ${priority}::int)`);
}

/**
 * The flag of a tenant's jobs. Jobs that a trigger has added, or a version before flags, have none; they count as jobs of
 * the whole deployment.
 */
export const ofTenant = (tenantId: string) => `tenant:${tenantId}`;

/** The tenant of a job, from its flag. */
const tenantOfJob = sql`(select substr(flag, 8) from jsonb_object_keys(flags) flag where flag like 'tenant:%')`;

/** A background job that failed. */
export interface FailedJob {
  id: string;
  task: string;
  /** Null for a job of the whole deployment. */
  tenantId: string | null;
  attempts: number;
  maxAttempts: number;
  /** The time of the next attempt; null if all attempts are used. */
  nextAttemptAt: Date | null;
  lastAttemptAt: Date;
  /** The kind of the error, without parameters and texts; null if the worker died. */
  error: string | null;
}

/**
 * Whether a job has failed and no worker is running it: its last attempt ended with an error, or all attempts
 * are used. After `retryFailedJobs`, a job counts as not attempted.
 */
const hasFailed = sql`locked_at is null and attempts > 0 and (last_error is not null or attempts >= max_attempts)`;

/** Maximum characters of an error in a list. */
const maxErrorLength = 200;

/** Returns failed jobs, the latest failures first. Platform scope. */
export async function listFailedJobs(tx: Tx, { limit }: { limit: number }): Promise<FailedJob[]> {
  const rows = await tx.execute<
    Omit<FailedJob, 'nextAttemptAt' | 'lastAttemptAt'> & {
      nextAttemptAt: string | null;
      lastAttemptAt: string;
    }
  >(sql`
    select id::text as id, task_identifier as task, ${tenantOfJob} as "tenantId",
      attempts::int as attempts, max_attempts::int as "maxAttempts",
      case when attempts < max_attempts then run_at end as "nextAttemptAt", updated_at as "lastAttemptAt",
      left(split_part(last_error, E'\\n', 1), ${maxErrorLength}::int) as error
    from graphile_worker.jobs where ${hasFailed} order by updated_at desc, id limit ${limit}`);
  return rows.map((row) => ({
    ...row,
    nextAttemptAt: row.nextAttemptAt === null ? null : new Date(row.nextAttemptAt),
    lastAttemptAt: new Date(row.lastAttemptAt),
  }));
}

/** The state of one job in the queue. */
interface QueuedJob {
  task: string;
  tenantId: string | null;
  isRunning: boolean;
}

/** Returns a job; undefined if it has completed or never existed. Platform scope. */
export async function findQueuedJob(tx: Tx, id: string): Promise<QueuedJob | undefined> {
  const [job] = await tx.execute<QueuedJob & Record<string, unknown>>(sql`
    select task_identifier as task, ${tenantOfJob} as "tenantId", locked_at is not null as "isRunning"
    from graphile_worker.jobs where id = ${id}::bigint`);
  return job;
}

/**
 * Lets failed jobs run immediately, with all attempts: one job, or at most 1,000 of a task. Never changes a job that a
 * worker is running or is about to take, and a second call changes nothing. Platform scope.
 * @returns the number of retried jobs
 */
export async function retryFailedJobs(tx: Tx, which: { id: string } | { task: string }): Promise<number> {
  const selected = 'id' in which ? sql`id = ${which.id}::bigint` : sql`task_identifier = ${which.task}`;
  // Calls run one after the other, so that each job counts once.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('retry_failed_jobs'))`);
  const retried = await tx.execute(sql`
    select from graphile_worker.reschedule_jobs(array(
      select id from graphile_worker.jobs where ${hasFailed} and ${selected} order by id limit 1000),
      run_at => now(), attempts => 0)`);
  return retried.length;
}

/**
 * Deletes jobs that will never run; at most 5,000 per call. These are jobs that have used all their attempts, after
 * `failedDays`; and jobs without a key, after one hour: while such a job ran, another job took over its key, and then
 * the worker died.
 * @param heldTenants tenants with a legal hold, whose jobs stay
 * @returns the number of deleted jobs
 */
export async function pruneQueue(
  tx: Tx,
  { failedDays, heldTenants }: { failedDays: number; heldTenants: readonly string[] },
): Promise<number> {
  // A job without a flag may be one of a tenant with a legal hold.
  const isHeld =
    heldTenants.length === 0
      ? sql`false`
      : sql`coalesce(${tenantOfJob} in (select jsonb_array_elements_text(${JSON.stringify(heldTenants)}::jsonb)), true)`;
  const [row] = await tx.execute<{ pruned: number }>(sql`
    select count(*)::int as pruned from graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs
      where attempts >= max_attempts and locked_at is null
        and greatest(run_at, updated_at) < now() - case when key is null then interval '1 hour'
          else make_interval(days => ${failedDays}::int) end
        and ${isHeld} is not true
      limit 5000))`);
  return row?.pruned ?? 0;
}

/**
 * Deletes a tenant's jobs that no worker is running.
 * @returns the number of deleted jobs
 */
export async function deleteQueuedJobs(tx: Tx, tenantId: string): Promise<number> {
  const [row] = await tx.execute<{ deleted: number }>(sql`
    select count(*)::int as deleted from graphile_worker.complete_jobs(array(
      select id from graphile_worker.jobs where flags ? ${ofTenant(tenantId)} and locked_at is null))`);
  return row?.deleted ?? 0;
}
