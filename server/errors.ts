import type { TRPC_ERROR_CODE_KEY } from '@trpc/server/rpc';

interface ErrorKind {
  status: number;
  /** The tRPC error code that is closest to `status`. The HTTP response always has `status`. */
  trpc: TRPC_ERROR_CODE_KEY;
}

const kind = (status: number, trpc: TRPC_ERROR_CODE_KEY): ErrorKind => ({ status, trpc });

/** All errors of the service, by `error_code`, with their responses. */
export const errorTable = {
  malformed_request: kind(400, 'BAD_REQUEST'),
  unauthenticated: kind(401, 'UNAUTHORIZED'),
  payment_required: kind(402, 'PAYMENT_REQUIRED'),
  forbidden: kind(403, 'FORBIDDEN'),
  route_not_found: kind(404, 'NOT_FOUND'),
  method_not_allowed: kind(405, 'METHOD_NOT_SUPPORTED'),
  request_timeout: kind(408, 'TIMEOUT'),
  capability_not_enabled: kind(409, 'CONFLICT'),
  state_conflict: kind(409, 'CONFLICT'),
  payload_too_large: kind(413, 'PAYLOAD_TOO_LARGE'),
  unsupported_media_type: kind(415, 'UNSUPPORTED_MEDIA_TYPE'),
  invalid_fields: kind(422, 'UNPROCESSABLE_CONTENT'),
  unprocessable: kind(422, 'UNPROCESSABLE_CONTENT'),
  too_many_requests: kind(429, 'TOO_MANY_REQUESTS'),
  headers_too_large: kind(431, 'BAD_REQUEST'),
  import_backend_unavailable: kind(502, 'BAD_GATEWAY'),
  platform_storage_unavailable: kind(502, 'BAD_GATEWAY'),
  capability_off: kind(503, 'SERVICE_UNAVAILABLE'),
  storage_cap_reached: kind(507, 'INTERNAL_SERVER_ERROR'),
  disk_full: kind(507, 'INTERNAL_SERVER_ERROR'),

  validation_error: kind(400, 'BAD_REQUEST'),
  proof_required: kind(403, 'FORBIDDEN'),
  not_found: kind(404, 'NOT_FOUND'),
  conflict: kind(409, 'CONFLICT'),
  critical_findings: kind(409, 'CONFLICT'),
  storage_binding_not_verified: kind(409, 'CONFLICT'),
  content_filtered: kind(422, 'UNPROCESSABLE_CONTENT'),
  rate_limit: kind(429, 'TOO_MANY_REQUESTS'),
  quota_exceeded: kind(429, 'TOO_MANY_REQUESTS'),
  internal_error: kind(500, 'INTERNAL_SERVER_ERROR'),
  persistence_failed: kind(502, 'BAD_GATEWAY'),
  transient_error: kind(503, 'SERVICE_UNAVAILABLE'),
  service_unavailable: kind(503, 'SERVICE_UNAVAILABLE'),
  stage_timeout: kind(504, 'GATEWAY_TIMEOUT'),
} as const satisfies Record<string, ErrorKind>;

export type ErrorName = keyof typeof errorTable;

