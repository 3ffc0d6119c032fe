import { ConnectionError, type LinguaLoopError, TimeoutError } from './errors.ts';

/** Waiting times between attempts. The first is `firstMs`; each further one is twice as long, up to `maxMs`. */
export interface Backoff {
  /** The first waiting time, in milliseconds. */
  firstMs: number;
  /** The longest waiting time, in milliseconds. */
  maxMs: number;
}

/**
 * Which calls are retried after an error: none, those that are safe to repeat, or, if the service certainly did
 * nothing, every call.
 */
type Resend = 'no' | 'repeatable' | 'every';

interface Rule {
  when: string;
  matches(error: LinguaLoopError): boolean;
  resend: Resend;
  /** Maximum retries under this rule, even if the client's options allow more. */
  times?: number;
}

/**
 * The rules for retries, as the service documents them; for other responses, as HTTP suggests. The first matching
 * rule applies.
 */
const rules: readonly Rule[] = [
  {
    when: 'the request was not sent',
    matches: (error) => error instanceof ConnectionError && !error.maybeSent,
    resend: 'every',
  },
  {
    when: 'no response was received: a request with the same idempotency key returns the same job',
    matches: (error) => error instanceof ConnectionError || error instanceof TimeoutError,
    resend: 'repeatable',
  },
  {
    when: 'the allowance is used up: retrying does not help',
    matches: (error) => error.code === 'quota_exceeded',
    resend: 'no',
  },
  {
    when: 'rejected before any work, with the time after which to retry',
    matches: (error) => error.status === 429 && error.retryAfter !== null,
    resend: 'every',
  },
  {
    when: 'the service has no free capacity',
    matches: (error) => error.status === 429,
    resend: 'repeatable',
  },
  {
    when: 'the request arrived incomplete',
    matches: (error) => error.status === 408,
    resend: 'repeatable',
  },
  {
    when: 'unexpected error of the service',
    matches: (error) => error.status === 500,
    resend: 'repeatable',
    times: 1,
  },
  {
    when: 'a system that the service needs failed temporarily',
    matches: (error) => error.status === 503 && error.code === 'transient_error',
    resend: 'repeatable',
  },
  {
    // Only for a response that is not from the service. The service's own 502 and 504, and most of its 503s, would
    // fail again: persistence_failed must not be sent again, stage_timeout needs a smaller document, and a disabled
    // capability stays disabled.
    when: 'a proxy could not reach the service',
    matches: (error) =>
      error.answeredBy === 'other' && (error.status === 502 || error.status === 503 || error.status === 504),
    resend: 'repeatable',
  },
];

/**
 * Maximum seconds that a call waits. If the service requests more, the call fails and the caller can use the error's
 * `retryAfter`.
 */
const maxWaitSeconds = 60;

/** The facts about a call that decide whether it is retried. */
export interface RetryState {
  /** Whether it is safe to send the request again: for a read, or with an idempotency key. */
  repeatable: boolean;
  /** The number of retries made so far. */
  retries: number;
  maxRetries: number;
  /** Maximum seconds of a Retry-After that is respected. Default: 60. */
  maxRetryAfter?: number | undefined;
}

/**
 * Returns the milliseconds to wait before the call is retried after `error`, or null if it is not retried.
 * @param random in [0, 1); spreads callers that fail at the same time
 */
export function delayBeforeRetry(
  error: LinguaLoopError,
  { repeatable, retries, maxRetries, maxRetryAfter = maxWaitSeconds }: RetryState,
  backoff: Backoff,
  random: () => number = Math.random,
): number | null {
  const rule = rules.find((candidate) => candidate.matches(error));
  if (!rule || rule.resend === 'no' || (rule.resend === 'repeatable' && !repeatable)) return null;
  if (retries >= Math.min(maxRetries, rule.times ?? maxRetries)) return null;
  if (error.retryAfter === null)
    return Math.min(backoff.firstMs * 2 ** retries, backoff.maxMs) * (0.5 + random() / 2);
  if (error.retryAfter > maxRetryAfter) return null;
  return error.retryAfter * 1000 + random() * backoff.firstMs;
}
