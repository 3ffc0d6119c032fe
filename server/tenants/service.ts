import type { Tx } from '#db/client.ts';
import { withoutPlatformKeys } from './metadata.ts';
import { insertTenant, type TenantRow } from './queries.ts';
import type { TenantAccount } from './schema.ts';

export { type TenantAccount, tenantAccount } from './schema.ts';

export interface NewTenant {
  id: string;
  name: string;
  apiKey: string;
  monthlyCharLimit: number;
  metadata: Record<string, unknown>;
}

/** Creates a tenant that its own administrator founds: platform-owned metadata keys are dropped. */
export async function foundTenant(tx: Tx, tenant: NewTenant): Promise<TenantAccount> {
  const row = await insertTenant(tx, {
    tenantId: tenant.id,
    name: tenant.name,
    apiKeyPrefix: tenant.apiKey.slice(0, 8),
    monthlyCharLimit: tenant.monthlyCharLimit,
    metadata: withoutPlatformKeys(tenant.metadata),
  });
  return accountOfRow(row);
}

function accountOfRow(row: TenantRow): TenantAccount {
  return {
    id: row.tenantId,
    name: row.name,
    api_key_prefix: row.apiKeyPrefix,
    monthly_char_limit: row.monthlyCharLimit,
    active: row.active,
    created_at: row.createdAt.toISOString(),
    metadata: row.metadata,
  };
}
