import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob, type TaskName } from '#server/platform/job-queue.ts';
import { tasks } from './tasks.ts';

/**
 * Adds recurring jobs at multiples of their intervals on the wall clock. All processes do so at the same moments with
 * the same job key, so one job results however many processes there are. Except for a task that runs one at a time, an
 * additional run does no harm. (graphile-worker's own cron counts in minutes; the settings count in seconds.)
 */
export function startSchedule({ database, settings, log }: Pick<Services, 'database' | 'settings' | 'log'>) {
  const timers = new Set<NodeJS.Timeout>();
  for (const name of Object.keys(tasks) as TaskName[]) {
    const { every, oneAtATime } = tasks[name];
    if (!every) continue;
    const interval = every(settings) * 1000;
    const wait = () => {
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          wait();
          database
            .inPlatform((tx) => addJob(tx, name, {}, { key: name, ...(oneAtATime && { queue: name }) }))
            .catch((error: unknown) =>
              log.warn({ task: name, error: describeForLog(error) }, 'recurring job not added'),
            );
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
