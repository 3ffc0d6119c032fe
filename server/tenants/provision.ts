import type { Tx } from '#db/client.ts';
import { type Administrator, hashSecret, insertApiKey, newSecret } from '#server/access/service.ts';
import type { Origin } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { newId } from '#server/ids.ts';
import { accountOf } from './account.ts';
import { recordAdministration } from './administration.ts';
import { withoutPlatformKeys } from './metadata.ts';
import { insertTenant } from './queries.ts';
import type { ProvisionedTenant, TenantAccount, TenantAccountCreate } from './schema.ts';

export interface NewTenant {
  id: string;
  name: string;
  apiKey: string;
  monthlyCharLimit: number;
  metadata: Record<string, unknown>;
}

/**
 * Creates a tenant that its own administrator founds: platform-owned keys of the founder's metadata are dropped, those
 * of `platformMetadata` are ours to set.
 */
export async function foundTenant(
  tx: Tx,
  { platformMetadata, ...tenant }: NewTenant & { platformMetadata?: Record<string, unknown> },
): Promise<TenantAccount> {
  const metadata = { ...withoutPlatformKeys(tenant.metadata), ...platformMetadata };
  return createTenant(tx, { ...tenant, metadata });
}

/** Creates a tenant for an operator, who may set what the platform owns, with its key, which is returned this once. */
export async function provisionTenant(
  { database, settings }: Services,
  origin: Origin,
  admin: Administrator,
  request: TenantAccountCreate,
): Promise<ProvisionedTenant> {
  const tenantId = newId();
  const apiKey = newSecret();
  return database.inTenant(tenantId, async (tx) => {
    const account = await createTenant(tx, {
      id: tenantId,
      name: request.name,
      apiKey,
      monthlyCharLimit: request.monthly_char_limit ?? settings.DEFAULT_MONTHLY_CHAR_LIMIT,
      metadata: request.metadata ?? {},
    });
    await insertApiKey(tx, tenantId, hashSecret(apiKey));
    await recordAdministration(tx, origin, admin, {
      action: 'tenant_provisioned',
      tenantId,
      target: tenantId,
    });
    return { ...account, api_key: apiKey };
  });
}

async function createTenant(tx: Tx, tenant: NewTenant): Promise<TenantAccount> {
  const row = await insertTenant(tx, {
    tenantId: tenant.id,
    name: tenant.name,
    apiKeyPrefix: tenant.apiKey.slice(0, 8),
    monthlyCharLimit: tenant.monthlyCharLimit,
    metadata: tenant.metadata,
  });
  return accountOf(row);
}
