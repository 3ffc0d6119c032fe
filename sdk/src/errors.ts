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
  /** What a limit allows. Default: null. */
  limit?: number | null;
  /** What was sent, where it is known. Default: null. */
  actual?: number | null;
  /** What both count. Default: null. */
  unit?: string | null;
  /** What to do about it. Default: null. */
  hint?: string | null;
  /** The languages that a text may be in. Default: null. */
  candidates?: string[] | null;
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
  /** Of a 413: what the limit allows. Null for every other error. */
  readonly limit: number | null;
  /** Of a 413: what was sent; null where the service does not know it. */
  readonly actual: number | null;
  /** What `limit` and `actual` count: `items`, `characters` or `bytes`. */
  readonly unit: string | null;
  /** What to do about it, where `detail` does not say it: which credential is needed, for instance. */
  readonly hint: string | null;
  /**
   * Of a 422 for `source_lang: "auto"`: the languages that the text may be in, the likeliest first; empty if none is likely. Null for every
   * other error.
   */
  readonly candidates: string[] | null;
  /** Whether LinguaLoop answered, or something in front of it, such as a proxy; null where no one did. */
  readonly answeredBy: 'service' | 'other' | null;

  constructor(failure: Failure) {
    super(sentence(failure), failure.cause === undefined ? undefined : { cause: failure.cause });
    this.status = failure.status;
    this.code = failure.code ?? null;
    this.requestId = failure.requestId ?? null;
    this.detail = failure.detail;
    this.retryAfter = failure.retryAfter ?? null;
    this.present = failure.present;
    this.limit = failure.limit ?? null;
    this.actual = failure.actual ?? null;
    this.unit = failure.unit ?? null;
    this.hint = failure.hint ?? null;
    this.candidates = failure.candidates ?? null;
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

/** A number of items, characters or bytes in words, and what there may be at most: `51 items; at most 50 in a batch`. */
function excessOf({ limit, actual, unit }: Failure): string | undefined {
  if (typeof limit !== 'number' || !unit) return undefined;
  const isBytes = unit === 'bytes';
  const figure = (value: number) =>
    (isBytes ? value / 1_000_000 : value).toLocaleString('en-US', { maximumFractionDigits: 3 });
  const counted = isBytes ? 'MB' : unit;
  const whole = ({ items: 'batch', characters: 'text' } as Record<string, string>)[unit] ?? 'request';
  return typeof actual === 'number'
    ? `${figure(actual)} ${counted}; at most ${figure(limit)}${isBytes ? ' MB' : ''} in a ${whole}`
    : `at most ${figure(limit)} ${counted} in a ${whole}`;
}

function sentence(failure: Failure): string {
  const { status, detail, requestId, hint } = failure;
  const problem =
    typeof detail === 'string'
      ? detail
      : detail.map((problem) => `${problem.loc.join('.')}: ${problem.msg}`).join('; ');
  const excess = excessOf(failure);
  const what = [excess ? `${problem}: ${excess}` : problem, hint].filter(Boolean).join('; ');
  return [status, what, requestId && `(request ${requestId})`].filter(Boolean).join(' ');
}
