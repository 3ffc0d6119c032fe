import { type Failure, type FieldProblem, LinguaLoopError } from './errors.ts';
import {
  AuthenticationError,
  BadGatewayError,
  BadRequestError,
  ConflictError,
  GatewayTimeoutError,
  InsufficientStorageError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  RequestTimeoutError,
  ServiceUnavailableError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
} from './status-errors.ts';

/** Thrown for a response without a result: an error of the service, or a response of another server. */
export class FailedResponse {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  /** The body as parsed JSON; the text if the body is not JSON. */
  readonly body: unknown;

  constructor(status: number, headers: Pick<Headers, 'get'>, body: unknown) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/** Converts a failed response to an error. Works for responses of the service and of other servers. */
export function errorOfResponse(
  { status, headers, body }: FailedResponse,
  now: number = Date.now(),
): LinguaLoopError {
  const requestId = headers.get('x-request-id');
  const known = rpcError(body) ?? restError(body);
  const retryAfter = readRetryAfter(headers.get('retry-after'), now) ?? known?.retryAfter ?? null;
  if (!known)
    return errorOfStatus({
      status,
      detail: describe(status, headers, body),
      headers,
      requestId,
      retryAfter,
      answeredBy: 'other',
    });
  return errorOfStatus({
    status,
    detail: known.detail,
    code: known.code,
    headers,
    requestId: known.requestId ?? requestId,
    retryAfter,
    present: known.present,
    limit: known.limit,
    actual: known.actual,
    unit: known.unit,
    hint: known.hint ?? neededCredential(headers.get('www-authenticate')),
    candidates: known.candidates,
    answeredBy: 'service',
  });
}

/** Returns the part of a WWW-Authenticate challenge (RFC 6750) that names the required credential. */
function neededCredential(challenge: string | null): string | null {
  return /error_description="([^"]*)"/.exec(challenge ?? '')?.[1] ?? null;
}

interface ServiceError {
  detail: string | FieldProblem[];
  code: string | null;
  requestId: string | null;
  retryAfter: number | null;
  limit: number | null;
  actual: number | null;
  unit: string | null;
  hint: string | null;
  candidates: string[] | null;
  present?: unknown;
}

/**
 * Reads an error of `/trpc`: superjson around tRPC's error object, with the service's fields in `data`. Undefined for
 * other bodies.
 */
function rpcError(body: unknown): ServiceError | undefined {
  const data = member(member(member(body, 'error'), 'json'), 'data');
  const known = serviceError(data, number(member(data, 'retry_after')));
  return known && { ...known, present: member(data, 'present') };
}

/**
 * Reads an error in the format of REST. The service also sends it for requests that do not reach a `/trpc` procedure,
 * such as a malformed request. Undefined for other bodies.
 */
function restError(body: unknown): ServiceError | undefined {
  return serviceError(body, null);
}

function serviceError(fields: unknown, retryAfter: number | null): ServiceError | undefined {
  const detail = member(fields, 'detail');
  if (typeof detail !== 'string' && !isProblems(detail)) return undefined;
  return {
    detail,
    code: text(member(fields, 'error_code')),
    requestId: text(member(fields, 'request_id')),
    limit: number(member(fields, 'limit')),
    actual: number(member(fields, 'actual')),
    unit: text(member(fields, 'unit')),
    hint: text(member(fields, 'hint')),
    candidates: texts(member(fields, 'candidates')),
    retryAfter,
  };
}

/** Describes a response that is not from LinguaLoop, by its content type and the beginning of its body. */
function describe(status: number, headers: Pick<Headers, 'get'>, body: unknown): string {
  // Browsers hide the target of a redirect from the page; the status is then 0.
  const location = status === 0 ? 'another URL' : headers.get('location');
  if ((status === 0 || (status >= 300 && status < 400)) && location)
    return `redirected to ${location}; check baseUrl`;
  const type = headers.get('content-type')?.split(';', 1)[0] ?? 'no content type';
  const words = (typeof body === 'string' ? body.slice(0, 2000) : JSON.stringify(body).slice(0, 2000))
    .replaceAll(/<(script|style)\b.*?<\/\1>/gis, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 200);
  return `a response that is not from LinguaLoop (${type})${words === '' ? '' : `: ${words}`}`;
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function texts(value: unknown): string[] | null {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function isProblems(value: unknown): value is FieldProblem[] {
  return Array.isArray(value) && value.every((entry) => Array.isArray(member(entry, 'loc')));
}

/** The error class of each status. */
const classes: Readonly<Record<number, new (failure: Failure) => LinguaLoopError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  408: RequestTimeoutError,
  409: ConflictError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  422: UnprocessableContentError,
  429: RateLimitError,
  500: InternalServerError,
  502: BadGatewayError,
  503: ServiceUnavailableError,
  504: GatewayTimeoutError,
  507: InsufficientStorageError,
};

/** Creates an error of the class for its status. */
export function errorOfStatus(failure: Failure & { status: number }): LinguaLoopError {
  return new (classes[failure.status] ?? LinguaLoopError)(failure);
}

/**
 * Whether the service itself rejected the credential. If a proxy in front of the service sends a 401, this does not
 * concern the service's tokens.
 */
export function isServiceRefusal(error: unknown): error is AuthenticationError {
  return error instanceof AuthenticationError && error.answeredBy === 'service';
}

/**
 * Returns the seconds to wait according to a Retry-After header: its number, or the time from `now` (milliseconds
 * since the epoch) to its HTTP date. Null if the header is missing or invalid.
 */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
