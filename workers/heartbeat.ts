import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import { describeForLog } from '#server/errors.ts';
import type { Log } from '#server/platform/log.ts';

/**
 * Milliseconds between two heartbeats: reports of this process's worker pools and searches for pools that have
 * stopped reporting.
 */
const intervalMs = 10_000;
/** After this many seconds without a report, a worker counts as dead and its jobs are unlocked. */
const deadAfterSeconds = 30;

/**
 * Reports this process's worker pools in `worker_heartbeats` and unlocks the jobs of dead workers: graphile-worker
 * itself would keep the jobs of a killed process locked for four hours. If a worker only seemed to be dead, its job
 * runs twice; every task is able to run twice.
 */
export function startHeartbeat(database: Database, poolIds: () => string[], log: Log) {
  let running: Promise<void> | undefined;
  const beat = () => {
    running ??= reportAndTakeOver(database, poolIds())
      .catch((error: unknown) => log.warn({ error: describeForLog(error) }, 'worker heartbeat failed'))
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  const timer = setInterval(beat, intervalMs);
  void beat();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/**
 * Does one heartbeat: reports the worker pools and unlocks the jobs of dead workers, with three statements in one
 * transaction.
 */
export async function reportAndTakeOver(
  database: Database,
  poolIds: string[],
  deadAfter = deadAfterSeconds,
): Promise<void> {
  await database.inPlatform(async (tx) => {
    const ids = sql`array(select jsonb_array_elements_text(${JSON.stringify(poolIds)}::jsonb))`;
    await tx.execute(sql`
      insert into worker_heartbeats (worker_id) select unnest(${ids})
      on conflict (worker_id) do update set seen_at = now()`);
    // Skip younger locks: their worker may not have reported yet for the first time.
    await tx.execute(sql`
      select graphile_worker.force_unlock_workers(array(
        select distinct locked_by from graphile_worker.jobs
        where locked_at < now() - make_interval(secs => ${deadAfter})
          and not exists (
            select from worker_heartbeats
            where worker_id = locked_by and seen_at > now() - make_interval(secs => ${deadAfter}))))`);
    await tx.execute(sql`delete from worker_heartbeats where seen_at < now() - interval '1 day'`);
  });
}