/** One entry of a validation error's `detail`. The rejected value is not repeated: it may be a secret. */
export interface FieldProblem {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** The dependencies of the process, by their names in the log. */
type Dependency = 'database' | 'disk' | 'identity_provider' | 'model' | 'payments' | 'sandbox' | 'storage';

export interface AppErrorOptions {
  /** Seconds, sent as Retry-After. */
  retryAfter?: number;
  /**
   * The reason for a rejected change: the current resource, if the change was based on an older version, or the
   * findings that the caller has to confirm, or the columns of a glossary that was not read. `/trpc` sends this value with the error, so it may contain only fields
   * that the caller is allowed to see.
   */
  present?: unknown;
  /** A fix for the reader, for errors whose message text is fixed or may not repeat the input. */
  hint?: string;
  /** The limit, and the size of the input. */
  excess?: Excess;
  /** The possible languages of a text whose language could not be detected; empty if none is likely. */
  candidates?: readonly string[];
  /**
   * True if the dependency responded, but with an unusable response. This is not an outage, so waiting does not help.
   */
  answered?: boolean;
  /** The external dependency that failed; for the log only. */
  dependency?: Dependency;
  /** For the log only. */
  cause?: unknown;
}

/** A limit that a request exceeds. */
interface Excess {
  limit: number;
  /** Undefined if the size is unknown: a streamed body is not read to its end. */
  actual?: number | undefined;
  /** Undefined if the message itself names the unit. */
  unit?: 'items' | 'characters' | 'bytes';
}

/** An error whose message may be shown to the caller. Anything else that is thrown becomes `internal error`. */
export class AppError extends Error {
  override name = 'AppError';
  readonly code: ErrorName;
  readonly problems: readonly FieldProblem[] | undefined;
  readonly retryAfter: number | undefined;
  readonly present: unknown;
  readonly hint: string | undefined;
  readonly excess: Excess | undefined;
  readonly candidates: readonly string[] | undefined;
  readonly answered: boolean;
  readonly dependency: Dependency | undefined;

