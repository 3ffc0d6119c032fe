import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob, type TaskName, type TaskPayloads } from '#server/job-queue.ts';

/** Tasks without a payload: recurring tasks find their work themselves. */
type RecurringTask = {
  [N in TaskName]: TaskPayloads[N] extends Record<string, never> ? N : never;
}[TaskName];

/** The recurring tasks and their intervals in seconds. */
function recurring({ settings }: Services): Record<RecurringTask, number> {
  const { SWEEP_INTERVAL_SECONDS } = settings;
  return {
    sweep_stale_jobs: SWEEP_INTERVAL_SECONDS,
    prune_expired: SWEEP_INTERVAL_SECONDS,
    check_golden_records: SWEEP_INTERVAL_SECONDS,
  };
}

/** Tasks that must not run concurrently: two runs that rewrite lost lines would write them twice. */
const oneAtATime: readonly RecurringTask[] = ['check_golden_records'];

/**
 * Adds recurring jobs at multiples of their intervals on the wall clock. All processes do so at the same moments with
 * the same job key, so one job results however many processes there are. Except for `oneAtATime`, an additional run
 * does no harm. (graphile-worker's own cron counts in minutes; the settings count in seconds.)
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
