import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob, type TaskName } from '#server/platform/job-queue.ts';
import { tasks } from './tasks.ts';

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
