import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob, type TaskName, type TaskPayloads } from '#server/job-queue.ts';

/** Tasks that need no payload: what recurs finds its work by itself. */
type RecurringTask = {
  [N in TaskName]: TaskPayloads[N] extends Record<string, never> ? N : never;
}[TaskName];

/** What recurs, and after how many seconds. */
function recurring({ settings }: Services): Record<RecurringTask, number> {
  const { SWEEP_INTERVAL_SECONDS } = settings;
  return {
    sweep_stale_jobs: SWEEP_INTERVAL_SECONDS,
    prune_expired: SWEEP_INTERVAL_SECONDS,
    check_golden_records: SWEEP_INTERVAL_SECONDS,
  };
}

/** Those that never run beside themselves: two that write lost lines again would write them twice. */
const oneAtATime: readonly RecurringTask[] = ['check_golden_records'];

/**
 * Adds the recurring jobs at multiples of their intervals on the wall clock. All processes tick at the same
 * moments and their jobs share a key, so that they come to one job, however many processes there are; more than one
 * run of the others does no harm. (graphile-worker's own
 * cron counts in minutes; the settings count in seconds.)
 */
export function startSchedule(services: Services) {
  const timers = new Set<NodeJS.Timeout>();
  for (const [task, everySeconds] of Object.entries(recurring(services)) as [RecurringTask, number][]) {
    const interval = everySeconds * 1000;
    const wait = () => {
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          wait();
          services.database
            .inPlatform((tx) =>
              addJob(tx, task, {}, { key: task, ...(oneAtATime.includes(task) && { queue: task }) }),
            )
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
