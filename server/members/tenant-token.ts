import { hashSecret, newSecret, serviceTenantId } from '#server/access/service.ts';

/**
 * The tokens of invites and reset links: `<tenant_id>.<secret>` (A 2.4). Naming its tenant, a token is looked up in that
 * tenant's scope alone. Of the secret only the SHA-256 is kept.
 */
export function newTenantToken(tenantId: string): { token: string; secretHash: Uint8Array } {
  const secret = newSecret();
  return { token: `${tenantId}.${secret}`, secretHash: hashSecret(secret) };
}

/** The parts of a token, by its form alone; undefined for what never was one, however long. */
export function readTenantToken(token: string): { tenantId: string; secretHash: Uint8Array } | undefined {
  const [, tenantId, secret] = /^([a-z0-9_-]{1,64})\.([\w-]{43})$/.exec(token) ?? [];
  // Nobody joins the service key's tenant (A 5.1 rule 6), by whatever was once issued for it.
  if (tenantId === undefined || secret === undefined || tenantId === serviceTenantId) return undefined;
  return { tenantId, secretHash: hashSecret(secret) };
}
