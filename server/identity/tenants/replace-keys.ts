import { eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import { deleteApiKeys, insertApiKey } from '#server/identity/access/api-keys.ts';
import { hashSecret, newSecret } from '#server/identity/access/credentials.ts';
import { readTenant, type TenantRow } from './tenant-row.ts';

/** A tenant's new API key. The key is only in this value: the database stores its hash and its first characters. */
export interface ReplacedKeys {
  apiKey: string;
  /** The tenant after the rotation. */
  row: TenantRow;
  /** The first characters of the previous and the new key, for the audit log. */
  change: { from: string; to: string };
}

/**
 * Replaces all of a tenant's API keys with a new one. The caller has locked the tenant: after two rotations, the key of
 * the later one is valid.
 */
export async function replaceKeys(tx: Tx, tenantId: string): Promise<ReplacedKeys> {
  const apiKey = newSecret();
  const before = (await readTenant(tx, tenantId)) as TenantRow;
  await deleteApiKeys(tx, tenantId);
  await insertApiKey(tx, tenantId, hashSecret(apiKey));
  const [row] = await tx
    .update(tenants)
    .set({ apiKeyPrefix: apiKey.slice(0, 8) })
    .where(eq(tenants.tenantId, tenantId))
    .returning();
  const after = row as TenantRow;
  return { apiKey, row: after, change: { from: before.apiKeyPrefix, to: after.apiKeyPrefix } };
}
