import { and, eq, sql } from 'drizzle-orm';
import { type Adapter, Lucia } from 'lucia';
import { prepare, type Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { newId } from '#server/platform/ids.ts';
import type { Settings } from '#server/settings.ts';
import { hashSecret, newSecret } from './credentials.ts';
import { deleteTokens, insertTokens, type NewToken } from './tokens.ts';

/** A member's row. */
export type LockedMember = typeof users.$inferSelect;

/**
 * Locks a member's row until the transaction ends. Both those who issue tokens and those who revoke them or change the
 * member take this lock. It is one exclusive lock, not a shared one for issuing: in PostgreSQL shared lockers overtake a
 * waiting exclusive locker, so frequent refreshes would delay a revocation. It is not `for update`, which the foreign keys
 * of new tokens would wait for.
 */
export async function lockMember(
  tx: Tx,
  tenantId: string,
  userId: string,
): Promise<LockedMember | undefined> {
  const [row] = await selectLocked(tx, { tenantId, userId });
  return row;
}

const selectLocked = prepare<{ tenantId: string; userId: string }, LockedMember[]>((db) =>
  db
    .select()
    .from(users)
    .where(and(eq(users.tenantId, sql.placeholder('tenantId')), eq(users.userId, sql.placeholder('userId'))))
    .for('no key update')
    .prepare('lock_member'),
);

/** Takes the same lock on every member of a tenant. */
async function lockAllMembers(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select from users where tenant_id = ${tenantId} order by user_id for no key update) locked`);
}

/** Deletes a tenant's tokens, MFA challenges and reset links. */
async function deleteSignIns(tx: Tx, tenantId: string): Promise<void> {
  await Promise.all([
    tx.execute(sql`delete from tokens where tenant_id = ${tenantId}`),
    tx.execute(sql`delete from credential_directory where tenant_id = ${tenantId} and kind <> 'api_key'`),
    tx.execute(sql`delete from mfa_challenges where tenant_id = ${tenantId}`),
    tx.execute(sql`delete from reset_links where tenant_id = ${tenantId}`),
  ]);
}

/**
 * A session's attributes in lucia, which is used only in this file, to create sessions. The session id is the access token;
 * only its SHA-256 is stored. A session's life is fixed, so lucia's sliding expiry is not used: the principal
 * lookup (`principal-lookup.ts`) reads a session together with its member and tenant, by the database's clock.
 */
interface TokenAttributes {
  tenantId: string;
  scope: string;
  role: string;
  familyId: string;
  familyAge: number;
  secondFactor: boolean;
  issuedFor: Uint8Array | null;
}

declare module 'lucia' {
  interface Register {
    DatabaseSessionAttributes: TokenAttributes;
  }
}

/** The member that a session belongs to, as at the sign-in. */
export interface SessionMember {
  tenantId: string;
  userId: string;
  email: string;
  provider: string;
  role: string;
}

/** New tokens. They are returned once and cannot be read again. Lives are in seconds. */
export interface IssuedTokens {
  member: SessionMember;
  scope: string;
  accessToken: string;
  accessTtl: number;
  refreshToken: string;
  refreshTtl: number;
}

export const defaultScope = 'translate:jobs';

/** A token family: one sign-in and all sessions refreshed from it. */
export interface Family {
  id: string;
  /** Seconds since the sign-in. */
  age: number;
  /** Whether the sign-in passed a second factor. */
  secondFactor: boolean;
}

/** The family of a new sign-in. */
export function newFamily({ secondFactor }: Pick<Family, 'secondFactor'>): Family {
  return { id: newId(), age: 0, secondFactor };
}

/** Whole seconds until a family reaches its maximum age. Zero or less if it has. */
export function secondsLeftOf({ age }: Family, { SESSION_MAX_AGE_SECONDS }: Settings): number {
  return Math.floor(SESSION_MAX_AGE_SECONDS - age);
}

/**
 * Issues an access token and a refresh token, neither of which outlives the family. The caller has locked the member with
 * `lockMember`, so that no one receives a token while being revoked, and has checked the family's age.
 * @param issuedFor the hash of the refresh token that they replace; null at a sign-in
 */
export async function startSession(
  tx: Tx,
  member: SessionMember,
  settings: Settings,
  family: Family,
  scope = defaultScope,
  issuedFor: Uint8Array | null = null,
): Promise<IssuedTokens> {
  const { tenantId, userId, role } = member;
  const left = secondsLeftOf(family, settings);
  const accessTtl = Math.min(settings.ACCESS_TOKEN_TTL_SECONDS, left);
  const refreshTtl = Math.min(settings.REFRESH_TOKEN_TTL_SECONDS, left);
  const { id: familyId, age: familyAge, secondFactor } = family;
  const attributes = { tenantId, scope, role, familyId, familyAge, secondFactor, issuedFor };
  const accessToken = newSecret();
  const refreshToken = newSecret();
  const refresh: NewToken = {
    ...attributes,
    tokenHash: hashSecret(refreshToken),
    kind: 'refresh_token',
    userId,
    ttl: refreshTtl,
  };
  const lucia = new Lucia(issuingAdapter(tx, accessTtl, refresh));
  await lucia.createSession(userId, attributes, { sessionId: accessToken });
  return { member, scope, accessToken, accessTtl, refreshToken, refreshTtl };
}

/** Ends one session by deleting its access token. */
export async function endSession(tx: Tx, tenantId: string, accessToken: string): Promise<number> {
  return deleteTokens(tx, tenantId, { tokenHash: hashSecret(accessToken) });
}

/** Ends every session of a member by deleting its access and refresh tokens. */
export async function endSessionsOf(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await lockMember(tx, tenantId, userId);
  await deleteTokens(tx, tenantId, { userId });
}

/**
 * Ends every session of a tenant, its pending MFA challenges and its reset links. Waits for sign-ins in progress, which
 * hold a lock on their member; later sign-ins see what the caller wrote before.
 */
export async function endAllSessions(tx: Tx, tenantId: string): Promise<void> {
  await lockAllMembers(tx, tenantId);
  await deleteSignIns(tx, tenantId);
}

/**
 * lucia's adapter for issuing. The refresh token is inserted by the access token's statement. The principal lookup reads
 * sessions, `deleteTokens` ends them and their lives are fixed, so lucia may do none of that.
 * @param accessTtl seconds
 */
function issuingAdapter(tx: Tx, accessTtl: number, refresh: NewToken): Adapter {
  const notSupported = () => Promise.reject(new Error('lucia only creates sessions here'));
  return {
    setSession: ({ id, userId, attributes }) =>
      insertTokens(tx, [
        { ...attributes, tokenHash: hashSecret(id), kind: 'access_token', userId, ttl: accessTtl },
        refresh,
      ]),
    getSessionAndUser: notSupported,
    getUserSessions: notSupported,
    updateSessionExpiration: notSupported,
    deleteSession: notSupported,
    deleteUserSessions: notSupported,
    deleteExpiredSessions: notSupported,
  };
}
