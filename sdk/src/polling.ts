import { pause } from './deadline.ts';
import { LinguaLoopError } from './errors.ts';
import { type Backoff, delayBeforeRetry } from './retry.ts';

/** Waits between two looks unless told: a second at first, five at most. */
export const usualPolling: Backoff = { firstMs: 1_000, maxMs: 5_000 };

/** How long looks may fail before the last failure is thrown: longer than a service takes to start anew. */
const longestOutage = 300_000;

/**
 * Milliseconds before look `n`, from 0. Growing by a quarter, the wait is never much more than a quarter of the time that
 * has passed. `random` is in [0, 1), and keeps those who began together apart.
 */
export function delayBeforeLook(
  n: number,
  { firstMs, maxMs }: Backoff,
  random: () => number = Math.random,
): number {
  return Math.min(firstMs * 1.25 ** n, maxMs) * (0.75 + random() / 4);
}

/**
 * Looks at something again and again. Each call of the function answered is one look, after its wait; those who call while
 * one is under way share it. A look that fails for the moment is repeated, after a Retry-After where there is one.
 * @throws the error that will not pass, or has not for five minutes; the signal's reason. It may be called again afterwards.
 */
export function createPolling<T>(
  look: () => Promise<T>,
  every: Backoff,
  signal: AbortSignal | undefined,
): () => Promise<T> {
  let looks = 0;
  let underWay: Promise<T> | undefined;

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
    underWay ??= lookPatiently().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
