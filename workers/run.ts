import { sql } from 'drizzle-orm';
import type { Database } from '#db/client.ts';
import type { Pooler } from '#db/pooler.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { connectionsForService, maxConnections } from '#server/platform/database-connections.ts';
import { addJob, type TaskName } from '#server/platform/job-queue.ts';
import type { Log } from '#server/platform/log.ts';
import { withRedaction } from '#server/redaction/redacted-models.ts';
import { tasks, workerPools } from './tasks.ts';
import { type RunningPool, startWorkerPool } from './worker-pool.ts';

export interface Workers {
  /** Whether all pools take jobs. */
  working(): boolean;
  /** Takes no more jobs. Resolves when the running jobs are completed. */
  stop(): Promise<void>;
}

/**
 * Runs the job workers of one process, with jobs from the queue in the database at `databaseUrl`. At most
 * WORKER_CONCURRENCY jobs run at the same time; housekeeping and documents have separate pools.
 */
export async function startWorkers(
  given: Services,
  databaseUrl: () => string,
  pooler?: Pooler,
): Promise<Workers> {
  const services = withRedaction(given);
  await warnOfFewConnections(services);
  const running: RunningPool[] = [];
  const stopPools = () => Promise.all(running.map((pool) => pool.stop()));
  try {
    // Start the pools one after the other, because each updates the schema of the queue.
    for (const pool of workerPools)
      if (pool.concurrency(services.settings) > 0)
        running.push(await startWorkerPool(services, pool, databaseUrl, pooler));
  } catch (error) {
    await stopPools();
    throw error;
  }
  const heartbeat = startHeartbeat(
    services.database,
    () => running.flatMap((pool) => pool.poolIds()),
    services.log,
  );
  const schedule = startSchedule(services);
  return {
    working: () => running.every((pool) => pool.working()),
    async stop() {
      schedule.stop();
      await stopPools();
      await heartbeat.stop();
    },
  };
}

/**
 * Warns if the workers of this process may open more connections than PostgreSQL allows. When all connections are
 * used, PostgreSQL rejects new ones, so that jobs and requests fail from time to time.
 */
export async function warnOfFewConnections({
  database,
  settings,
  log,
}: Pick<Services, 'database' | 'settings' | 'log'>): Promise<void> {
  const needed = maxConnections(settings, { api: false, workers: true });
  const [row] = await database.inPlatform((tx) =>
    tx.execute(sql.raw(`select ${connectionsForService} as available`)),
  );
  const available = Number(row?.['available']);
  if (available < needed)
    log.warn(
      { available, needed },
      'PostgreSQL allows fewer connections than the workers of this process may open; lower WORKER_CONCURRENCY or raise max_connections',
    );
}

/**
 * Adds recurring jobs to the queue, at multiples of their intervals on the wall clock. All processes add a job at the
 * same moment with the same job key, so only one job results. An additional run would do no harm, except for tasks
 * that run one at a time; these have a queue. graphile-worker's own cron is not used, because it counts in
 * minutes and the settings count in seconds.
 */
export function startSchedule({ database, settings, log }: Pick<Services, 'database' | 'settings' | 'log'>) {
  const timers = new Set<NodeJS.Timeout>();
  for (const name of Object.keys(tasks) as TaskName[]) {
    const { every, queue, atStart } = tasks[name];
    const seconds = every?.(settings);
    if (!seconds) continue;
    const interval = seconds * 1000;
    const add = () =>
      database
        .inPlatform((tx) => addJob(tx, name, {}, { key: name, ...(queue && { queue }) }))
        .catch((error: unknown) =>
          log.warn(
            { task: name, error: describeForLog(error) },
            'the recurring job could not be added to the queue',
          ),
        );
    if (atStart) void add();
    const wait = () => {
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          wait();
          void add();
        },
        Math.min(interval - (Date.now() % interval), 2_147_483_647),
      );
      timers.add(timer);
    };
    wait();
  }
  return {
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

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
function startHeartbeat(database: Database, poolIds: () => string[], log: Log) {
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
