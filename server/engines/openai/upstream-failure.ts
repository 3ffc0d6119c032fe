import { AppError, type ErrorName } from '#server/errors.ts';

interface FailureKind {
  /** Whether asking again may help. */
  again: boolean;
  code: ErrorName;
  detail: string;
}

/** How an upstream call can fail, and what the caller is told (B 7). */
const failureKinds = {
  saturated: {
    again: true,
    code: 'rate_limit',
    detail: 'translation capacity is saturated; try again later',
  },
  outage: {
    again: true,
    code: 'transient_error',
    detail: 'the translation model is not reachable; try again later',
  },
  malformed: {
    again: true,
    code: 'transient_error',
    detail: 'the translation model gave no usable answer; try again later',
  },
  filtered: {
    again: false,
    code: 'content_filtered',
    detail: 'the text was refused by a content policy; do not send it again',
  },
  interrupted: {
    again: false,
    code: 'transient_error',
    detail: 'the translation was interrupted; try again later',
  },
  misconfigured: {
    again: false,
    code: 'service_unavailable',
    detail: 'the translation model of this service is not available',
  },
} as const satisfies Record<string, FailureKind>;

/** What is known of a failed call. Nothing in it is text that the upstream wrote freely. */
export interface FailureFacts {
  status?: number | undefined;
  /** A word, not a sentence: the upstream's error code, or the network's. */
  code?: string | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
}

/**
 * A call that yielded no answer. Its message goes to the log, so it names facts only: an upstream's own message
 * may quote the key or the source text.
 */
export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure';
  readonly kind: keyof typeof failureKinds;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: keyof typeof failureKinds, reason: string, facts: FailureFacts = {}) {
    const { status, code, requestId, retryAfterMs } = facts;
    const known = Object.entries({ status, code, requestId }).filter(([, value]) => value !== undefined);
    super(`${kind}: ${[reason, ...known.map(([name, value]) => `${name} ${value}`)].join(', ')}`);
    this.kind = kind;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  get isRetryable(): boolean {
    return failureKinds[this.kind].again;
  }

  /** The error of B 7, once nobody asks again. */
  toAppError(): AppError {
    const { again, code, detail } = failureKinds[this.kind];
    const ms = again ? this.retryAfterMs : undefined;
    // A second at least: whoever reads 0 after spent retries would come back at once.
    const retryAfter =
      ms === undefined ? {} : { retryAfter: Math.min(3600, Math.max(1, Math.ceil(ms / 1000))) };
    return new AppError(code, detail, { cause: this, ...retryAfter });
  }
}
