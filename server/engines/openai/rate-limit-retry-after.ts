import { setTimeout as delay } from 'node:timers/promises';
import type { ConcurrencyLimit } from '#server/concurrency-limit.ts';
import type { CallScope } from '../engine.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** Waits so many milliseconds, or until the signal goes off. A parameter, so that tests need not. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

export const sleep: Sleep = (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => {});

const firstBackoffMs = 500;
const longestBackoffMs = 8000;

/** Somebody waits for the answer: past this the upstream's wish is handed on to them instead. */
const longestRetryAfterMs = 60_000;

/**
 * Milliseconds to wait before retry number `retry`, counted from 0; undefined where the upstream asks for a wait
 * that is senseless for a call that somebody waits for. Doubles with each retry, half of it at random, so that calls
 * which failed together do not return together; never less than what the upstream asks.
 */
export function delayBeforeRetry(
  retry: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (retryAfterMs !== undefined && retryAfterMs > longestRetryAfterMs) return undefined;
  const half = Math.min(longestBackoffMs, firstBackoffMs * 2 ** retry) / 2;
  return Math.max(retryAfterMs ?? 0, half) + random() * half;
}

/**
 * Milliseconds until the upstream wants to be asked again; undefined where it does not say so legibly. Reads
 * `retry-after-ms` (OpenAI, Azure), then Retry-After in seconds or as a date (RFC 9110, 10.2.3).
 */
export function readRetryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const ms = readNumber(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = readNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // Date.parse alone makes a date of almost anything that ends in a number.
  const date = value?.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(value: string | null): number | undefined {
  return value !== null && /^\d{1,12}(\.\d{1,12})?$/.test(value) ? Number(value) : undefined;
}

/** The manners of calls to an upstream. */
export interface RetryPolicy {
  /** How often a question is asked again, for whatever reason. */
  retries: number;
  sleep: Sleep;
  /** A slot is held for an attempt, not between two. */
  concurrencyLimit: ConcurrencyLimit;
}

/**
 * Attempts a call until it succeeds, or trying again makes no sense. An attempt fails with an UpstreamFailure.
 * @throws AppError of B 7
 */
export async function callWithRetries<T>(
  { retries, sleep, concurrencyLimit }: RetryPolicy,
  scope: CallScope,
  call: () => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      scope.signal?.throwIfAborted();
      return await concurrencyLimit.run(scope, call);
    } catch (thrown) {
      if (scope.signal?.aborted) throw new UpstreamFailure('interrupted', 'the run is over').toAppError();
      if (!(thrown instanceof UpstreamFailure)) throw thrown;
      const wait = delayBeforeRetry(retry, thrown.retryAfterMs);
      if (!thrown.isRetryable || retry >= retries || wait === undefined) throw thrown.toAppError();
      await sleep(wait, scope.signal);
    }
  }
}
