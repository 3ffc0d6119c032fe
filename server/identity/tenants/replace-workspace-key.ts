import type { Tx } from '#db/client.ts';
import {
  type ApiKeyRow,
  insertWorkspaceKey,
  prefixOf,
  replaceSecret,
  selectKeys,
} from '#server/identity/access/api-keys.ts';
import { newSecret } from '#server/identity/access/credentials.ts';
import type { AuditEvent } from '#server/identity/audit/audit-log.ts';
import { readTenant, type TenantRow, updateTenant } from './tenant-row.ts';

/** A tenant's new workspace key. The key is only in this value: the database stores its hash and first characters. */
interface ReplacedKey {
  apiKey: string;
  /** The tenant after the rotation. */
  row: TenantRow;
  /** The first characters of the previous and the new key, for the audit log. */
  change: { from: string; to: string };
}

/**
 * Replaces a tenant's workspace key with a new one, without an overlap. Other API keys stay. The caller has locked the
 * tenant: after two rotations, the key of the later one is valid.
 * @param by the member who gets the new key; undefined for an operator
 */
export async function replaceWorkspaceKey(
  tx: Tx,
  tenantId: string,
  by: string | undefined,
): Promise<ReplacedKey> {
  const apiKey = newSecret();
  const to = prefixOf(apiKey);
  const { apiKeyPrefix: from } = (await readTenant(tx, tenantId)) as TenantRow;
  const workspaceKey = (await selectKeys(tx, tenantId)).find((key) => key.workspace);
  if (workspaceKey) await replaceSecret(tx, workspaceKey, apiKey, 0, by);
  else await insertWorkspaceKey(tx, tenantId, apiKey, by);
  const row = await updateTenant(tx, tenantId, { apiKeyPrefix: to });
  return { apiKey, row, change: { from, to } };
}

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
