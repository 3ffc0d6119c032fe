import { hashSecret, newSecret } from '#server/identity/access/credentials.ts';
import { serviceTenantId } from '#server/identity/access/service-key.ts';

/**
 * Creates a token for an invite or a reset link: `<tenant_id>.<secret>`. The token contains the tenant's id, so that it
 * can be looked up in the scope of this tenant. Only the SHA-256 of the secret is stored.
 */
export function newTenantToken(tenantId: string): { token: string; secretHash: Uint8Array } {
  const secret = newSecret();
  return { token: `${tenantId}.${secret}`, secretHash: hashSecret(secret) };
}

/** Parses a token. Returns undefined if it is malformed, or names the service key's tenant. */
export function readTenantToken(token: string): { tenantId: string; secretHash: Uint8Array } | undefined {
  const [, tenantId, secret] = /^([a-z0-9_-]{1,64})\.([\w-]{43})$/.exec(token) ?? [];
  // The service key's tenant has no members.
  if (tenantId === undefined || secret === undefined || tenantId === serviceTenantId) return undefined;
  return { tenantId, secretHash: hashSecret(secret) };
}
