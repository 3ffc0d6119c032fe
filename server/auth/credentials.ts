import { createHash, randomBytes } from 'node:crypto';

/** The credentials of one request as sent; nothing about them is verified. */
export interface PresentedCredentials {
  bearer: string | null;
  apiKey: string | null;
  /** X-Tenant-ID: narrows every credential to that tenant (A 5.1 rule 3). */
  tenantId: string | null;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function readCredentials(headers: Headers): PresentedCredentials {
  const authorization = single(headers['authorization']);
  const bearer = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null;
  return { bearer, apiKey: single(headers['x-api-key']), tenantId: single(headers['x-tenant-id']) };
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
