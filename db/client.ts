import { openPool, type PoolOptions } from './pool.ts';
import { runTransaction, type Tx } from './transaction.ts';

export type { QueryBuilder } from './query-builder.ts';
export { prepare, type Tx } from './transaction.ts';

/** The SHA-256 of each credential that a request presents, in the two roles it may play. */
export interface PresentedHashes {
  accessToken: Uint8Array | null;
  apiKey: Uint8Array | null;
}

/** The directory's answer: what the credential is, and whose. */
export interface CredentialOwner {
  tenantId: string;
  kind: 'access_token' | 'api_key';
}

/**
 * The only ways to the database. Each opens one transaction whose scope says which tenants' rows exist in it;
 * row-level security holds it to that. One tenant a transaction; no model call, file transfer or password hash
 * inside one.
 */
export interface Database {
  /** A transaction in which only this tenant's rows exist. */
  inTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A transaction scoped to the tenant that a presented credential belongs to; null, and no rows at all, where
   * it belongs to nobody. A live access token decides before a key (C 7).
   */
  inTenantOfCredential<T>(
    presented: PresentedHashes,
    work: (tx: Tx, owner: Promise<CredentialOwner | null>) => Promise<T>,
  ): Promise<T>;
  /**
   * A transaction scoped to the tenant that an access or refresh token was issued in, be it alive or not; null, and no
   * rows at all, where no such token is known.
   */
  inTenantOfToken<T>(
    tokenHash: Uint8Array,
    work: (tx: Tx, tenantId: Promise<string | null>) => Promise<T>,
  ): Promise<T>;
  /** A transaction over all tenants: the operator, cross-tenant sweeps, founding a tenant. */
  inPlatform<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Sets the scope to one tenant, or to `*`; exported for the bench, which counts and repeats it. */
export const setScope = `select set_config('lingualoop.tenant_id', $1, true)`;

/** Sets the scope to the tenant of a credential: its access token hash, its key hash. */
export const setScopeByCredential = `
  select set_config('lingualoop.tenant_id', coalesce(owner.tenant_id, ''), true), owner.tenant_id, owner.kind
  from (select) nobody left join (
    select tenant_id, kind from credential_directory
    where (kind = 'access_token' and credential_hash = $1 and expires_at > now())
       or (kind = 'api_key' and credential_hash = $2)
    order by kind limit 1
  ) owner on true`;

const setScopeByToken = `
  select set_config('lingualoop.tenant_id', coalesce(owner.tenant_id, ''), true), owner.tenant_id
  from (select) nobody left join (
    select tenant_id from credential_directory where credential_hash = $1 and kind <> 'api_key'
  ) owner on true`;

/** The form of every tenant's id, as its table checks it; the platform's scope, `*`, is none. */
export function isTenantId(text: string): boolean {
  return /^[a-z0-9_-]{1,64}$/.test(text);
}

/** Opens the pool; connections are made as they are needed. `url` is a postgres:// URL of the
 * service's role, or tells it at each new connection. */
export function openDatabase(url: string | (() => string), options: PoolOptions): Database {
  const pool = openPool(url, options);
  return {
    inTenant: (tenantId, work) =>
      // What is no id opens nothing: above all not the platform's `*`, whoever sent it.
      runTransaction(pool, (send) => send(setScope, [isTenantId(tenantId) ? tenantId : '']), work),
    inPlatform: (work) => runTransaction(pool, (send) => send(setScope, ['*']), work),
    inTenantOfCredential: (presented, work) =>
      runTransaction(
        pool,
        (send) =>
          send(setScopeByCredential, [presented.accessToken, presented.apiKey]).then(([row]) =>
            row?.['tenant_id']
              ? { tenantId: String(row['tenant_id']), kind: row['kind'] as CredentialOwner['kind'] }
              : null,
          ),
        work,
      ),
    inTenantOfToken: (tokenHash, work) =>
      runTransaction(
        pool,
        (send) =>
          send(setScopeByToken, [tokenHash]).then(([row]) => (row?.['tenant_id'] ?? null) as string | null),
        work,
      ),
    close: () => pool.close(),
  };
}
