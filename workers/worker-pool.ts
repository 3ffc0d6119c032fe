import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { TaskList } from 'graphile-worker';
import type { Pooler } from '#db/pooler.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import type { TaskName } from '#server/platform/job-queue.ts';
import { recordMaintenance } from '#server/platform/maintenance-runs.ts';
import { observe } from '#server/platform/telemetry.ts';
import { type QueueRunner, startQueueRunner } from './queue-runner.ts';
import { tasks, type WorkerPool } from './tasks.ts';

/**
 * Milliseconds before the next attempt to start workers or to free their locks. The time doubles after each failure.
 */
const retryDelay = 1000;
const maxRetryDelayMs = 15_000;
/**
 * Workers that fail within this many milliseconds have probably reached a database in which they cannot work, such as
 * a read-only one.
 */
const shortLife = 3000;

export interface RunningPool {
  /** Ids of the worker pools known to be alive. A lock on a job names the pool of the worker that runs it. */
  poolIds(): string[];
  /** Whether the workers take jobs: they are running and have reached the database recently. */
  working(): boolean;
  /** Takes no more jobs. Resolves when the running jobs are completed. */
  stop(): Promise<void>;
}

/**
 * Runs the tasks of one worker pool, with jobs from the queue in the database. A failed runner is replaced
 * immediately, or after a pause if it failed soon after its start. The old runner completes its jobs, and then its
 * remaining locks are freed.
 * @param databaseUrl returns the URL of the database; called at each start of a runner
 * @param pooler for everything but notifications
 */
export async function startWorkerPool(
  services: Services,
  pool: WorkerPool,
  databaseUrl: () => string,
  pooler?: Pooler,
): Promise<RunningPool> {
  const { log } = services;
  const taskList = tasksOf(services, pool);
  const start = () =>
    startQueueRunner({
      databaseUrl: databaseUrl(),
      pooler,
      concurrency: pool.concurrency(services.settings),
      tasks: taskList,
      log,
    });
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Waits before the next attempt. The time depends on the number of successive failures. */
  const pause = (failures: number) =>
    delay(Math.min(retryDelay * 2 ** (failures - 1), maxRetryDelayMs), undefined, { signal }).catch(() => {});
  const unlocking = unlocker(services, pool, signal, pause);
  /** Runners that have been replaced but still run jobs. */
  const ending = new Map<QueueRunner, Promise<void>>();
  let current: QueueRunner | undefined = await start();

  const replaceWhenFailed = async () => {
    let shortLives = 0;
    while (!signal.aborted && current) {
      const failed = current;
      const started = performance.now();
      const error = await Promise.race([failed.failed, aborted(signal)]);
      if (signal.aborted) return;
      log.error({ pool: pool.name, error: describeForLog(error) }, 'job workers failed; restarting them');
      current = undefined;
      ending.set(
        failed,
        failed.end().finally(() => {
          ending.delete(failed);
          unlocking.add(failed.poolId);
        }),
      );
      shortLives = performance.now() - started < shortLife ? shortLives + 1 : 0;
      if (shortLives > 0) await pause(shortLives);
      while (!signal.aborted && !current) {
        try {
          current = await start();
        } catch (failure) {
          log.warn(
            { pool: pool.name, error: describeForLog(failure) },
            'could not start the job workers; retrying',
          );
          await pause(1);
        }
      }
    }
  };

  const replacing = replaceWhenFailed();
  return {
    poolIds: () => [
      ...(current?.reaches() ? [current.poolId] : []),
      ...[...ending.keys()].map((runner) => runner.poolId),
    ],
    working: () => current?.reaches() ?? false,
    async stop() {
      stopping.abort();
      await replacing;
      await Promise.all([current?.end(), ...ending.values()]);
      if (current) unlocking.add(current.poolId);
      await unlocking.end();
    },
  };
}

/**
 * Frees the locks of ended runners: locks that a runner does not know of, because the reply to its query was lost,
 * and locks of jobs whose completion did not reach the database. One statement frees all of them and is repeated
 * until it succeeds. After `signal` has aborted, there is only one more attempt. If it fails, the next heartbeat of
 * any process frees the locks, because the pools no longer report.
 */
function unlocker(
  { database, log }: Pick<Services, 'database' | 'log'>,
  pool: WorkerPool,
  signal: AbortSignal,
  pause: (failures: number) => Promise<void>,
) {
  const waiting = new Set<string>();
  let running: Promise<void> | undefined;
  const unlock = async () => {
    for (let failures = 0; waiting.size > 0; ) {
      const poolIds = [...waiting];
      try {
        await database.inPlatform((tx) =>
          tx.execute(sql`
            select graphile_worker.force_unlock_workers(
              array(select jsonb_array_elements_text(${JSON.stringify(poolIds)}::jsonb)))`),
        );
        for (const poolId of poolIds) waiting.delete(poolId);
        failures = 0;
      } catch (error) {
        log.warn(
          { pool: pool.name, error: describeForLog(error) },
          'could not release the jobs of stopped workers yet',
        );
        if (signal.aborted) break;
        failures += 1;
        await pause(failures);
      }
    }
    running = undefined;
  };
  return {
    add(poolId: string) {
      waiting.add(poolId);
      running ??= unlock();
    },
    async end() {
      await running;
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Records that a recurring task has completed, for the metrics. A failure is only logged: the task would otherwise run
 * again.
 */
async function recordRun({ database, settings, log }: Services, name: TaskName): Promise<void> {
  const everySeconds = tasks[name].every?.(settings);
  if (!everySeconds) return;
  await database
    .inPlatform((tx) => recordMaintenance(tx, name, everySeconds))
    .catch((error: unknown) =>
      log.warn({ task: name, error: describeForLog(error) }, 'could not record the run of a recurring task'),
    );
}

/** Returns a function that runs at most `concurrency` tasks at the same time. */
export function limiter(concurrency: number): <T>(run: () => Promise<T>) => Promise<T> {
  const running = new Set<Promise<unknown>>();
  return async (run) => {
    while (running.size >= concurrency) await Promise.race(running).catch(() => {});
    // All that the task does belongs to this promise. If it were settled before it is deleted, the loop above would not
    // pause, and the process would handle no timer and no response of the database.
    const task = run();
    running.add(task);
    try {
      return await task;
    } finally {
      running.delete(task);
    }
  };
}

function tasksOf(services: Services, pool: WorkerPool): TaskList {
  // The limit is for all runners together: a replaced one may still run jobs.
  const limited = limiter(pool.concurrency(services.settings));
  return Object.fromEntries(
    pool.tasks.map((name) => [
      name,
      (payload: unknown) =>
        limited(async () => {
          try {
            await observe('task', name, async () => tasks[name].run(services, payload as never));
            await recordRun(services, name);
          } catch (error) {
            // Log and throw only the kind of the error: it is stored with the job, and messages may contain parameters.
            services.log.error({ task: name, error: describeForLog(error) }, 'task failed');
            throw new Error(`${name} failed: ${(error as Error).name}`);
          }
        }),
    ]),
  );
}
