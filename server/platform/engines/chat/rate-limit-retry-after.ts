import { setTimeout as delay } from 'node:timers/promises';
import type { ConcurrencyLimit } from '../../concurrency-limit.ts';
import { countEvent } from '../../telemetry.ts';
import type { CallScope } from '../engine.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The limits and retries of calls to a model. */
export interface RetryPolicy {
  /** Maximum retries of one request, counting all reasons. */
  retries: number;
  sleep: Sleep;
  /** Limits concurrent attempts. Between two attempts, a call holds no slot. */
  concurrencyLimit: ConcurrencyLimit;
  /** Whether another endpoint can respond instead: then a timeout or a long Retry-After ends the retries. */
  isHurried?: boolean;
}

/**
 * Makes a call, and repeats it after a rate limit, an outage or an unusable response. The call must reject with an
 * UpstreamFailure.
 *
 * @throws {AppError} when the retries are used up or a retry would not help
 */
export async function callWithRetries<T>(
  { retries, sleep, concurrencyLimit, isHurried = false }: RetryPolicy,
  scope: CallScope,
  call: () => Promise<T>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    try {
      scope.signal?.throwIfAborted();
      return await concurrencyLimit.run(scope, call);
    } catch (thrown) {
      if (scope.signal?.aborted)
        throw new UpstreamFailure('interrupted', 'the job was stopped before the request').toAppError();
      if (!(thrown instanceof UpstreamFailure)) throw thrown;
      const wait = delayBeforeRetry(retry, thrown.facts.retryAfterMs);
      const isTooLong = wait === undefined || (isHurried && (thrown.facts.timedOut || wait > maxHurriedMs));
      if (!thrown.isRetryable || retry >= retries || isTooLong) throw thrown.toAppError();
      countEvent('engine_retries', thrown.kind);
      await sleep(wait, scope.signal);
    }
  }
}

/** Waits for some milliseconds, or until the signal aborts. Tests replace it. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<unknown>;

export const sleep: Sleep = (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => {});

const firstBackoffMs = 500;
const maxBackoffMs = 8000;

/** Maximum milliseconds before a retry if another endpoint can respond instead. */
const maxHurriedMs = 2000;

/**
 * Maximum milliseconds of a Retry-After that the service itself waits for, because a caller is waiting. A longer
 * Retry-After is passed on to the caller.
 */
const maxRetryAfterMs = 60_000;

/**
 * Returns the milliseconds to wait before a retry; undefined if the Retry-After is too long. The time doubles with
 * each retry. Half of it is random, so that calls that failed together do not retry together. It is never less than
 * Retry-After.
 * @param retry number of the retry, from 0
 */
export function delayBeforeRetry(
  retry: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  if (retryAfterMs !== undefined && retryAfterMs > maxRetryAfterMs) return undefined;
  const half = Math.min(maxBackoffMs, firstBackoffMs * 2 ** retry) / 2;
  return Math.max(retryAfterMs ?? 0, half) + random() * half;
}

/**
 * Returns the milliseconds that the model's endpoint requests to wait. Undefined if it requests none, or in an
 * unknown format. Reads `retry-after-ms` (OpenAI, Azure), then Retry-After in seconds or as a date (RFC 9110,
 * 10.2.3).
 */
export function readRetryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const ms = readNumber(headers.get('retry-after-ms'));
  if (ms !== undefined) return ms;
  const value = headers.get('retry-after');
  const seconds = readNumber(value);
  if (seconds !== undefined) return seconds * 1000;
  // Check for a date first: Date.parse accepts almost anything that ends in a number.
  const date = value?.endsWith('GMT') ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readNumber(value: string | null): number | undefined {
  return value !== null && /^\d{1,12}(\.\d{1,12})?$/.test(value) ? Number(value) : undefined;
}
