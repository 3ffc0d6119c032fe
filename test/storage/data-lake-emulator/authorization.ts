import { createHmac } from 'node:crypto';

/** The credentials that an emulated account accepts. */
export interface AccountKeys {
  /** The account key in base64, for connection strings. */
  key?: string;
  /** SAS tokens without the question mark. Each grants the permissions in its `sp`, until its `se`. */
  sas?: string[];
  /** Access tokens of an identity that has all permissions. */
  bearer?: string[];
}

export interface Presented {
  method: string;
  /** The path of the request without the part that selects the account. */
  path: string;
  query: URLSearchParams;
  /** The headers, by names in lower case. */
  headers: Record<string, string>;
}

export interface Denied {
  status: 401 | 403;
  code: string;
  message: string;
}

const denied = {
  nothing: {
    status: 401,
    code: 'NoAuthenticationInformation',
    message: 'Server failed to authenticate the request.',
  },
  token: {
    status: 401,
    code: 'InvalidAuthenticationInfo',
    message: 'Server failed to authenticate the request.',
  },
  signature: {
    status: 403,
    code: 'AuthenticationFailed',
    message:
      'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly.',
  },
  permission: {
    status: 403,
    code: 'AuthorizationPermissionMismatch',
    message: 'This request is not authorized to perform this operation using this permission.',
  },
} satisfies Record<string, Denied>;

/**
 * Checks the credential of a request.
 * @param permission letters of a SAS token's `sp`, of which the token must have one
 */
export function authorize(
  account: string,
  keys: AccountKeys,
  request: Presented,
  permission: string,
): Denied | null {
  const [scheme = '', value = ''] = (request.headers['authorization'] ?? '').split(' ');
  if (scheme === 'Bearer') return keys.bearer?.includes(value) ? null : denied.token;
  if (scheme === 'SharedKey')
    return keys.key &&
      value === `${account}:${sharedKeySignature(account, keys.key, request)}` &&
      isRecent(request)
      ? null
      : denied.signature;
  if (!request.query.has('sig')) return denied.nothing;
  const token = keys.sas
    ?.map((text) => new URLSearchParams(text))
    .find((known) => isSame(known, request.query));
  const expiry = token?.get('se');
  if (!token || (expiry && Date.parse(expiry) < Date.now())) return denied.signature;
  return [...permission].some((letter) => token.get('sp')?.includes(letter)) ? null : denied.permission;
}

function isSame(token: URLSearchParams, query: URLSearchParams): boolean {
  return [...token].every(([name, value]) => query.get(name) === value);
}

function isRecent({ headers }: Presented): boolean {
  return Math.abs(Date.parse(headers['x-ms-date'] ?? '') - Date.now()) < 15 * 60_000;
}

/** The signature from "Authorize with Shared Key" in Azure's documentation, for Blob Storage and Data Lake. */
export function sharedKeySignature(
  account: string,
  key: string,
  { method, path, query, headers }: Presented,
): string {
  const named = (name: string) => headers[name] ?? '';
  const length = named('content-length') === '0' ? '' : named('content-length');
  const standard = [
    method,
    named('content-encoding'),
    named('content-language'),
    length,
    named('content-md5'),
    named('content-type'),
    // Empty, because the request has an x-ms-date header.
    '',
    named('if-modified-since'),
    named('if-match'),
    named('if-none-match'),
    named('if-unmodified-since'),
    named('range'),
  ];
  const own = Object.keys(headers)
    .filter((name) => name.startsWith('x-ms-'))
    .toSorted()
    .map((name) => `${name}:${named(name).replace(/\s+/g, ' ').trim()}`);
  const parameters = [...new Set([...query.keys()].map((name) => name.toLowerCase()))]
    .toSorted()
    .map((name) => `${name}:${query.getAll(name).toSorted().join(',')}`);
  const text = [...standard, ...own, `/${account}${path}`, ...parameters].join('\n');
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
}
