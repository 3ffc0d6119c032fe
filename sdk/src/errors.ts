/** One entry of a validation error: field, message, and rule. The rejected value is never repeated. */
export interface FieldProblem {
  /** The field: for example `['body', 'target_lang']`. */
  loc: (string | number)[];
  /** A readable message. */
  msg: string;
  /** The broken rule: `invalid_type`. */
  type: string;
}

/** The data of an error. */
export interface Failure {
  /** The HTTP status, or null without a response. */
  status: number | null;
  /** A message, or an entry for each field. */
  detail: string | FieldProblem[];
  /** The service's `error_code`. Default: null. */
  code?: string | null;
  /** X-Request-ID of the response. Default: null. */
  requestId?: string | null;
  /** Seconds to wait before another attempt. Default: null. */
  retryAfter?: number | null;
  /** The current state of a resource whose change was rejected. */
  present?: unknown;
  /** The limit that was exceeded. Default: null. */
  limit?: number | null;
  /** The actual size, if known. Default: null. */
  actual?: number | null;
  /** The unit of both. Default: null. */
  unit?: string | null;
  /** A fix. Default: null. */
  hint?: string | null;
  /** The possible languages of a text. Default: null. */
  candidates?: string[] | null;
  /** The sender of the response. Default: null. */
  answeredBy?: 'service' | 'other' | null;
  /** The cause of this error. */
  cause?: unknown;
}

/** Marks the errors of every copy of this package. */
const brand = Symbol.for('@lingualoop/sdk');

/**
 * A call that did not succeed. Each status of the service has a subclass; an error of this class itself has a status
 * without a subclass, or a response that did not come from LinguaLoop.
 */
export class LinguaLoopError extends Error {
  static {
    LinguaLoopError.prototype.name = 'LinguaLoopError';
    Object.defineProperty(LinguaLoopError.prototype, brand, { value: true });
  }

  /**
   * A process may load the ES module and the CommonJS build, each with separate classes: an error of one is also an
   * instance of the other's class of that name.
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

  /** The HTTP status, or null without a response. */
  readonly status: number | null;
  /** The service's `error_code`, for example `transient_error`; null if the status is specific enough. */
  readonly code: string | null;
  /** X-Request-ID of the response: include it when you contact support. */
  readonly requestId: string | null;
  /** A message, or an entry for each field. */
  readonly detail: string | FieldProblem[];
  /** Seconds to wait before another attempt, as requested by the service. */
  readonly retryAfter: number | null;
  /**
   * The current state of the resource, if a change was rejected because it had changed since it was read; undefined
   * for every other error.
   */
  readonly present: unknown;
  /** For a 413: the limit. Null for every other error. */
  readonly limit: number | null;
  /** For a 413: the actual size; null if the service does not know it. */
  readonly actual: number | null;
  /** The unit of `limit` and `actual`: `items`, `characters` or `bytes`. */
  readonly unit: string | null;
  /** A fix, if `detail` does not include one: for example the required credential. */
  readonly hint: string | null;
  /**
   * For a 422 for `source_lang: "auto"`: the possible languages of the text, the likeliest first; empty if none is
   * likely. Null for every other error.
   */
  readonly candidates: string[] | null;
  /**
   * Whether the response is from LinguaLoop, or from something in front of it, such as a proxy; null without a
   * response.
   */
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

/** No complete response arrived: the service could not be reached, or the connection broke. */
export class ConnectionError extends LinguaLoopError {
  static {
    ConnectionError.prototype.name = 'ConnectionError';
  }

  /** Always null: there was no response. */
  declare readonly status: null;
  /** False if the connection was never made, so that the service certainly did nothing. */
  readonly maybeSent: boolean;

  constructor(detail: string, options: Pick<ConnectionError, 'maybeSent'> & Pick<Failure, 'cause'>) {
    super({ status: null, detail, cause: options.cause });
    this.maybeSent = options.maybeSent;
  }
}

/** No response arrived in time. The service may still be working. */
export class TimeoutError extends LinguaLoopError {
  static {
    TimeoutError.prototype.name = 'TimeoutError';
  }

  /** Always null: there was no response. */
  declare readonly status: null;
  /** The call, for example `translations.create`. */
  readonly call: string;
  /** How long the last attempt waited, in milliseconds. */
  readonly timeoutMs: number;

  constructor(call: string, timeoutMs: number, missing = 'no response') {
    super({ status: null, detail: `${call}: ${missing} within ${timeoutMs} ms` });
    this.call = call;
    this.timeoutMs = timeoutMs;
  }
}

/** A message with a number of items, characters or bytes and their limit: `51 items; at most 50 in a batch`. */
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
