import { EventEmitter } from 'node:events';
import { Logger, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startSchedule } from './schedule.ts';
import { tasks } from './tasks.ts';

export interface Workers {
  /** Takes no more jobs, and resolves when those that run are done. */
  stop(): Promise<void>;
}

/** Runs the job workers of one process: `WORKER_CONCURRENCY` jobs at a time, from the queue in `databaseUrl`. */
export async function startWorkers(services: Services, databaseUrl: string): Promise<Workers> {
  const { settings, database, log } = services;
  const workerIds = new Set<string>();
  const events: WorkerEvents = new EventEmitter();
  events.on('worker:create', ({ worker }) => workerIds.add(worker.workerId));
  const runner = await run({
    connectionString: databaseUrl,
    concurrency: settings.WORKER_CONCURRENCY,
    // One to listen, one for each job's bookkeeping.
    maxPoolSize: settings.WORKER_CONCURRENCY + 1,
    noHandleSignals: true,
    pollInterval: 2000,
    taskList: taskList(services),
    events,
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') log.warn({ source: 'graphile-worker' }, message);
    }),
  });
  const heartbeat = startHeartbeat(database, workerIds, log);
  const schedule = startSchedule(services);
  return {
    async stop() {
      schedule.stop();
      await runner.stop();
      await heartbeat.stop();
    },
  };
}

function taskList(services: Services): TaskList {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, handler]) => [
      name,
      async (payload: unknown) => {
        try {
          await handler(services, payload as never);
        } catch (error) {
          // What is thrown here is stored with the job: only its kind, since messages may carry parameters.
          services.log.error({ task: name, error: describeForLog(error) }, 'task failed');
          throw new Error(`${name} failed: ${(error as Error).name}`);
        }
      },
    ]),
  );
}
