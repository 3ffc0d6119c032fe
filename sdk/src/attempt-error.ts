import { Expired } from './deadline.ts';
import { ConnectionError, TimeoutError } from './errors.ts';
import { NoResponse } from './exchange.ts';
import { errorOfResponse, FailedResponse } from './failed-response.ts';

/**
 * Converts what an attempt threw to a public error. Anything that is not a failed exchange (an error of a token source) is unchanged.
 */
export function errorOf(thrown: unknown, call: string, timeoutMs: number): unknown {
  if (thrown instanceof Expired) return new TimeoutError(call, timeoutMs);
  if (thrown instanceof FailedResponse) return errorOfResponse(thrown);
  if (!(thrown instanceof NoResponse)) return thrown;
  const { cause } = thrown;
  return new ConnectionError(`${call}: no answer: ${describe(cause)}`, {
    maybeSent: !neverSent(cause),
    cause,
  });
}

/** The public error for a response that was cut off. */
export function interrupted(call: string, cause: unknown): ConnectionError {
  const detail = `${call}: the answer broke off: ${describe(cause)}`;
  return new ConnectionError(detail, { maybeSent: true, cause });
}

/** Node's fetch says only "fetch failed" and has the reason in `cause`; if it tried several addresses, that is only a code. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.cause instanceof Error) return describe(cause.cause);
  return cause.message || String((cause as { code?: unknown }).code ?? cause.name);
}

/** Error codes of Node, undici and Bun for a connection that was never made. */
const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** Whether the connection was never made, so that nothing was sent. False in a browser, which does not tell. */
function neverSent(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (codes.has((error as { code?: unknown }).code)) return true;
  return false;
}
