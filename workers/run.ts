import { sql } from 'drizzle-orm';
import type { Services } from '#server/context.ts';
import { connectionsForService, maxConnections } from '#server/platform/database-connections.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startSchedule } from './schedule.ts';
import { workerPools } from './tasks.ts';
import { type RunningPool, startWorkerPool } from './worker-pool.ts';

export interface Workers {
  /** Whether all pools take jobs. */
  working(): boolean;
  /** Takes no more jobs; resolves when the running ones are done. */
  stop(): Promise<void>;
}

/**
 * Runs the job workers of one process, from the queue in the database at `databaseUrl`: `WORKER_CONCURRENCY` jobs at
 * a time, and housekeeping in a separate pool.
 */
export async function startWorkers(services: Services, databaseUrl: () => string): Promise<Workers> {
  await warnOfFewConnections(services);
  const running: RunningPool[] = [];
  const stopPools = () => Promise.all(running.map((pool) => pool.stop()));
  try {
    // Start them in sequence: each updates the queue's schema.
    for (const pool of workerPools) running.push(await startWorkerPool(services, pool, databaseUrl));
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

/** If its connections are used up, PostgreSQL rejects new ones, so jobs and requests fail from time to time. */
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
