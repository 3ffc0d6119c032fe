import type { Settings } from './options.ts';
import { version } from './version.ts';

export type RequestHeaders = Readonly<Record<string, string>>;

/** The headers of one attempt; a session's access token goes instead of the credentials of the options. */
export type HeadersOf = (
  requestId?: string,
  sessionToken?: string,
) => RequestHeaders | Promise<RequestHeaders>;

/**
 * The headers of one attempt. Every value is looked at here first: what `fetch` says of a value that no header
 * can carry repeats that value, and it may be a secret.
 */
export function requestHeaders({ apiKey, accessToken, tenantId }: Settings): HeadersOf {
  const anybody: Record<string, string> = {};
  // A browser has its own name to send, and another origin's service would have to allow ours.
  if (!('document' in globalThis)) anybody['user-agent'] = `lingualoop-sdk/${version}`;
  if (tenantId) anybody['x-tenant-id'] = sendable('tenantId', tenantId);
  const fixed = { ...anybody };
  if (apiKey) fixed['x-api-key'] = sendable('apiKey', apiKey);
  if (typeof accessToken === 'string' && accessToken !== '') fixed['authorization'] = bearer(accessToken);

  return (requestId, sessionToken) => {
    const named = requestId === undefined ? {} : { 'x-request-id': sendable('requestId', requestId) };
    // Without the key: where the token is refused the service would take the key instead, and the call be nobody's.
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
