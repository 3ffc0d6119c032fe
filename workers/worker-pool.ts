import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { TaskList } from 'graphile-worker';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { type QueueRunner, startQueueRunner } from './queue-runner.ts';
import { tasks, type WorkerPool } from './tasks.ts';

/** Milliseconds before workers are started again, or what they had locked is freed again; each further time twice as many. */
const retryDelay = 1000;
const longestRetryDelay = 15_000;
/** Workers that fail within as many milliseconds found a database that answers and does not let them work: it refuses writes, say. */
const shortLife = 3000;

export interface RunningPool {
  /** The pools of workers that can be vouched for: what locks a job is named after the pool of the worker that runs it. */
  poolIds(): string[];
  /** Takes no more jobs, and resolves when those that run are done. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs of one lane from the queue in the database at `databaseUrl`, which is asked for anew at each start. Workers that
 * have failed are replaced at once, or after a pause where they did not live long; what they are still at, they finish, and then
 * whatever is locked in their name is freed.
 */
export async function startWorkerPool(
  services: Services,
  lane: WorkerPool,
  databaseUrl: () => string,
): Promise<RunningPool> {
  const { log } = services;
  const taskList = tasksOf(services, lane);
  const start = () =>
    startQueueRunner({
      databaseUrl: databaseUrl(),
      concurrency: lane.concurrency(services),
      tasks: taskList,
      log,
    });
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Before the next try after `failures` in a row. */
  const pause = (failures: number) =>
    delay(Math.min(retryDelay * 2 ** (failures - 1), longestRetryDelay), undefined, { signal }).catch(
      () => {},
    );
  const unlocking = unlocker(services, lane, signal, pause);
  /** Replaced runners that are still at a job. */
  const ending = new Map<QueueRunner, Promise<void>>();
  let current: QueueRunner | undefined = await start();

  const replaceWhenFailed = async () => {
    let shortLives = 0;
    while (!signal.aborted && current) {
      const failed = current;
      const started = performance.now();
      const error = await Promise.race([failed.failed, aborted(signal)]);
      if (signal.aborted) return;
      log.error(
        { lane: lane.name, error: describeForLog(error) },
        'the job workers failed; they are replaced',
      );
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
            { lane: lane.name, error: describeForLog(failure) },
            'the job workers cannot be started yet',
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
 * Frees what is locked in the names of runners that have ended: locks whose answer was lost, ends that were not heard. One statement is for
 * all of them, and is tried again until the database carries it out. Once `signal` is aborted there is one more try: the next
 * process to look frees the rest, since nobody vouches for them.
 */
function unlocker(
  { database, log }: Services,
  lane: WorkerPool,
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
        log.warn({ lane: lane.name, error: describeForLog(error) }, 'jobs not freed yet');
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

function tasksOf(services: Services, lane: WorkerPool): TaskList {
  const concurrency = lane.concurrency(services);
  const running = new Set<Promise<void>>();
  return Object.fromEntries(
    lane.tasks.map((name) => [
      name,
      async (payload: unknown) => {
        // Beside what a replaced runner is still at: its jobs count, too.
        while (running.size >= concurrency) await Promise.race(running).catch(() => {});
        const work = tasks[name](services, payload as never);
        running.add(work);
        try {
          await work;
        } catch (error) {
          // What is thrown here is stored with the job: only its kind, since messages may carry parameters.
          services.log.error({ task: name, error: describeForLog(error) }, 'task failed');
          throw new Error(`${name} failed: ${(error as Error).name}`);
        } finally {
          running.delete(work);
        }
      },
    ]),
  );
}
