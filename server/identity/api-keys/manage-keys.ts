import { and, desc, eq, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { apiKeys, users } from '#db/schema/identity.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  type ApiKeyRow,
  endKey,
  insertSecret,
  limitSecrets,
  prefixOf,
  readScopes,
  replaceSecret,
  writeScopes,
} from '#server/identity/access/api-keys.ts';
import { newSecret } from '#server/identity/access/credentials.ts';
import type { AsAdministratorSession } from '#server/identity/access/guards/session.ts';
import { type AuditEvent, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { type Proof, withProof } from '#server/identity/auth/reauthentication.ts';
import { limitsOf, revocationOf } from '#server/identity/tenants/replace-workspace-key.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { newId } from '#server/platform/ids.ts';
import {
  type ApiKey,
  type ApiKeyWithSecret,
  type CreateInput,
  maxApiKeys,
  type RotateInput,
  type UpdateInput,
} from './schema.ts';

type KeyServices = Pick<Services, 'database' | 'secretsKeys' | 'settings'>;

/**
 * Creates an API key. The secret is only in the returned value.
 * @throws AppError 422 for an end that is not in the future; 409 for a name in use, or if there are too many keys; the
 *   errors of `withProof`
 */
export async function createKey(
  services: KeyServices,
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  { name, scopes, expires_at, ...proof }: CreateInput,
): Promise<ApiKeyWithSecret> {
  return withProof(services, origin, asAdministrator, proofOf(proof), async (tx, { tenantId, userId }) => {
    await requireRoom(tx, tenantId);
    const expiresAt = await endOf(tx, expires_at);
    await requireFreeName(tx, tenantId, name);
    const secret = newSecret();
    const keyId = newId();
    const limits = { tenantId, keyId, scope: writeScopes(scopes), expiresAt, workspace: false };
    await insertSecret(tx, limits, secret);
    await tx.insert(apiKeys).values({ ...limits, name, prefix: prefixOf(secret), createdBy: userId });
    await record(tx, origin, userId, {
      action: 'api_key_created',
      tenantId,
      target: keyId,
      details: { name, prefix: prefixOf(secret), ...limitsOf(limits) },
    });
    return { ...viewOf(await findKey(tx, tenantId, keyId)), api_key: secret };
  });
}

/**
 * Changes the name, the scopes or the end of a key, from its next use on.
 * @throws AppError 404; 409 for the scopes and the end of the workspace key, for a key that has ended, and for a name in
 *   use; 422 for an end that is not in the future; the errors of `withProof`
 */
export async function updateKey(
  services: KeyServices,
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  { key_id, name, scopes, expires_at, ...proof }: UpdateInput,
): Promise<ApiKey> {
  return withProof(services, origin, asAdministrator, proofOf(proof), async (tx, { tenantId, userId }) => {
    const { key } = await findCurrent(tx, tenantId, key_id);
    if (key.workspace && (scopes !== undefined || expires_at !== undefined))
      throw new AppError('state_conflict', 'the workspace key has all scopes and no end; create another key');
    if (name !== undefined && name !== key.name) await requireFreeName(tx, tenantId, name, key_id);
    const changed = {
      ...key,
      name: name ?? key.name,
      scope: scopes ? writeScopes(scopes) : key.scope,
      expiresAt: expires_at === undefined ? key.expiresAt : await endOf(tx, expires_at),
    };
    if (!key.workspace && !(await limitSecrets(tx, changed))) throw ended();
    await tx
      .update(apiKeys)
      .set({ name: changed.name, scope: changed.scope, expiresAt: changed.expiresAt })
      .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.keyId, key_id)));
    await record(tx, origin, userId, {
      action: 'api_key_changed',
      tenantId,
      target: key.workspace ? tenantId : key_id,
      details: {
        name: changed.name,
        ...limitsOf(changed),
        former_name: key.name,
        former_scopes: key.scope,
        former_expires_at: key.expiresAt?.toISOString() ?? null,
      },
    });
    return viewOf(await findKey(tx, tenantId, key_id));
  });
}

/**
 * Gives a key a new secret. The previous one stays valid for the overlap, at most until the end of the key.
 * @throws AppError 404; 409 for a key that has ended; the errors of `withProof`
 */
export async function rotateKey(
  services: KeyServices,
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  { key_id, overlap_seconds, ...proof }: RotateInput,
): Promise<ApiKeyWithSecret> {
  return withProof(services, origin, asAdministrator, proofOf(proof), async (tx, { tenantId, userId }) => {
    const { key } = await findCurrent(tx, tenantId, key_id);
    const secret = newSecret();
    await replaceSecret(tx, key, secret, overlap_seconds, userId);
    await record(tx, origin, userId, {
      action: 'api_key_rotated',
      tenantId,
      target: key.workspace ? tenantId : key_id,
      details: { from: key.prefix, to: prefixOf(secret), name: key.name, overlap_seconds },
    });
    return { ...viewOf(await findKey(tx, tenantId, key_id)), api_key: secret };
  });
}

/**
 * Revokes a key: from the next request on, none of its secrets is accepted. Requires no proof of identity, so that a
 * key can be revoked quickly. A repeated call returns the revoked key.
 * @throws AppError 404, 401, 403
 */
