import { pause } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { type Backoff, delayBeforeRetry } from './retry.ts';

/** Default waits between two polls: one second at first, at most five. */
export const usualPolling: Backoff = { firstMs: 1_000, maxMs: 5_000 };

/** How long, in milliseconds, polls may fail before the last error is thrown: longer than a service takes to restart. */
const longestOutage = 300_000;

/**
 * Milliseconds before poll `n`, from 0. The wait grows by a quarter each time, so it is never much more than a quarter
 * of the time passed. `random` is in [0, 1) and spreads clients that began at the same time.
 */
export function delayBeforeLook(
  n: number,
  { firstMs, maxMs }: Backoff,
  random: () => number = Math.random,
): number {
  return Math.min(firstMs * 1.25 ** n, maxMs) * (0.75 + random() / 4);
}

/**
 * Polls repeatedly. Each call of the returned function is one poll, after its wait; callers during a poll share it. A poll that
 * fails temporarily is repeated, after the Retry-After if there is one.
 * @throws the error if it is permanent or has lasted five minutes; the signal's reason. The function may be called again afterwards.
 */
export function createPolling<T>(
  look: () => Promise<T>,
  every: Backoff,
  signal: AbortSignal | undefined,
): () => Promise<T> {
  let looks = 0;
  let inFlight: Promise<T> | undefined;

  async function lookPatiently(): Promise<T> {
    let retryAfter = 0;
    let failingSince: number | undefined;
    for (let failures = 0; ; failures += 1) {
      await pause(Math.max(delayBeforeLook(looks, every), retryAfter), signal);
      looks += 1;
      try {
        return await look();
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (!(error instanceof LinguaLoopError)) throw error;
        failingSince ??= Date.now();
        const state = { repeatable: true, retries: failures, maxRetries: Number.POSITIVE_INFINITY };
        const delay = delayBeforeRetry(error, state, every);
        if (delay === null || Date.now() - failingSince >= longestOutage) throw error;
        retryAfter = delay;
      }
    }
  }

  return () => {
    inFlight ??= lookPatiently().finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };
}
