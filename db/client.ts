import { openPool, type PoolOptions, type PoolState } from './pool.ts';
import type { Send } from './transaction.ts';
import { runTransaction, type Tx } from './transaction.ts';

export { endUnconfirmed, lossSettings, type PoolOptions, type PoolState } from './pool.ts';
export type { QueryBuilder } from './transaction.ts';
export { prepare, type Tx } from './transaction.ts';

/**
 * The SHA-256 hash of a request's credential, for each kind that the credential may have. Null for a kind that it
 * cannot have.
 */
interface PresentedHashes {
  accessToken: Uint8Array | null;
  apiKey: Uint8Array | null;
}

/** The tenant of a credential and the limits of an API key, from the credential directory. */
export interface CredentialOwner {
  tenantId: string;
  kind: 'access_token' | 'api_key';
  /** ID of the API key; null for the current secret of the workspace key, and for an access token. */
  keyId: string | null;
  /** The scopes of the API key, separated by spaces; null if it has all scopes, and for an access token. */
  scope: string | null;
}

/**
 * The only access to the database. Each method opens one transaction, whose scope limits it to the rows of one tenant
 * or opens the rows of all tenants to the platform. Row-level security enforces the scope. The scope of a transaction
 * never changes to another tenant, and no model call, file transfer or password hash runs inside one.
 */
export interface Database {
  /** Runs `work` in a transaction that sees only this tenant's rows. */
  inTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Like `inTenant`; PostgreSQL rejects each write. */
  readInTenant<T>(tenantId: string, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction scoped to the tenant of a credential. If the credential belongs to no tenant,
   * `owner` is null and no rows are visible. A valid access token takes precedence over an API key.
   */
  inTenantOfCredential<T>(
    presented: PresentedHashes,
    work: (tx: Tx, owner: Promise<CredentialOwner | null>) => Promise<T>,
  ): Promise<T>;
  /**
   * Runs `work` in a transaction scoped to the tenant in which an access or refresh token was issued; the token may
   * be invalid by now. If the token is unknown, the tenant is null and no rows are visible.
   */
  inTenantOfToken<T>(
    tokenHash: Uint8Array,
    work: (tx: Tx, tenantId: Promise<string | null>) => Promise<T>,
  ): Promise<T>;
  /** Runs `work` in a transaction over all tenants: for operators, for sweeps, and to create a tenant. */
  inPlatform<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Returns the current usage of the connection pool. */
  connections(): PoolState;
  close(): Promise<void>;
}

/** Sets the scope to one tenant, or to `*`. Exported for a benchmark, which counts and repeats this statement. */
export const setScope = `select set_config('lingualoop.tenant_id', $1, true)`;

/** Sets the scope to the tenant of a credential. Parameters: the hash of the access token, the hash of the API key. */
export const setScopeByCredential = `
  select set_config('lingualoop.tenant_id', coalesce(owner.tenant_id, ''), true), owner.tenant_id, owner.kind, owner.key_id, owner.scope
  from (select) nobody left join (
    select tenant_id, kind, key_id, scope from credential_directory
    where (kind = 'access_token' and credential_hash = $1 and expires_at > now())
       or (kind in ('api_key', 'limited_key') and credential_hash = $2 and (expires_at is null or expires_at > now()))
    order by kind limit 1
  ) owner on true`;

const setScopeByToken = `
  select set_config('lingualoop.tenant_id', coalesce(owner.tenant_id, ''), true), owner.tenant_id
  from (select) nobody left join (
    select tenant_id from credential_directory where credential_hash = $1 and kind in ('access_token', 'refresh_token')
  ) owner on true`;

/**
 * Whether a text has the format of a tenant id, which the table checks, too. `*`, the scope of the platform, does not
 * have it.
 */
export function isTenantId(text: string): boolean {
  return /^[a-z0-9_-]{1,64}$/.test(text);
}

/**
 * Opens a connection pool. Connections are opened on demand.
 * @param url postgres:// URL of the service's role, or a function that returns it and is called for each new
 * connection
 */
export function openDatabase(url: string | (() => string), options: PoolOptions): Database {
  const pool = openPool(url, options);
  // An invalid id gets an empty scope. Otherwise the id `*` would open all tenants.
  const scopeOf = (tenantId: string) => (send: Send) =>
    send(setScope, [isTenantId(tenantId) ? tenantId : '']);
  return {
    inTenant: (tenantId, work) => runTransaction(pool, scopeOf(tenantId), work),
    readInTenant: (tenantId, work) => runTransaction(pool, scopeOf(tenantId), work, 'begin read only'),
    inPlatform: (work) => runTransaction(pool, (send) => send(setScope, ['*']), work),
    inTenantOfCredential: (presented, work) =>
      runTransaction(
        pool,
        (send) =>
          send(setScopeByCredential, [presented.accessToken, presented.apiKey]).then(([row]) => ownerOf(row)),
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

function ownerOf(row: Record<string, unknown> | undefined): CredentialOwner | null {
  if (!row?.['tenant_id']) return null;
  return {
    tenantId: String(row['tenant_id']),
    kind: row['kind'] === 'access_token' ? 'access_token' : 'api_key',
    keyId: row['key_id'] as string | null,
    scope: row['scope'] as string | null,
  };
}
