import type { Database, Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { PresentedCredentials } from './credentials.ts';
import { presentsServiceKey } from './operator.ts';
import type { Principal } from './principal.ts';
import { anyTenantExists, insertServiceTenant, serviceTenantId } from './queries/service-tenant.ts';

/** Databases in which a tenant was seen. Accounts are never deleted, so it stays true. */
const founded = new WeakSet<Database>();

/** Whether the deployment has any tenant account: rules 6 and 7 of A 5.1 hold only while it has none. */
export async function hasTenants(database: Database): Promise<boolean> {
  if (founded.has(database)) return true;
  const exists = await database.inPlatform(anyTenantExists);
  if (exists) founded.add(database);
  return exists;
}

/**
 * What is left where no tenant's credential was believed (A 5.1 rule 6): on a deployment without tenants, the single
 * service key, whose work is filed under the tenant `default`. That tenant is made at its first use.
 * @throws AppError 401
 */
export async function withServiceTenant<T, E>(
  { database, settings }: Services,
  credentials: PresentedCredentials,
  work: (tx: Tx, principal: Principal, found: E) => Promise<T>,
  early?: (tx: Tx) => Promise<E>,
): Promise<T> {
  if (await hasTenants(database))
    throw new AppError('unauthenticated', 'missing or invalid tenant credentials');
  const elsewhere = credentials.tenantId !== null && credentials.tenantId !== serviceTenantId;
  if (elsewhere || !presentsServiceKey(credentials, settings))
    throw new AppError('unauthenticated', 'missing or invalid API key');
  return database.inTenant(serviceTenantId, async (tx) => {
    await insertServiceTenant(tx, settings.DEFAULT_MONTHLY_CHAR_LIMIT);
    const principal: Principal = { kind: 'api_key', tenant: { id: serviceTenantId, name: serviceTenantId } };
    return work(tx, principal, (await early?.(tx)) as E);
  });
}
