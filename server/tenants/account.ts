import { withoutPlatformKeys } from './metadata.ts';
import type { TenantRow } from './queries.ts';
import type { TenantAccount } from './schema.ts';

/** A 2.1, in full: for the operator, and for an administrator of the tenant. */
export function accountOf(row: TenantRow): TenantAccount {
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

/** What every other member sees: without the metadata keys that the platform owns. */
export function memberViewOf(row: TenantRow): TenantAccount {
  return { ...accountOf(row), metadata: withoutPlatformKeys(row.metadata) };
}
