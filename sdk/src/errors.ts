/** One entry of a validation error: where, what, and which rule. The rejected value is never repeated. */
export interface FieldProblem {
  /** `['body', 'target_lang']`, for instance. */
  loc: (string | number)[];
  /** What is wrong, in words. */
  msg: string;
  /** The rule that is broken: `invalid_type`. */
  type: string;
}

/** What an error is made of. */
export interface Failure {
  /** The HTTP status, or null if no answer came. */
  status: number | null;
  /** What is wrong: a sentence, or an entry for each field. */
  detail: string | FieldProblem[];
  /** The service's `error_code`. Default: null. */
  code?: string | null;
  /** X-Request-ID of the answer. Default: null. */
  requestId?: string | null;
  /** Seconds to wait before another attempt. Default: null. */
  retryAfter?: number | null;
  /** What a change was refused for, as it is now. */
  present?: unknown;
  /** Who answered. Default: null. */
  answeredBy?: 'service' | 'other' | null;
  /** The error that this one is made of. */
  cause?: unknown;
}

/** Marks the errors of every copy of this package. */
const brand = Symbol.for('@lingualoop/sdk');

/**
 * A call that did not succeed. Each status the service answers has a subclass; an error of this class itself
 * is a status that has none, or an answer that did not come from LinguaLoop.
 */
export class LinguaLoopError extends Error {
  static {
    LinguaLoopError.prototype.name = 'LinguaLoopError';
    Object.defineProperty(LinguaLoopError.prototype, brand, { value: true });
  }

  /**
   * A process may load the ES module and the CommonJS build, each with classes of its own: an error of one is an instance of the other's
   * class of that name.
   * @internal
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class that is asked, which may be a subclass
    const asked = this as typeof LinguaLoopError;
    if (Function.prototype[Symbol.hasInstance].call(asked, value)) return true;
    const { prototype } = asked;
    if (!Object.hasOwn(prototype, 'name') || typeof value !== 'object' || value === null) return false;
    if (!(brand in value)) return false;
    for (let type = Object.getPrototypeOf(value); brand in type; type = Object.getPrototypeOf(type))
      if (Object.hasOwn(type, 'name') && type.name === prototype.name) return true;
    return false;
  }

  /** The HTTP status, or null where no answer came. */
  readonly status: number | null;
  /** The service's `error_code`, for instance `transient_error`; null where the status says all. */
  readonly code: string | null;
  /** X-Request-ID of the answer: what support asks for. */
  readonly requestId: string | null;
  /** What is wrong: a sentence, or an entry for each field. */
  readonly detail: string | FieldProblem[];
  /** Seconds that the service asks to wait before another attempt. */
  readonly retryAfter: number | null;
  /**
   * What a change was refused for, as it is now, where it had changed since it was read; undefined of every other error.
   */
  readonly present: unknown;
  /** Whether LinguaLoop answered, or something in front of it, such as a proxy; null where nobody did. */
  readonly answeredBy: 'service' | 'other' | null;

  constructor(failure: Failure) {
    super(sentence(failure), failure.cause === undefined ? undefined : { cause: failure.cause });
    this.status = failure.status;
    this.code = failure.code ?? null;
    this.requestId = failure.requestId ?? null;
    this.detail = failure.detail;
    this.retryAfter = failure.retryAfter ?? null;
    this.present = failure.present;
    this.answeredBy = failure.answeredBy ?? null;
  }
}

/** No whole answer came: the service could not be reached, or the connection broke. */
export class ConnectionError extends LinguaLoopError {
  static {
    ConnectionError.prototype.name = 'ConnectionError';
  }

  /** Null: no response says it. */
  declare readonly status: null;
  /** False where the connection was never made, so that the service certainly did nothing. */
  readonly maybeSent: boolean;

  constructor(detail: string, options: Pick<ConnectionError, 'maybeSent'> & Pick<Failure, 'cause'>) {
    super({ status: null, detail, cause: options.cause });
    this.maybeSent = options.maybeSent;
  }
}

/** No answer came in time. The service may still be at work. */
export class TimeoutError extends LinguaLoopError {
  static {
    TimeoutError.prototype.name = 'TimeoutError';
  }

  /** Null: no response says it. */
  declare readonly status: null;
  /** The call, for instance `translations.create`. */
  readonly call: string;
  /** How long the last attempt waited, in milliseconds. */
  readonly timeoutMs: number;

  constructor(call: string, timeoutMs: number, missing = 'no answer') {
    super({ status: null, detail: `${call}: ${missing} within ${timeoutMs} ms` });
    this.call = call;
    this.timeoutMs = timeoutMs;
  }
}

function sentence({ status, detail, requestId }: Failure): string {
  const what =
    typeof detail === 'string'
      ? detail
      : detail.map((problem) => `${problem.loc.join('.')}: ${problem.msg}`).join('; ');
  return [status, what, requestId && `(request ${requestId})`].filter(Boolean).join(' ');
}
