import type { Services } from '#server/context.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startSchedule } from './schedule.ts';
import { workerPools } from './tasks.ts';
import { type RunningPool, startWorkerPool } from './worker-pool.ts';

export interface Workers {
  /** Takes no more jobs, and resolves when those that run are done. */
  stop(): Promise<void>;
}

/**
 * Runs the job workers of one process, from the queue in the database at `databaseUrl`: `WORKER_CONCURRENCY` jobs at a
 * time, and beside them the housekeeping.
 */
export async function startWorkers(services: Services, databaseUrl: () => string): Promise<Workers> {
  const running: RunningPool[] = [];
  const stopLanes = () => Promise.all(running.map((lane) => lane.stop()));
  try {
    // One after the other: both bring the queue's schema up to date.
    for (const lane of workerPools) running.push(await startWorkerPool(services, lane, databaseUrl));
  } catch (error) {
    await stopLanes();
    throw error;
  }
  const heartbeat = startHeartbeat(
    services.database,
    () => running.flatMap((lane) => lane.poolIds()),
    services.log,
  );
  const schedule = startSchedule(services);
  return {
    async stop() {
      schedule.stop();
      await stopLanes();
      await heartbeat.stop();
    },
  };
}
