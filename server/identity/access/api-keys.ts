import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { apiKeys, credentialDirectory } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Access, Scope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/platform/ids.ts';
import { hashSecret } from './credentials.ts';

/** All scopes, in the order in which keys list them. */
export const scopes = ['translate', 'read', 'review', 'admin'] as const satisfies readonly Scope[];

/** The scopes that allow a call: one of them is enough. */
export type AllowingScopes = NonNullable<Access['scopes']>;

/** Returns the scopes that are stored as words separated by spaces. */
export function readScopes(stored: string): Scope[] {
  const words = new Set(stored.split(' '));
  return scopes.filter((scope) => words.has(scope));
}

/** Returns the stored form of scopes: each once, in the order of `scopes`. */
export function writeScopes(given: readonly Scope[]): string {
  return scopes.filter((scope) => given.includes(scope)).join(' ');
}

/**
 * Rejects an API key that has none of the allowing scopes.
 * @param held the scopes of the key; null for all
 * @throws AppError 403, whose message names the missing scope
 */
export function requireScope(held: readonly Scope[] | null, allowing: AllowingScopes): void {
  if (held === null || allowing.some((scope) => held.includes(scope))) return;
  throw new AppError('forbidden', `this API key lacks the scope ${allowing.join(' or ')}`);
}

export type ApiKeyRow = typeof apiKeys.$inferSelect;

/** The stored form of all scopes. */
const allScopes = writeScopes(scopes);

/** The first characters of a secret, which identify it in lists. */
export function prefixOf(secret: string): string {
  return secret.slice(0, 8);
}

/**
 * Inserts the workspace key of a tenant that has none. The caller sets the tenant's `apiKeyPrefix`.
 * @param by the member who gets the secret; undefined for an operator
 */
export async function insertWorkspaceKey(
  tx: Tx,
  tenantId: string,
  secret: string,
  by: string | undefined,
): Promise<void> {
  await Promise.all([
    insertSecret(tx, { tenantId, workspace: true, keyId: '', scope: allScopes, expiresAt: null }, secret),
    tx.insert(apiKeys).values({
      tenantId,
      keyId: newId(),
      name: 'Workspace key',
      scope: allScopes,
      prefix: prefixOf(secret),
      workspace: true,
      createdBy: by ?? null,
    }),
  ]);
}

type KeyLimits = Pick<ApiKeyRow, 'tenantId' | 'keyId' | 'scope' | 'expiresAt' | 'workspace'>;

/** Inserts the hash of a key's current secret. */
export async function insertSecret(
  tx: Tx,
  { tenantId, keyId, scope, expiresAt, workspace }: KeyLimits,
  secret: string,
): Promise<void> {
  const limits = workspace
    ? { kind: 'api_key' as const }
    : { kind: 'limited_key' as const, keyId, scope, expiresAt };
  await tx.insert(credentialDirectory).values({ credentialHash: hashSecret(secret), tenantId, ...limits });
}

/** The rows of a key's secrets in the directory. */
function secretsOf({ tenantId, keyId, workspace }: Pick<ApiKeyRow, 'tenantId' | 'keyId' | 'workspace'>) {
  const ofKey = eq(credentialDirectory.keyId, keyId);
  return and(
    eq(credentialDirectory.tenantId, tenantId),
    workspace ? sql`(${ofKey} or ${credentialDirectory.kind} = 'api_key')` : ofKey,
  );
}

/**
 * Replaces the current secret of a key. The previous one is valid for `overlap` more seconds, but not beyond the end
 * of the key. A secret that was replaced earlier ends immediately: a key has at most two. The caller has locked the
 * tenant.
 * @param by the member who gets the new secret; undefined for an operator
 */
export async function replaceSecret(
  tx: Tx,
  key: ApiKeyRow,
  secret: string,
  overlap: number,
  by: string | undefined,
): Promise<void> {
  const { tenantId, keyId, workspace } = key;
  const ends = sql`least(now() + make_interval(secs => ${overlap}), ${key.expiresAt?.toISOString() ?? null}::timestamptz)`;
  await tx
    .delete(credentialDirectory)
    .where(and(secretsOf(key), overlap === 0 ? undefined : eq(credentialDirectory.replaced, true)));
  if (overlap > 0)
    await tx
      .update(credentialDirectory)
      .set({ kind: 'limited_key', keyId, scope: key.scope, replaced: true, expiresAt: ends })
      .where(secretsOf(key));
  await insertSecret(tx, key, secret);
  const prefix = prefixOf(secret);
  await tx
    .update(apiKeys)
    .set({ prefix, createdBy: by ?? null, overlapEndsAt: overlap > 0 ? ends : null })
    .where(and(eq(apiKeys.tenantId, tenantId), eq(apiKeys.keyId, keyId)));
  if (workspace) await setPrefix(tx, tenantId, prefix);
}

/**
 * Applies the scopes and the end of a key to its secrets.
 * @returns false if the current secret has ended
 */
export async function limitSecrets(tx: Tx, key: ApiKeyRow): Promise<boolean> {
  const end = sql`${key.expiresAt?.toISOString() ?? null}::timestamptz`;
  const overlap = sql`${key.overlapEndsAt?.toISOString() ?? null}::timestamptz`;
  const changed = await tx
    .update(credentialDirectory)
    .set({
      scope: key.scope,
      expiresAt: sql`case when ${credentialDirectory.replaced} then least(${overlap}, ${end}) else ${end} end`,
    })
    .where(secretsOf(key))
    .returning({ replaced: credentialDirectory.replaced });
  return changed.some(({ replaced }) => !replaced);
}

/** Ends a key and all its secrets. The caller has locked the tenant. */
export async function endKey(tx: Tx, key: ApiKeyRow): Promise<void> {
  await tx.delete(credentialDirectory).where(secretsOf(key));
  await tx
    .update(apiKeys)
    .set({ revokedAt: sql`now()`, overlapEndsAt: null })
    .where(and(eq(apiKeys.tenantId, key.tenantId), eq(apiKeys.keyId, key.keyId)));
  if (key.workspace) await setPrefix(tx, key.tenantId, '');
}

async function setPrefix(tx: Tx, tenantId: string, apiKeyPrefix: string): Promise<void> {
  await tx.update(tenants).set({ apiKeyPrefix }).where(eq(tenants.tenantId, tenantId));
}

/** Returns the keys of a tenant that are not revoked, the workspace key first and then by time of creation. */
export function selectKeys(tx: Tx, tenantId: string): Promise<ApiKeyRow[]> {
  return tx
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.tenantId, tenantId), sql`${apiKeys.revokedAt} is null`))
    .orderBy(sql`${apiKeys.workspace} desc, ${apiKeys.createdAt}, ${apiKeys.keyId}`);
}
