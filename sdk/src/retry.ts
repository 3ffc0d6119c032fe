import { ConnectionError, type LinguaLoopError, TimeoutError } from './errors.ts';

/** Waits between attempts grow from `firstMs`, doubling, up to `maxMs`. */
export interface Backoff {
  /** The first wait, in milliseconds. */
  firstMs: number;
  /** The maximum wait, in milliseconds. */
  maxMs: number;
}

/** Which calls are retried: those that are safe to repeat, or, if the service certainly did nothing, all. */
type Resend = 'no' | 'repeatable' | 'every';

interface Rule {
  when: string;
  matches(error: LinguaLoopError): boolean;
  resend: Resend;
  /** Maximum retries for this rule, even if the client allows more. */
  times?: number;
}

/** The service's retry guidance, and HTTP's for the rest. The first rule that matches decides. */
const rules: readonly Rule[] = [
  {
    when: 'nothing was sent',
    matches: (error) => error instanceof ConnectionError && !error.maybeSent,
    resend: 'every',
  },
  {
    when: 'no response came: a repeated key returns the same job',
    matches: (error) => error instanceof ConnectionError || error instanceof TimeoutError,
    resend: 'repeatable',
  },
  {
    when: 'the monthly allowance is used up: retrying does not help',
    matches: (error) => error.status === 429 && isAllowance(error),
    resend: 'no',
  },
  {
    when: 'rejected before any work, with a time to retry',
    matches: (error) => error.status === 429 && error.retryAfter !== null,
    resend: 'every',
  },
  { when: 'capacity is saturated', matches: (error) => error.status === 429, resend: 'repeatable' },
  {
    when: 'the request arrived incomplete',
    matches: (error) => error.status === 408,
    resend: 'repeatable',
  },
  { when: 'unexpected failure', matches: (error) => error.status === 500, resend: 'repeatable', times: 1 },
  {
    when: 'upstream failed temporarily',
    matches: (error) => error.status === 503 && error.code === 'transient_error',
    resend: 'repeatable',
  },
  {
    // The service's own 502 and 504, and its other 503s, would fail again: persistence_failed must not be resubmitted,
    // stage_timeout needs a smaller document, and a disabled capability stays disabled.
    when: 'a proxy could not reach the service',
    matches: (error) =>
      error.answeredBy === 'other' && (error.status === 502 || error.status === 503 || error.status === 504),
    resend: 'repeatable',
  },
];

/** Seconds. Calls do not wait longer: the error has `retryAfter`, and the caller decides. */
const maxWaitSeconds = 60;

/** The state of a call that decides whether it is retried. */
export interface RetryState {
  /** Whether sending it again is safe: a read, or a call with an idempotency key. */
  repeatable: boolean;
  /** Retries made so far. */
  retries: number;
  maxRetries: number;
  /** Seconds; 60 by default. */
  maxRetryAfter?: number | undefined;
}

/**
 * Milliseconds to wait before the call is retried after `error`; null if it is not retried. `random` is in [0, 1) and
 * spreads the callers of one failure over time.
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

function isAllowance({ code, detail }: LinguaLoopError): boolean {
  return (
    code === 'quota_exceeded' ||
    (typeof detail === 'string' && detail.startsWith('tenant usage limit exceeded'))
  );
}
