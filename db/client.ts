import { openPool, type PoolOptions, type PoolState } from './pool.ts';
import { runTransaction, type Tx } from './transaction.ts';

export type { QueryBuilder } from './drizzle-session.ts';
export type { PoolOptions, PoolState } from './pool.ts';
export { prepare, type Tx } from './transaction.ts';

/** The SHA-256 hashes of a request's credential, by the two kinds that it may be. */
export interface PresentedHashes {
  accessToken: Uint8Array | null;
  apiKey: Uint8Array | null;
}

/** A credential's kind and tenant, from the credential directory. */
export interface CredentialOwner {
  tenantId: string;
  kind: 'access_token' | 'api_key';
}

/**
 * The only access to the database. Each method opens one transaction whose scope limits it to one tenant's rows, or to
 * the platform's; row-level security enforces that. One tenant per transaction; no model call, file transfer or
 * password hash inside one.
 */
export interface Database {
  /** A transaction that sees only this tenant's rows. */
  inTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * A transaction scoped to the tenant of a presented credential. If it belongs to no tenant, the owner is null and no
   * rows are visible. A valid access token takes precedence over a key.
   */
  inTenantOfCredential<T>(
    presented: PresentedHashes,
    work: (tx: Tx, owner: Promise<CredentialOwner | null>) => Promise<T>,
  ): Promise<T>;
  /**
   * A transaction scoped to the tenant in which an access or refresh token was issued, valid or not. If the token is
   * unknown, the tenant is null and no rows are visible.
   */
  inTenantOfToken<T>(
    tokenHash: Uint8Array,
    work: (tx: Tx, tenantId: Promise<string | null>) => Promise<T>,
  ): Promise<T>;
  /** A transaction over all tenants: for operators, cross-tenant sweeps, and creating a tenant. */
  inPlatform<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The current usage of its pool. */
  connections(): PoolState;
  close(): Promise<void>;
}

/** Sets the scope to one tenant, or to `*`. Exported for the bench, which counts and repeats it. */
export const setScope = `select set_config('lingualoop.tenant_id', $1, true)`;

/** Sets the scope to the tenant of a credential. Parameters: the access token's hash, the key's hash. */
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

/** Whether a text has the format of a tenant id, as the table checks it. The platform's scope, `*`, does not. */
export function isTenantId(text: string): boolean {
  return /^[a-z0-9_-]{1,64}$/.test(text);
}

/**
 * Opens the pool. Connections are opened on demand. `url` is a postgres:// URL of the service's role, or a function
 * that returns it for each new connection.
 */
export function openDatabase(url: string | (() => string), options: PoolOptions): Database {
  const pool = openPool(url, options);
  return {
    inTenant: (tenantId, work) =>
      // Invalid ids get an empty scope, especially the platform's `*`.
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
    connections: () => pool.connections(),
    close: () => pool.close(),
  };
}
