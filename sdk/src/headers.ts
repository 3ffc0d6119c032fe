import type { Settings } from './options.ts';
import { version } from './version.ts';

export type RequestHeaders = Readonly<Record<string, string>>;

/**
 * The headers of one attempt. Every value is looked at here first: what `fetch` says of a value that no header
 * can carry repeats that value, and it may be a secret.
 */
export function requestHeaders(
  settings: Settings,
): (requestId?: string) => RequestHeaders | Promise<RequestHeaders> {
  const fixed: Record<string, string> = {};
  // A browser has its own name to send, and another origin's service would have to allow ours.
  if (!('document' in globalThis)) fixed['user-agent'] = `lingualoop-sdk/${version}`;
  if (settings.apiKey) fixed['x-api-key'] = sendable('apiKey', settings.apiKey);
  if (settings.tenantId) fixed['x-tenant-id'] = sendable('tenantId', settings.tenantId);
  const { accessToken } = settings;
  if (typeof accessToken === 'string' && accessToken !== '') fixed['authorization'] = bearer(accessToken);

  const named = (requestId: string | undefined): RequestHeaders =>
    requestId === undefined ? fixed : { ...fixed, 'x-request-id': sendable('requestId', requestId) };
  if (typeof accessToken !== 'function') return named;
  return async (requestId) => ({ ...named(requestId), authorization: bearer(await accessToken()) });
}

function bearer(token: string): string {
  return `Bearer ${sendable('accessToken', token)}`;
}

function sendable(name: string, value: string): string {
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new TypeError(`${name} must be printable ASCII without spaces`);
}
