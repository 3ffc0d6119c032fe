import { EventEmitter } from 'node:events';
import { Logger, type Runner, run, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { type Lane, tasks } from './tasks.ts';

/** Milliseconds before the workers of a lane that ended by themselves are started again. */
const restartDelay = 2000;

export interface RunningLane {
  /** The pools of workers that run now: what locks a job is named after the pool of the worker that runs it. */
  poolIds(): string[];
  /** Takes no more jobs, and resolves when those that run are done. */
  stop(): Promise<void>;
}

/** Runs the jobs of one lane from the queue in the database at `databaseUrl`, which is asked for anew at each start. */
export async function startLane(
  services: Services,
  lane: Lane,
  databaseUrl: () => string,
): Promise<RunningLane> {
  const { log } = services;
  const poolIds = new Set<string>();
  let stopping = false;
  let runner = await startRunner(services, lane, databaseUrl(), poolIds);
  let restart: NodeJS.Timeout | undefined;

  const watch = () => {
    const watched = runner;
    const ended = (error?: unknown) => {
      if (stopping) return;
      log.error(
        { lane: lane.name, error: describeForLog(error) },
        'the job workers ended; they are started again',
      );
      poolIds.clear();
      restart = setTimeout(async () => {
        try {
          runner = await startRunner(services, lane, databaseUrl(), poolIds);
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

  return {
    poolIds: () => [...poolIds],
    async stop() {
      stopping = true;
      clearTimeout(restart);
      // A runner that ended by itself has nothing left to stop.
      await runner.stop().catch(() => {});
    },
  };
}

async function startRunner(
  services: Services,
  lane: Lane,
  databaseUrl: string,
  poolIds: Set<string>,
): Promise<Runner> {
  const { log } = services;
  const concurrency = lane.concurrency(services);
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => poolIds.add(workerPool.id));
  return run({
    connectionString: databaseUrl,
    concurrency,
    // One to listen, one for each job's bookkeeping.
    maxPoolSize: concurrency + 1,
    noHandleSignals: true,
    pollInterval: 2000,
    taskList: taskList(services, lane),
    events,
    // Without a batch, the package leaves the promise of a job's end to itself: a database that is lost just then
    // would be an unhandled rejection, and the end of the whole process.
    preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') log.warn({ source: 'graphile-worker' }, message);
    }),
  });
}

function taskList(services: Services, lane: Lane): TaskList {
  return Object.fromEntries(
    lane.tasks.map((name) => [
      name,
      async (payload: unknown) => {
        try {
          await tasks[name](services, payload as never);
        } catch (error) {
          // What is thrown here is stored with the job: only its kind, since messages may carry parameters.
          services.log.error({ task: name, error: describeForLog(error) }, 'task failed');
          throw new Error(`${name} failed: ${(error as Error).name}`);
        }
      },
    ]),
  );
}
