import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob, type TaskName, type TaskPayloads } from '#server/jobs.ts';

interface Recurring<N extends TaskName = TaskName> {
  task: N;
  payload: TaskPayloads[N];
  everySeconds: number;
}

/** What recurs, and how often. */
function recurring({ settings }: Services): Recurring<'sweep_stale_jobs'>[] {
  return [{ task: 'sweep_stale_jobs', payload: {}, everySeconds: settings.SWEEP_INTERVAL_SECONDS }];
}

/**
 * Adds the recurring jobs at multiples of their intervals on the wall clock. All processes tick at the same
 * moments and their jobs share a key, so that they come to one job, however many processes there are; more than one
 * run does no harm. (graphile-worker's own
 * cron counts in minutes; the settings count in seconds.)
 */
export function startSchedule(services: Services) {
  const timers = new Set<NodeJS.Timeout>();
  for (const { task, payload, everySeconds } of recurring(services)) {
    const interval = everySeconds * 1000;
    const wait = () => {
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          wait();
          services.database
            .inPlatform((tx) => addJob(tx, task, payload, { key: task }))
            .catch((error: unknown) =>
              services.log.warn({ task, error: describeForLog(error) }, 'recurring job not added'),
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
