import { EventEmitter } from 'node:events';
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { startHeartbeat } from './heartbeat.ts';
import { startSchedule } from './schedule.ts';
import { tasks } from './tasks.ts';

/** Milliseconds before job workers that ended by themselves are started again. */
const restartDelay = 2000;

export interface Workers {
  /** Takes no more jobs, and resolves when those that run are done. */
  stop(): Promise<void>;
}

/**
 * Runs the job workers of one process: `WORKER_CONCURRENCY` jobs at a time, from the queue in the database at
 * `databaseUrl`, which is asked for anew at each start of theirs.
 */
export async function startWorkers(services: Services, databaseUrl: () => string): Promise<Workers> {
  const { database, log } = services;
  // What locks a job is named after the pool of workers that runs it.
  const poolIds = new Set<string>();
  let stopping = false;
  let runner = await startRunner(services, databaseUrl(), poolIds);
  let restart: NodeJS.Timeout | undefined;

  const watch = () => {
    const watched = runner;
    const ended = (error?: unknown) => {
      if (stopping) return;
      log.error({ error: describeForLog(error) }, 'the job workers ended; they are started again');
      poolIds.clear();
      restart = setTimeout(async () => {
        try {
          runner = await startRunner(services, databaseUrl(), poolIds);
          if (stopping) await runner.stop();
          else watch();
        } catch (failure) {
          ended(failure);
        }
      }, restartDelay);
    };
    watched.promise.then(() => ended(), ended);
  };
  watch();

  const heartbeat = startHeartbeat(database, poolIds, log);
  const schedule = startSchedule(services);
  return {
    async stop() {
      stopping = true;
      clearTimeout(restart);
      schedule.stop();
      // A runner that ended by itself has nothing left to stop.
      await runner.stop().catch(() => {});
      await heartbeat.stop();
    },
  };
}

async function startRunner(services: Services, databaseUrl: string, poolIds: Set<string>): Promise<Runner> {
  const { settings, log } = services;
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => poolIds.add(workerPool.id));
  return run({
    connectionString: databaseUrl,
    concurrency: settings.WORKER_CONCURRENCY,
    // One to listen, one for each job's bookkeeping.
    maxPoolSize: settings.WORKER_CONCURRENCY + 1,
    noHandleSignals: true,
    pollInterval: 2000,
    taskList: taskList(services),
    events,
    // Without a batch, the package leaves the promise of a job's end to itself: a database that is lost just then
    // would be an unhandled rejection, and the end of the whole process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') log.warn({ source: 'graphile-worker' }, message);
    }),
  });
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
