import type { Settings } from './options.ts';
import { apiVersion, version } from './version.ts';

export type RequestHeaders = Readonly<Record<string, string>>;

/** The headers that a call adds to its attempts. */
export interface CallHeaders {
  requestId?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns the headers of one attempt. If there is a session, its access token is used instead of the credentials in
 * the options.
 */
export type HeadersOf = (
  call: CallHeaders,
  sessionToken?: string,
) => RequestHeaders | Promise<RequestHeaders>;

/**
 * Returns a function that creates the headers of an attempt. All values are checked here: if `fetch` gets an invalid
 * value, its error message contains the value, which may be a secret.
 */
export function requestHeaders({ apiKey, accessToken, tenantId, headers }: Settings): HeadersOf {
  const defaults: Record<string, string> = { 'x-api-version': apiVersion };
  // Not in browsers: they send their own user agent, and a service of another origin would have to allow this header.
  if (!('document' in globalThis)) defaults['user-agent'] = `lingualoop-sdk/${version}`;
  if (tenantId) defaults['x-tenant-id'] = sendable('tenantId', tenantId);
  const ofCaller = callersHeaders(headers);
  const fixed = { ...defaults };
  if (apiKey) fixed['x-api-key'] = sendable('apiKey', apiKey);
  if (typeof accessToken === 'string' && accessToken !== '') fixed['authorization'] = bearer(accessToken);

  return ({ requestId, headers: more }, sessionToken) => {
    const named = {
      ...ofCaller,
      ...(more && callersHeaders(more)),
      ...(requestId !== undefined && { 'x-request-id': sendable('requestId', requestId) }),
    };
    // Do not send the API key together with the token. If the token were rejected, the service would use the API key,
    // so that the call would not be made as the member.
    if (sessionToken !== undefined) return { ...named, ...defaults, authorization: bearer(sessionToken) };
    if (typeof accessToken !== 'function') return { ...named, ...fixed };
    return addToken({ ...named, ...fixed }, accessToken);
  };
}

/**
 * Returns the caller's headers with names in lowercase, so that they replace none of the client's own headers under
 * another spelling.
 */
function callersHeaders(headers: Readonly<Record<string, string>>): RequestHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name))
        throw new TypeError('headers: a name is not a valid header name');
      if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value))
        throw new TypeError(`headers: ${name} must be printable ASCII`);
      return [name.toLowerCase(), value];
    }),
  );
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
