import { createHash, randomBytes } from 'node:crypto';

/** The credentials of one request as sent; nothing about them is verified. */
export interface PresentedCredentials {
  bearer: string | null;
  apiKey: string | null;
  /** An Authorization header was sent that holds no bearer: it is refused where a cookie would do, not ignored. */
  unreadable: boolean;
  /** The session cookie's access token. It counts on few routes (C 7), and never on `/trpc`. */
  cookie: string | null;
  /** X-Tenant-ID: narrows every credential to that tenant (A 5.1 rule 3). */
  tenantId: string | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** @param cookies whether the door that the request came by takes the session cookie at all */
export function readCredentials(headers: Headers, cookies: boolean): PresentedCredentials {
  const authorization = single(headers['authorization']);
  const bearer = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
  return {
    bearer,
    apiKey: single(headers['x-api-key']),
    unreadable: authorization !== null && bearer === null,
    cookie: cookies ? sessionCookieOf(headers) : null,
    tenantId: single(headers['x-tenant-id']),
  };
}

function sessionCookieOf({ cookie }: Headers): string | null {
  const text = Array.isArray(cookie) ? cookie.join(';') : (cookie ?? '');
  return /(?:^|;\s*)ll_session=([^;\s]+)/.exec(text)?.[1] ?? null;
}

function single(value: string | string[] | undefined): string | null {
  const first = Array.isArray(value) ? value[0] : value;
  return first?.trim() || null;
}

/** A new key or token: 32 random bytes, 43 URL-safe characters (A 5.1). */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** What is kept of a key or token: 32 bytes of SHA-256. They are random, so no salt and no slow hash. */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}