  constructor(code: ErrorName, detail: string | FieldProblem[], options: AppErrorOptions = {}) {
    const problems = typeof detail === 'string' ? undefined : boundProblems(detail);
    super(typeof detail === 'string' ? detail : summarize(problems ?? []), { cause: options.cause });
    this.code = code;
    this.problems = problems;
    this.retryAfter = options.retryAfter;
    this.present = options.present;
    this.hint = options.hint;
    this.excess = options.excess;
    this.candidates = options.candidates;
    this.answered = options.answered ?? false;
    this.dependency = options.dependency;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** The body of an error response, the same for REST and `/trpc`. */
interface ErrorBody {
  detail: string | FieldProblem[];
  error_code: ErrorName;
  request_id: string;
  limit?: number;
  actual?: number;
  unit?: Excess['unit'];
  hint?: string;
  candidates?: readonly string[];
}

export function errorBody(error: AppError, requestId: string): ErrorBody {
  return {
    detail: error.problems ? [...error.problems] : error.message,
    error_code: error.code,
    request_id: requestId,
    ...additionsOf(error),
  };
}

/** The fields of the error body besides `detail`. Fields without a value are omitted. */
function additionsOf({
  excess,
  hint,
  candidates,
}: AppError): Omit<ErrorBody, 'detail' | 'error_code' | 'request_id'> {
  return {
    ...(excess && { limit: excess.limit }),
    ...(excess?.unit && { unit: excess.unit }),
    ...(excess?.actual !== undefined && { actual: excess.actual }),
    ...(hint !== undefined && { hint }),
    ...(candidates && { candidates }),
  };
}

/**
 * Returns the error for a request that exceeds a limit, 413. The message is a fixed text; limit and size are separate
 * fields.
 */
export function tooLarge(message: string, excess: Excess): AppError {
  return new AppError('payload_too_large', message, { excess });
}

/** Converts anything that was thrown to an error that may be shown to the caller. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  if (cause instanceof AppError) return cause;
  // Drizzle wraps the driver's errors, so check the cause, too.
  if (isDatabaseOutage(thrown) || isDatabaseOutage(cause))
    return new AppError('transient_error', 'the database is busy or unreachable; try again', {
      dependency: 'database',
      cause: thrown,
    });
  if (isFullDisk(thrown) || isFullDisk(cause))
    return new AppError('disk_full', 'the disk of this service is full; contact the operator', {
      dependency: 'disk',
      cause: thrown,
    });
  return new AppError('internal_error', 'internal error', { cause: thrown });
}

/** Names and codes of errors that show a temporarily unavailable database, not a wrong statement. */
const outages: ReadonlySet<unknown> = new Set([
  'DatabaseBusyError',
  'ConnectionLostError',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  // lock_not_available, query_canceled by a timeout, serialization_failure, deadlock_detected,
  // read_only_sql_transaction, idle_in_transaction_session_timeout: all temporary
  '55P03',
  '57014',
  '40001',
  '40P01',
  '25006',
  '25P03',
  // admin_shutdown, crash_shutdown, cannot_connect_now, too_many_connections
  '57P01',
  '57P02',
  '57P03',
  '53300',
  // insufficient_resources, disk_full, out_of_memory: an operator has to free space
  '53000',
  '53100',
  '53200',
]);

function isDatabaseOutage(thrown: unknown): boolean {
  return (
    thrown instanceof Error && (outages.has(thrown.name) || outages.has((thrown as { code?: unknown }).code))
  );
}

/** Whether the file system has no space left for the service or for the user that it runs as. */
function isFullDisk(thrown: unknown): boolean {
  return (
    thrown instanceof Error && ['ENOSPC', 'EDQUOT'].includes((thrown as NodeJS.ErrnoException).code ?? '')
  );
}

/**
 * Describes an unexpected error for logs and storage, by its kind and by the place in the code. A driver's error has
 * SQL and parameters in its message, so a database error is identified by its code only.
 */
export function describeForLog(thrown: unknown): Record<string, unknown> {
  const root = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  if (!(root instanceof Error)) return { name: 'not an Error' };
  // Fields that only a PostgresError has.
  const { code, constraint_name, table_name } = root as unknown as Record<string, unknown>;
  const fromDatabase = root.name === 'PostgresError' || root.message.startsWith('Failed query');
  return {
    name: root.name,
    code,
    constraint: constraint_name,
    table: table_name,
    message: fromDatabase ? undefined : root.message,
    // A stack's first line repeats the message.
    stack: root.stack
      ?.split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, 8)
      .join('\n'),
  };
}

/** Maximum characters of a message that `withoutQuotes` returns. */
const maxShownLength = 200;

/** Returns the message of an error without its quoted parts, because they may be a caller's text. */
export function withoutQuotes(message: string): string {
  return message.replace(/["'“‘«`].*["'”’»`]/s, '…').slice(0, maxShownLength);
}

/** Maximum entries of a validation error's `detail`: a small input can have many problems, and clients need only some of them. */
const maxProblems = 20;
/** Maximum characters of an entry's message, and of each name in its `loc`: both may quote the input. */
const maxMessageLength = 300;
const maxNameLength = 100;
/** Maximum length of an entry's `loc`; the most deeply nested field has a `loc` of this length. */
const maxPathDepth = 8;

/**
 * Returns all problems if there are at most `maxProblems`. Otherwise returns the first ones; the last entry gives the
 * number of the omitted ones.
 */
function boundProblems(problems: readonly FieldProblem[]): FieldProblem[] {
  if (problems.length <= maxProblems) return problems.map(clipProblem);
  const listed = maxProblems - 1;
  const further = problems.length - listed;
  return [
    ...problems.slice(0, listed).map(clipProblem),
    { loc: ['body'], msg: `${further} further problems are not listed`, type: 'too_many_problems' },
  ];
}

function clipProblem({ loc, msg, type }: FieldProblem): FieldProblem {
  return {
    loc: loc
      .slice(0, maxPathDepth)
      .map((part) => (typeof part === 'string' ? clip(part, maxNameLength) : part)),
    msg: clip(msg, maxMessageLength),
    type,
  };
}

/** Cuts a text to at most `units` UTF-16 units, without leaving half of a surrogate pair at the end. */
function clip(text: string, units: number): string {
  return text.length <= units ? text : `${text.slice(0, units).replace(/[\ud800-\udbff]$/, '')}…`;
}

function summarize(problems: readonly FieldProblem[]): string {
  return problems.map((problem) => `${problem.loc.join('.')}: ${problem.msg}`).join('; ');
}
