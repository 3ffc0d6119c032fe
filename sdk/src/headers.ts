import type { Settings } from './options.ts';
import { version } from './version.ts';

export type RequestHeaders = Readonly<Record<string, string>>;

/** Returns the headers of one attempt. A session's access token replaces the credentials of the options. */
export type HeadersOf = (
  requestId?: string,
  sessionToken?: string,
) => RequestHeaders | Promise<RequestHeaders>;

/**
 * Creates the function that returns an attempt's headers. Every value is checked here first: the error of `fetch` for
 * an invalid header value repeats that value, which may be a secret.
 */
export function requestHeaders({ apiKey, accessToken, tenantId }: Settings): HeadersOf {
  const anybody: Record<string, string> = {};
  // A browser sends its own user agent, and a service of another origin would have to allow this header.
  if (!('document' in globalThis)) anybody['user-agent'] = `lingualoop-sdk/${version}`;
  if (tenantId) anybody['x-tenant-id'] = sendable('tenantId', tenantId);
  const fixed = { ...anybody };
  if (apiKey) fixed['x-api-key'] = sendable('apiKey', apiKey);
  if (typeof accessToken === 'string' && accessToken !== '') fixed['authorization'] = bearer(accessToken);

  return (requestId, sessionToken) => {
    const named = requestId === undefined ? {} : { 'x-request-id': sendable('requestId', requestId) };
    // Omit the API key: if the token were rejected, the service would use the key, and the call would not be the member's.
    if (sessionToken !== undefined) return { ...anybody, ...named, authorization: bearer(sessionToken) };
    if (typeof accessToken !== 'function') return { ...fixed, ...named };
    return addToken({ ...fixed, ...named }, accessToken);
  };
}

async function addToken(
  headers: RequestHeaders,
  accessToken: () => string | Promise<string>,
): Promise<RequestHeaders> {
  return { ...headers, authorization: bearer(await accessToken()) };
}

function bearer(token: string): string {
  return `Bearer ${sendable('accessToken', token)}`;
}

function sendable(name: string, value: string): string {
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(`${name} must be printable ASCII without spaces`);
}
