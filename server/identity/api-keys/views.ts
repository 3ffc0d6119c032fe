import { and, desc, eq, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { apiKeys, users } from '#db/schema/identity.ts';
import { AppError } from '#server/errors.ts';
import type { ApiKeyRow } from '#server/identity/access/api-keys.ts';
import { readScopes } from '#server/identity/access/scopes.ts';
import { type ApiKey, maxApiKeys } from './schema.ts';

/** A key with the member who created its secret. Times are compared by the database's clock. */
export interface ViewedKey {
  key: ApiKeyRow;
  creator: string | null;
  byFormerAdmin: boolean;
  expired: boolean;
  overlaps: boolean;
}

export function viewOf({ key, creator, byFormerAdmin, expired, overlaps }: ViewedKey): ApiKey {
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
export async function findKey(tx: Tx, tenantId: string, keyId: string): Promise<ViewedKey> {
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
