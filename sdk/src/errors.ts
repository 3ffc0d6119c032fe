/** One entry of a validation error: the field, the message, and the rule. The rejected value is never included. */
export interface FieldProblem {
  /** The path of the field, for example `['body', 'target_lang']`. */
  loc: (string | number)[];
  /** A readable message. */
  msg: string;
  /** The rule that was broken, for example `invalid_type`. */
  type: string;
}

/** The fields from which an error is created. */
export interface Failure {
  /** The HTTP status; null without a response. */
  status: number | null;
  /** A message, or one entry for each invalid field. */
  detail: string | FieldProblem[];
  /** The service's `error_code`. Default: null. */
  code?: string | null;
  /** X-Request-ID of the response. Default: null. */
  requestId?: string | null;
  /** The headers of the response. Default: null. */
  headers?: Pick<Headers, 'get'> | null;
  /** Seconds to wait before the next attempt. Default: null. */
  retryAfter?: number | null;
  /** The current state of the resource, if a change to the resource was rejected. */
  present?: unknown;
  /** The limit that was exceeded. Default: null. */
  limit?: number | null;
  /** The actual size, if the service knows it. Default: null. */
  actual?: number | null;
  /** The unit of `limit` and `actual`. Default: null. */
  unit?: string | null;
  /** A fix. Default: null. */
  hint?: string | null;
  /** The possible languages of a text whose language could not be detected. Default: null. */
  candidates?: string[] | null;
  /** Whether LinguaLoop sent the response, or another server such as a proxy. Default: null. */
  answeredBy?: 'service' | 'other' | null;
  /** The cause of this error. */
  cause?: unknown;
}

/** Marks errors of this package, regardless of the copy of the package that created them. */
const brand = Symbol.for('@lingualoop/sdk');

/**
 * A failed call. Most statuses of the service have a subclass. An error that is not of a subclass has another status,
 * or a response that is not from LinguaLoop.
 */
export class LinguaLoopError extends Error {
  static {
    LinguaLoopError.prototype.name = 'LinguaLoopError';
    Object.defineProperty(LinguaLoopError.prototype, brand, { value: true });
  }

  /**
   * A process may load both the ES module and the CommonJS build of this package, which have separate classes. An
   * error of one build is also an instance of the class with the same name in the other.
   * @internal
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the class of the check, which may be a subclass
    const asked = this as typeof LinguaLoopError;
    if (Function.prototype[Symbol.hasInstance].call(asked, value)) return true;
    const { prototype } = asked;
    if (!Object.hasOwn(prototype, 'name') || typeof value !== 'object' || value === null) return false;
    if (!(brand in value)) return false;
    for (let type = Object.getPrototypeOf(value); brand in type; type = Object.getPrototypeOf(type))
      if (Object.hasOwn(type, 'name') && type.name === prototype.name) return true;
    return false;
  }

  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** The service's `error_code`, for example `transient_error`. Null if the response is not from LinguaLoop. */
  readonly code: string | null;
  /** X-Request-ID of the response: include it when you contact support. */
  readonly requestId: string | null;
  /** All headers of the response; null without a response. Not part of `toJSON`. */
  declare readonly headers: Pick<Headers, 'get'> | null;
  /** A message, or one entry for each invalid field. */
  readonly detail: string | FieldProblem[];
  /** Seconds to wait before the next attempt, as the service requests. */
  readonly retryAfter: number | null;
  /**
   * The current state of the resource, if a change was rejected because the resource had changed since the caller
   * read it. Undefined for all other errors.
   */
  readonly present: unknown;
  /** For status 413, the limit. Null for all other errors. */
  readonly limit: number | null;
  /** For status 413, the actual size. Null for all other errors, and if the service does not know the size. */
  readonly actual: number | null;
  /** The unit of `limit` and `actual`: `items`, `characters` or `bytes`. */
  readonly unit: string | null;
  /** A fix, such as the required credential, if `detail` does not contain one. */
  readonly hint: string | null;
  /**
   * For status 422 after `source_lang: "auto"`, the possible languages of the text, the most likely one first; empty
   * if no language is likely. Null for all other errors.
   */
  readonly candidates: string[] | null;
  /**
   * Whether LinguaLoop sent the response, or another server in front of it, such as a proxy. Null if there was no
   * response.
   */
  readonly answeredBy: 'service' | 'other' | null;

  constructor(failure: Failure) {
    super(sentence(failure), failure.cause === undefined ? undefined : { cause: failure.cause });
    this.status = failure.status;
    this.code = failure.code ?? null;
    this.requestId = failure.requestId ?? null;
    // Not enumerable: logs of errors show all enumerable fields, and a proxy may send any header.
    Object.defineProperty(this, 'headers', { value: failure.headers ?? null });
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

  /** The fields that are not null, with the message, for `JSON.stringify` and for logs. Without the cause and `present`. */
  toJSON(): Record<string, unknown> {
    const { cause: _, present: _present, name, message, ...fields } = this;
    return Object.fromEntries(
      Object.entries({ name, message, ...fields }).filter(([, value]) => value !== null),
    );
  }
}

/** No complete response arrived: the service could not be reached, or the connection broke. */
export class ConnectionError extends LinguaLoopError {
  static {
    ConnectionError.prototype.name = 'ConnectionError';
  }

  /** Always null: no response arrived. */
  declare readonly status: null;
  /** False if no connection was established, so that the service certainly did nothing. */
  readonly maybeSent: boolean;

  constructor(detail: string, options: Pick<ConnectionError, 'maybeSent'> & Pick<Failure, 'cause'>) {
    super({ status: null, detail, cause: options.cause });
    this.maybeSent = options.maybeSent;
  }
}

/** No response arrived in time. The service may still be processing the request. */
export class TimeoutError extends LinguaLoopError {
  static {
    TimeoutError.prototype.name = 'TimeoutError';
  }

  /** Always null: no response arrived. */
  declare readonly status: null;
  /** The name of the call, for example `translations.create`. */
  readonly call: string;
  /** The time limit of the last attempt, in milliseconds. */
  readonly timeoutMs: number;

  constructor(call: string, timeoutMs: number, missing = 'no response') {
    super({ status: null, detail: `${call}: ${missing} within ${timeoutMs} ms` });
    this.call = call;
    this.timeoutMs = timeoutMs;
  }
}

/**
 * Describes the exceeded limit and its unit, for example `51 items; at most 50 in a batch`. Undefined if there is
 * none.
 */
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