export async function revokeKey(
  origin: Origin,
  asAdministrator: AsAdministratorSession,
  keyId: string,
): Promise<ApiKey> {
  return asAdministrator(async (tx, { tenant, user }) => {
    await lockTenant(tx, tenant.id);
    const found = await findKey(tx, tenant.id, keyId);
    if (found.key.revokedAt !== null) return viewOf(found);
    await endKey(tx, found.key);
    await pruneRevoked(tx, tenant.id);
    await record(tx, origin, user.id, revocationOf(found.key));
    return viewOf(await findKey(tx, tenant.id, keyId));
  });
}

function record(tx: Tx, origin: Origin, userId: string, event: Omit<AuditEvent, 'actor'>): Promise<void> {
  return recordEvent(tx, origin, { ...event, actor: { kind: 'member', userId } });
}

function proofOf({ password, mfa_code = '' }: Pick<CreateInput, 'password' | 'mfa_code'>): Proof {
  return password === undefined ? { mfaCode: mfa_code } : { password };
}

/** @throws AppError 404 for an unknown or revoked key, 409 for one that has ended */
async function findCurrent(tx: Tx, tenantId: string, keyId: string): Promise<ViewedKey> {
  const found = await findKey(tx, tenantId, keyId);
  if (found.key.revokedAt !== null) throw new AppError('not_found', 'API key not found');
  if (found.expired) throw ended();
  return found;
}

function ended(): AppError {
  return new AppError('state_conflict', 'the API key has ended; create a new key');
}

/** Deletes keys that were revoked long ago. The audit log keeps their revocation. */
async function pruneRevoked(tx: Tx, tenantId: string): Promise<void> {
  await tx
    .delete(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), lt(apiKeys.revokedAt, sql`now() - interval '90 days'`)));
}

async function requireRoom(tx: Tx, tenantId: string): Promise<void> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), sql`${apiKeys.revokedAt} is null`));
  if ((row?.count ?? 0) >= maxApiKeys)
    throw new AppError('state_conflict', `a workspace has at most ${maxApiKeys} API keys; revoke one first`);
}

async function requireFreeName(tx: Tx, tenantId: string, name: string, except = ''): Promise<void> {
  const [taken] = await tx
    .select({ keyId: apiKeys.keyId })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.tenantId, tenantId),
        eq(apiKeys.name, name),
        sql`${apiKeys.revokedAt} is null and ${apiKeys.keyId} <> ${except}`,
      ),
    );
  if (taken) throw new AppError('state_conflict', `an API key with the name ${name} exists`);
}

/**
 * Reads the end of a key.
 * @throws AppError 422 if it is not in the future by the database's clock
 */
async function endOf(tx: Tx, expiresAt: string | null): Promise<Date | null> {
  if (expiresAt === null) return null;
  const [row] = await tx.execute(sql`select ${expiresAt}::timestamptz > now() as ahead`);
  if (row?.['ahead'] !== true) throw new AppError('unprocessable', 'expires_at must be in the future');
  return new Date(expiresAt);
}

/** A key with the member who created its secret. Times are compared by the database's clock. */
interface ViewedKey {
  key: ApiKeyRow;
  creator: string | null;
  byFormerAdmin: boolean;
  expired: boolean;
  overlaps: boolean;
}

function viewOf({ key, creator, byFormerAdmin, expired, overlaps }: ViewedKey): ApiKey {
  return {
    key_id: key.keyId,
    name: key.name,
    scopes: readScopes(key.scope),
    prefix: key.prefix,
    workspace: key.workspace,
    created_at: key.createdAt.toISOString(),
    created_by: creator ?? key.createdBy,
    by_former_admin: byFormerAdmin,
    expires_at: key.expiresAt?.toISOString() ?? null,
    expired,
    overlap_ends_at: overlaps ? (key.overlapEndsAt?.toISOString() ?? null) : null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

/** Returns keys of a tenant: those that are not revoked in the order of their creation, or the latest revoked ones. */
export async function listKeys(tx: Tx, tenantId: string, revoked: boolean): Promise<ApiKey[]> {
  const found = revoked
    ? await select(tx, tenantId, isNotNull(apiKeys.revokedAt))
        .orderBy(desc(apiKeys.revokedAt), apiKeys.keyId)
        .limit(maxApiKeys)
    : await select(tx, tenantId, sql`${apiKeys.revokedAt} is null`).orderBy(
        desc(apiKeys.workspace),
        apiKeys.createdAt,
        apiKeys.keyId,
      );
  return found.map(viewOf);
}

/**
 * Finds a key of a tenant, revoked or not.
 * @throws AppError 404
 */
async function findKey(tx: Tx, tenantId: string, keyId: string): Promise<ViewedKey> {
  const [found] = await select(tx, tenantId, eq(apiKeys.keyId, keyId));
  if (!found) throw new AppError('not_found', 'API key not found');
  return found;
}

function select(tx: Tx, tenantId: string, which: SQL) {
  return tx
    .select({
      key: apiKeys,
      creator: users.email,
      byFormerAdmin: sql<boolean>`${apiKeys.createdBy} is not null
        and coalesce(not ${users.active} or ${users.role} <> 'global_administrator', true)`,
      expired: sql<boolean>`coalesce(${apiKeys.expiresAt} <= now(), false)`,
      overlaps: sql<boolean>`coalesce(${apiKeys.overlapEndsAt} > now(), false)`,
    })
    .from(apiKeys)
    .leftJoin(users, and(eq(users.tenantId, tenantId), eq(users.userId, apiKeys.createdBy)))
    .where(and(eq(apiKeys.tenantId, tenantId), which))
    .$dynamic();
}
