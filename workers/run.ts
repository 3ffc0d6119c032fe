import { sql } from 'drizzle-orm';
import type { Pooler } from '#db/pooler.ts';
import type { Services } from '#server/context.ts';
import { connectionsForService, maxConnections } from '#server/platform/database-connections.ts';
import { withRedaction } from '#server/redaction/redacted-models.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startSchedule } from './schedule.ts';
import { workerPools } from './tasks.ts';
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
