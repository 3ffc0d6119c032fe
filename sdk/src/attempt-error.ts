import { Expired } from './deadline.ts';
import { ConnectionError, TimeoutError } from './errors.ts';
import { NoResponse } from './exchange.ts';
import { errorOfResponse, FailedResponse } from './failed-response.ts';

/**
 * Converts the error of an attempt to an error of the public API. Errors with another source, such as a token source
 * of the caller, stay unchanged.
 */
export function errorOf(thrown: unknown, call: string, timeoutMs: number): unknown {
  if (thrown instanceof Expired) return new TimeoutError(call, timeoutMs);
  if (thrown instanceof FailedResponse) return errorOfResponse(thrown);
  if (!(thrown instanceof NoResponse)) return thrown;
  const { cause } = thrown;
  return new ConnectionError(`${call}: no response: ${describe(cause)}`, {
    maybeSent: !neverSent(cause),
    cause,
  });
}

/** Returns the public error for a response that was cut off. */
export function interrupted(call: string, cause: unknown): ConnectionError {
  const detail = `${call}: incomplete response: ${describe(cause)}`;
  return new ConnectionError(detail, { maybeSent: true, cause });
}

/**
 * Describes why `fetch` failed. Node's `fetch` has only the message "fetch failed"; the reason is in `cause`. If Node
 * tried several addresses, `cause` has only a code.
 */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.cause instanceof Error) return describe(cause.cause);
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}

/** Error codes of Node, undici and Bun that mean that no connection was established. */
const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** Whether no connection was established, so that nothing was sent. Always false in browsers, which hide the reason. */
function neverSent(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (codes.has((error as { code?: unknown }).code)) return true;
  return false;
}
