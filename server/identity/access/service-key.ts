import { notInArray, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { PresentedCredentials, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type Principal, presentsServiceKey } from './principal.ts';
import { demoTenantId } from './visits.ts';

/** Id of the only tenant in a deployment without tenant accounts. */
export const serviceTenantId = 'default';

/** Whether any tenant account exists. The service key's tenant and the demo workspace do not count. */
async function anyTenantExists(tx: Tx): Promise<boolean> {
  const rows = await tx
    .select({ one: sql`1` })
    .from(tenants)
    .where(notInArray(tenants.tenantId, [serviceTenantId, demoTenantId]))
    .limit(1);
  return rows.length > 0;
}

/** Creates the service key's tenant. It has no other API key and no members. */
async function insertServiceTenant(tx: Tx, monthlyCharLimit: number): Promise<void> {
  await tx
    .insert(tenants)
    .values({ tenantId: serviceTenantId, name: serviceTenantId, apiKeyPrefix: '', monthlyCharLimit })
    .onConflictDoNothing();
}

/** Databases that had a tenant account since this process started. If the last one is deleted, the entry stays. */
const databasesWithTenants = new WeakSet<Database>();

/** Whether the deployment has any tenant account. The service key is accepted only if it has none. */
export async function hasTenants(database: Database): Promise<boolean> {
  if (databasesWithTenants.has(database)) return true;
  const exists = await database.inPlatform(anyTenantExists);
  if (exists) databasesWithTenants.add(database);
  return exists;
}

/**
 * Authenticates by the service key, for requests without a valid credential of a tenant. The key is accepted only in a
 * deployment without tenant accounts. Its work belongs to the tenant `default`, which is created at the first use.
 * @throws AppError 401
 */
export async function withServiceTenant<T, E>(
  { database, settings }: Pick<Services, 'database' | 'settings'>,
  credentials: PresentedCredentials,
  work: (tx: Tx, principal: Principal, prefetched: E) => Promise<T>,
  prefetch?: (tx: Tx) => Promise<E>,
): Promise<T> {
  if (await hasTenants(database))
    throw new AppError('unauthenticated', 'missing or invalid tenant credentials');
  const elsewhere = credentials.tenantId !== null && credentials.tenantId !== serviceTenantId;
  if (elsewhere || !presentsServiceKey(credentials, settings))
    throw new AppError('unauthenticated', 'missing or invalid API key');
  return database.inTenant(serviceTenantId, async (tx) => {
    await insertServiceTenant(tx, settings.DEFAULT_MONTHLY_CHAR_LIMIT);
    const tenant = { id: serviceTenantId, name: serviceTenantId };
    const principal: Principal = { kind: 'api_key', tenant, keyId: null, scopes: null };
    return work(tx, principal, (await prefetch?.(tx)) as E);
  });
}
