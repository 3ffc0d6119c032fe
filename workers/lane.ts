import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { TaskList } from 'graphile-worker';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { type QueueRunner, startQueueRunner } from './queue-runner.ts';
import { type Lane, tasks } from './tasks.ts';

/** Milliseconds between two tries to start a lane's workers again, or to free what they had locked. */
const retryDelay = 1000;

export interface RunningLane {
  /** The pools of workers that can be vouched for: what locks a job is named after the pool of the worker that runs it. */
  poolIds(): string[];
  /** Takes no more jobs, and resolves when those that run are done. */
  stop(): Promise<void>;
}

/**
 * Runs the jobs of one lane from the queue in the database at `databaseUrl`, which is asked for anew at each start. Workers that
 * have failed are replaced at once; what they are still at, they finish, and then whatever is locked in their name is freed.
 */
export async function startLane(
  services: Services,
  lane: Lane,
  databaseUrl: () => string,
): Promise<RunningLane> {
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
  const pause = () => delay(retryDelay, undefined, { signal }).catch(() => {});
  /** Replaced runners that are still at a job. */
  const ending = new Map<QueueRunner, Promise<void>>();
  let current: QueueRunner | undefined = await start();

  const replaceWhenFailed = async () => {
    while (!signal.aborted && current) {
      const failed = current;
      const error = await Promise.race([failed.failed, aborted(signal)]);
      if (signal.aborted) return;
      log.error(
        { lane: lane.name, error: describeForLog(error) },
        'the job workers failed; they are replaced',
      );
      current = undefined;
      ending.set(
        failed,
        giveUp(failed).finally(() => ending.delete(failed)),
      );
      while (!signal.aborted && !current) {
        try {
          current = await start();
        } catch (failure) {
          log.warn(
            { lane: lane.name, error: describeForLog(failure) },
            'the job workers cannot be started yet',
          );
          await pause();
        }
      }
    }
  };

  /** Waits for a runner's last jobs, and frees what is locked in its name: locks whose answer was lost, ends that were not heard. */
  const giveUp = async (runner: QueueRunner) => {
    await runner.end();
    for (;;) {
      try {
        await services.database.inPlatform((tx) =>
          tx.execute(sql`select graphile_worker.force_unlock_workers(array[${runner.poolId}]::text[])`),
        );
        return;
      } catch (error) {
        log.warn({ lane: lane.name, error: describeForLog(error) }, 'jobs not freed yet');
        // The next process to look frees them, once nobody vouches for them.
        if (signal.aborted) return;
        await pause();
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
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function tasksOf(services: Services, lane: Lane): TaskList {
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
