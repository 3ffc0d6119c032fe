import { ConnectionError, type LinguaLoopError, TimeoutError } from './errors.ts';

/** Waits between attempts grow from `firstMs`, doubling, up to `maxMs`. */
export interface Backoff {
  /** The first wait, in milliseconds. */
  firstMs: number;
  /** The longest wait, in milliseconds. */
  maxMs: number;
}

/** Which calls are retried: those that do no work twice, or, if the service certainly did nothing, all. */
type Resend = 'no' | 'repeatable' | 'every';

interface Rule {
  when: string;
  matches(error: LinguaLoopError): boolean;
  resend: Resend;
  /** Maximum retries for this rule, whatever the client allows. */
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
    when: 'no answer came: a repeated key answers the same job',
    matches: (error) => error instanceof ConnectionError || error instanceof TimeoutError,
    resend: 'repeatable',
  },
  {
    when: 'the monthly allowance is used up: it stays so until there is headroom',
    matches: (error) => error.status === 429 && isAllowance(error),
    resend: 'no',
  },
  {
    when: 'refused at the gate, with a time to come back',
    matches: (error) => error.status === 429 && error.retryAfter !== null,
    resend: 'every',
  },
  { when: 'capacity is saturated', matches: (error) => error.status === 429, resend: 'repeatable' },
  {
    when: 'the request did not arrive whole',
    matches: (error) => error.status === 408,
    resend: 'repeatable',
  },
  { when: 'unexpected failure', matches: (error) => error.status === 500, resend: 'repeatable', times: 1 },
  {
    when: 'upstream failed for the moment',
    matches: (error) => error.status === 503 && error.code === 'transient_error',
    resend: 'repeatable',
  },
  {
    // The service's own 502 and 504, and its other 503s, would fail again: persistence_failed must not be resubmitted,
    // stage_timeout needs a smaller document, and a disabled capability stays disabled.
    when: 'a proxy had nobody to ask',
    matches: (error) =>
      error.answeredBy === 'other' && (error.status === 502 || error.status === 503 || error.status === 504),
    resend: 'repeatable',
  },
];

/** Seconds. A longer wait does not happen inside a call: the error has `retryAfter`, and the caller decides. */
const maxWaitSeconds = 60;

/** The state of a call that decides whether it is retried. */
export interface RetryState {
  /** Whether sending it again does no work twice: a read, or a call with an idempotency key. */
  repeatable: boolean;
  /** Retries made so far. */
  retries: number;
  maxRetries: number;
  /** Seconds; 60 unless told. */
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
