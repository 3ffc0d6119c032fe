import type { ApiKeyRow } from '#server/identity/access/api-keys.ts';
import type { AuditEvent } from '#server/identity/audit/audit-log.ts';

type Details = NonNullable<AuditEvent['details']>;

/** Returns the scopes and the end of a key, for the audit log. */
export function limitsOf({ scope, expiresAt }: Pick<ApiKeyRow, 'scope' | 'expiresAt'>): Details {
  return { scopes: scope, expires_at: expiresAt?.toISOString() ?? null };
}

/** Returns the audit event of a revoked key. The target of an event of the workspace key is the tenant. */
export function revocationOf({
  tenantId,
  keyId,
  name,
  prefix,
  workspace,
}: ApiKeyRow): Omit<AuditEvent, 'actor'> {
  const details: Details = { from: prefix, to: '', ...(!workspace && { name }) };
  return { action: 'api_key_revoked', tenantId, target: workspace ? tenantId : keyId, details };
}
