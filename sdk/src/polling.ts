import { pause, withDeadline } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { type Backoff, delayBeforeRetry } from './retry.ts';

/** Default waits between two polls: one second at first, at most five. */
export const usualPolling: Backoff = { firstMs: 1_000, maxMs: 5_000 };

/** Maximum milliseconds of one poll. A poll translates nothing, and the next one follows soon. */
export const maxPollIntervalMs = 30_000;

/** How long, in milliseconds, polls may fail before the last error is thrown: longer than a service takes to restart. */
const maxOutageMs = 300_000;

/**
 * Milliseconds before poll `n`, from 0. The wait grows by a quarter each time, so it is never much more than a quarter
 * of the time passed. `random` is in [0, 1) and spreads clients that began at the same time.
 */
export function delayBeforePoll(
  n: number,
  { firstMs, maxMs }: Backoff,
  random: () => number = Math.random,
): number {
  return Math.min(firstMs * 1.25 ** n, maxMs) * (0.75 + random() / 4);
}

/**
 * Polls repeatedly. Each call of the returned function is one poll, after its wait; callers during a poll share it. A
 * poll that fails temporarily is repeated, after the Retry-After if there is one. The signal of a call ends the wait
 * of that caller; if no other caller waits, it ends the poll, too.
 * @param look receives a signal that ends it
 * @throws the error if it is permanent or has lasted five minutes; the signal's reason. The function may be called
 * again afterwards.
 */
export function createPolling<T>(
  look: (stop: AbortSignal) => Promise<T>,
  every: Backoff,
  signal: AbortSignal | undefined,
): (waiter?: AbortSignal) => Promise<T> {
  let looks = 0;
  let inProgress: { result: Promise<T>; stop: AbortController; waiting: number } | undefined;

  async function lookPatiently(stop: AbortSignal): Promise<T> {
    let retryAfter = 0;
    let failingSince: number | undefined;
    for (let failures = 0; ; failures += 1) {
      await pause(Math.max(delayBeforePoll(looks, every), retryAfter), stop);
      looks += 1;
      try {
        return await look(stop);
      } catch (error) {
        if (stop.aborted) throw stop.reason;
        if (!(error instanceof LinguaLoopError)) throw error;
        failingSince ??= Date.now();
        const state = { repeatable: true, retries: failures, maxRetries: Number.POSITIVE_INFINITY };
        const delay = delayBeforeRetry(error, state, every);
        if (delay === null || Date.now() - failingSince >= maxOutageMs) throw error;
        retryAfter = delay;
      }
    }
  }

  function begin() {
    const stop = new AbortController();
    const result = withDeadline(
      (ended) => {
        ended.addEventListener('abort', () => stop.abort(ended.reason), { once: true });
        return lookPatiently(stop.signal);
      },
      Number.POSITIVE_INFINITY,
      signal,
    ).finally(() => {
      if (inProgress === poll) inProgress = undefined;
    });
    const poll = { result, stop, waiting: 0 };
    return poll;
  }

  return (waiter) => {
    if (waiter?.aborted) return Promise.reject(waiter.reason);
    inProgress ??= begin();
    const poll = inProgress;
    poll.waiting += 1;
    return withDeadline(() => poll.result, Number.POSITIVE_INFINITY, waiter).finally(() => {
      poll.waiting -= 1;
      if (poll.waiting > 0) return;
      if (inProgress === poll) inProgress = undefined;
      poll.stop.abort();
    });
  };
}
