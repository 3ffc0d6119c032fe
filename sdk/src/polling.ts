import { pause, withDeadline } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { type Backoff, delayBeforeRetry } from './retry.ts';

/** The default time between two polls: first 1 s, growing to 5 s. */
export const usualPolling: Backoff = { firstMs: 1_000, maxMs: 5_000 };

/**
 * Maximum milliseconds for one poll. That is enough, because a poll translates nothing, and the next one follows
 * soon.
 */
export const maxPollIntervalMs = 30_000;

/**
 * Maximum milliseconds for which polls may fail until the last error is thrown. A restart of the service takes less
 * time.
 */
const maxOutageMs = 300_000;

/**
 * Returns the milliseconds to wait before poll `n`; the first poll is 0. The time grows by a quarter with each poll,
 * so a result is noticed after at most about 125% of the time that the work takes.
 * @param random in [0, 1); spreads clients that began at the same time
 */
export function delayBeforePoll(
  n: number,
  { firstMs, maxMs }: Backoff,
  random: () => number = Math.random,
): number {
  return Math.min(firstMs * 1.25 ** n, maxMs) * (0.75 + random() / 4);
}

/**
 * Returns a function that polls repeatedly. Each call of this function waits, then polls once. A call during a wait
 * or poll shares its result. If a poll fails for a temporary reason, it is repeated; a Retry-After is respected. If
 * the signal of a call aborts, only this call ends, and the poll, too, if no other call waits for it. After an error,
 * the function may be called again.
 * @param look polls once; gets a signal that ends the poll
 * @throws the error of a poll, if it is permanent or has lasted for five minutes; the reason of the signal
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
