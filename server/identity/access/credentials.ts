import { createHash, randomBytes } from 'node:crypto';
import type { PresentedCredentials } from '#server/context.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** @param cookies whether the transport accepts the session cookie */
export function readCredentials(headers: Headers, cookies: boolean): PresentedCredentials {
  const authorization = single(headers['authorization']);
  const bearer = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
  return {
    bearer,
    apiKey: single(headers['x-api-key']),
    unreadable: authorization !== null && bearer === null,
    cookie: cookies ? cookieOf(headers, 'll_session') : null,
    visit: cookieOf(headers, 'll_demo'),
    tenantId: single(headers['x-tenant-id']),
  };
}

function cookieOf({ cookie }: Headers, name: 'll_demo' | 'll_session'): string | null {
  const text = Array.isArray(cookie) ? cookie.join(';') : (cookie ?? '');
  return new RegExp(`(?:^|;\\s*)${name}=([^;\\s]+)`).exec(text)?.[1] ?? null;
}

function single(value: string | string[] | undefined): string | null {
  const first = Array.isArray(value) ? value[0] : value;
  return first?.trim() || null;
}

/** Returns a new key or token: 32 random bytes as 43 URL-safe characters. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the stored form of a key or token: its SHA-256, 32 bytes. Secrets are random, so they need no salt and no
 * slow hash.
 */
export function hashSecret(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}
