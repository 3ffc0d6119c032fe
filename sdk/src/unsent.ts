/** Codes of Node, undici and Bun for a connection that was never made. */
const codes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** Whether the connection was never made, so that nothing was sent. A browser does not say: false. */
export function neverSent(cause: unknown): boolean {
  for (let error = cause; error instanceof Error; error = error.cause)
    if (codes.has((error as { code?: unknown }).code)) return true;
  return false;
}
