import { AppError, type ErrorName } from '#server/errors.ts';

interface FailureKind {
  /** Whether a retry may help. */
  retryable: boolean;
  /** Set if the model has responded, even if the response is not usable. */
  answered?: true;
  code: ErrorName;
  /** Seconds after which a caller may try again, if the endpoint of the model does not say. */
  retryAfter?: number;
  detail: string;
}

/** The ways in which a call to a model can fail, each with the error for the caller. */
const failureKinds = {
  saturated: {
    retryable: true,
    code: 'rate_limit',
    detail: 'translation capacity is saturated; try again later',
  },
  outage: {
    retryable: true,
    code: 'transient_error',
    retryAfter: 5,
    detail: 'the translation model is unreachable; try again later',
  },
  malformed: {
    retryable: true,
    answered: true,
    code: 'transient_error',
    retryAfter: 5,
    detail: 'the translation model returned no usable response; try again later',
  },
  /** The content of the response is not the requested JSON. */
  unstructured: {
    retryable: true,
    answered: true,
    code: 'transient_error',
    retryAfter: 5,
    detail: 'the translation model returned no usable response; try again later',
  },
  filtered: {
    retryable: false,
    code: 'content_filtered',
    detail: 'the text was rejected by a content policy; do not send it again',
  },
  interrupted: {
    retryable: false,
    code: 'transient_error',
    retryAfter: 5,
    detail: 'the translation was interrupted; try again later',
  },
  /** The endpoint rejects the requested response format. */
  unsupported: {
    retryable: false,
    code: 'service_unavailable',
    retryAfter: 60,
    detail: 'the translation model of this service is not available',
  },
  misconfigured: {
    retryable: false,
    code: 'service_unavailable',
    retryAfter: 60,
    detail: 'the translation model of this service is not available',
  },
} as const satisfies Record<string, FailureKind>;

/** Facts about a failed call, for the log. None of them is free text from the endpoint. */
export interface FailureFacts {
  status?: number | undefined;
  /** A code in one word: the error code of the endpoint or of the network. */
  code?: string | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  /** Whether OPENAI_TIMEOUT_SECONDS passed without a response. */
  timedOut?: boolean;
}

/**
 * A failed call to a model. Its message is logged, so it contains only facts: the message of the endpoint may quote
 * the API key or the source text.
 */
export class UpstreamFailure extends Error {
  override name = 'UpstreamFailure';
  readonly kind: keyof typeof failureKinds;
  readonly facts: FailureFacts;
  /** For the log, which prints the `code` of any error. */
  readonly code: string | undefined;

  constructor(kind: keyof typeof failureKinds, reason: string, facts: FailureFacts = {}) {
    const { status, code, requestId } = facts;
    const known = Object.entries({ status, code, requestId }).filter(([, value]) => value !== undefined);
    super(`${kind}: ${[reason, ...known.map(([name, value]) => `${name} ${value}`)].join(', ')}`);
    this.kind = kind;
    this.facts = facts;
    this.code = code;
  }

  get isRetryable(): boolean {
    return failureKinds[this.kind].retryable;
  }

  /** Returns the error for the caller, for use after the last retry. */
  toAppError(): AppError {
    const kind: FailureKind = failureKinds[this.kind];
    const { code, detail, answered = false } = kind;
    const ms = kind.retryable ? this.facts.retryAfterMs : undefined;
    // At least one second: with 0, the caller would retry immediately.
    const retryAfter = ms === undefined ? kind.retryAfter : Math.min(3600, Math.max(1, Math.ceil(ms / 1000)));
    return new AppError(code, detail, {
      cause: this,
      answered,
      dependency: 'model',
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }
}

/** The failures that concern the endpoint and not only one text. */
export const endpointFailures: readonly UpstreamFailure['kind'][] = [
  'saturated',
  'outage',
  'misconfigured',
  'unsupported',
];

/** Number of endpoint failures in a row after which the first endpoint is left out. */
const failuresToSkip = 3;
/** Milliseconds until one request tries it again. */
const skipMs = 30_000;

/** Remembers whether an endpoint works, so that no caller is delayed by one that has just failed several times. */
export function createHealth(now: () => number = () => performance.now()) {
  let failures = 0;
  let tryAgainAt = 0;
  return {
    /** Whether to send a request. After a pause, one caller gets true, and the others after another pause. */
    mayTry(): boolean {
      if (failures < failuresToSkip) return true;
      if (now() < tryAgainAt) return false;
      tryAgainAt = now() + skipMs;
      return true;
    },
    works(): void {
      failures = 0;
    },
    failed(): void {
      failures++;
      if (failures === failuresToSkip) tryAgainAt = now() + skipMs;
    },
  };
}

/** The failure that caused the error of a call. */
export function failureOf(thrown: unknown): UpstreamFailure | undefined {
  const { cause } = (thrown ?? {}) as { cause?: unknown };
  return cause instanceof UpstreamFailure ? cause : undefined;
}
