import { documentJobs } from '#db/schema/documents.ts';
import type { DocumentJob } from './schema.ts';

/*
 * If a stage fails for a temporary reason, the document waits in the queue, without a worker, and the stage is tried
 * again after pauses of increasing length, for at most OUTAGE_HOURS. The document keeps its reservation of the
 * allowance and its translated segments. When a model responds again, the documents that wait for it start before their
 * pauses end.
 */

/**
 * Milliseconds before the next try: the pause doubles from `first` to `longest`. Up to half of the pause is subtracted
 * at random.
 */
const pauses = { first: 5000, longest: 300_000 };

/**
 * Number of tries by the worker that runs the stage when the outage begins. Later workers try once after each pause.
 */
const triesBeforeFirstPause = 3;

/** Returns the milliseconds before the next try, after `attempts` failed tries; at least `retryAfter` seconds. */
export function pauseAfter(attempts: number, retryAfter = 0): number {
  const pause = Math.min(
    pauses.longest,
    pauses.first * 2 ** Math.max(0, Math.min(attempts, 100) - triesBeforeFirstPause),
  );
  return Math.max(1000 * retryAfter, pause / 2 + (Math.random() * pause) / 2);
}

/** Column values of a job that has made progress and no longer waits. */
export const progressed = {
  interruptions: 0,
  waitingSince: null,
  waitingReason: null,
  waitingAttempts: 0,
  nextAttemptAt: null,
} as const;

const { running, waitingSince, waitingReason, waitingAttempts, nextAttemptAt } = documentJobs;

/** The columns that `waitingView` needs. */
export const waitingColumns = { running, waitingSince, waitingReason, waitingAttempts, nextAttemptAt };

type WaitingColumns = Pick<typeof documentJobs.$inferSelect, keyof typeof waitingColumns>;

/** Returns the reason and the time of the next try of a waiting job; null if the job does not wait. */
export function waitingView(row: WaitingColumns): DocumentJob['waiting'] {
  if (!row.waitingSince || !row.nextAttemptAt) return null;
  return {
    since: row.waitingSince.toISOString(),
    reason: row.waitingReason ?? 'transient_error',
    attempts: row.waitingAttempts,
    next_attempt_at: row.nextAttemptAt.toISOString(),
  };
}

/** Whether the job waits for its next try. False during the try. */
export function isWaiting({
  waitingSince,
  running,
}: Pick<WaitingColumns, 'waitingSince' | 'running'>): boolean {
  return waitingSince !== null && !running;
}
