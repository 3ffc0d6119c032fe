import { and, eq, sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { coarseNetwork } from '#server/http/client-address.ts';
import { newId } from '#server/platform/ids.ts';
import type { Settings } from '#server/settings.ts';
import { hashSecret, newSecret } from './credentials.ts';
import { SessionAdapter, sessionIdOf } from './session-adapter.ts';
import type { NewToken } from './tokens.ts';

/** A member's row. */
export type LockedMember = typeof users.$inferSelect;

/**
 * Locks a member's row until the transaction ends. Transactions that issue or revoke tokens, or change the member, all
 * take this lock.
 *
 * The lock is exclusive for all of them. If issuing took a shared lock, frequent refreshes could delay a revocation,
 * because in PostgreSQL shared lockers overtake a waiting exclusive locker. `for update` is not used, because it would
 * block inserting new tokens, which refer to the member by foreign keys.
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

/** Takes the same lock as `lockMember` on every member of a tenant. */
async function lockAllMembers(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select from users where tenant_id = ${tenantId} order by user_id for no key update) locked`);
}

/** Deletes a tenant's tokens, MFA challenges and reset links. */
async function deleteSignIns(tx: Tx, tenantId: string): Promise<void> {
  await Promise.all([
    tx.execute(sql`delete from tokens where tenant_id = ${tenantId}`),
    // API keys are in the directory, too. They stay: they are not sessions.
    tx.execute(sql`
      delete from credential_directory
      where tenant_id = ${tenantId} and kind in ('access_token', 'refresh_token')`),
    tx.execute(sql`delete from mfa_challenges where tenant_id = ${tenantId}`),
    tx.execute(sql`delete from reset_links where tenant_id = ${tenantId}`),
  ]);
}

/** The member of a session, with the data at the time of the sign-in. */
export interface SessionMember {
  tenantId: string;
  userId: string;
  email: string;
  provider: string;
  role: string;
}

/** New tokens. They are returned once and cannot be read again. Their lives are in seconds. */
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
  /** Seconds since the sign-in that started the family. */
  age: number;
  /** Whether the family can be refreshed if a second factor is required: it passed one, or has enrolled one since. */
  secondFactor: boolean;
  /** Whether that sign-in passed a second factor, here or at the identity provider. Enrolling later does not. */
  factorAtSignIn: boolean;
  /** Seconds since the member last proved the identity, at the sign-in or later; null if unknown. */
  proofAge: number | null;
  /** The program of the sign-in or the latest refresh, and its network; null if unknown. */
  agent: string | null;
  network: string | null;
}

/** Returns the family of a new sign-in, which is a proof of identity. */
export function newFamily({
  secondFactor,
  factorAtSignIn = secondFactor,
  origin,
}: {
  secondFactor: boolean;
  factorAtSignIn?: boolean;
  origin?: SessionOrigin;
}): Family {
  return { id: newId(), age: 0, secondFactor, factorAtSignIn, proofAge: 0, ...deviceOf(origin) };
}

interface SessionOrigin {
  clientAddress: string | null;
  agent?: string | null;
}

/** Returns what a session records about the device, for the member who looks at the own sessions. */
export function deviceOf(
  { clientAddress, agent = null }: SessionOrigin = { clientAddress: null },
): Pick<Family, 'agent' | 'network'> {
  return { agent, network: clientAddress === null ? null : coarseNetwork(clientAddress) };
}

/** Returns the whole seconds until a family reaches its maximum age; zero or less if it has reached it. */
export function secondsLeftOf({ age }: Family, { REFRESH_TOKEN_TTL_SECONDS }: Settings): number {
  return Math.floor(maxRefreshes * REFRESH_TOKEN_TTL_SECONDS - age);
}

/** A session lasts at most so many lives of a refresh token, however often it is refreshed. */
const maxRefreshes = 3;

/**
 * Issues an access token and a refresh token. Neither is valid for longer than the family. The caller has locked the
 * member with `lockMember`, so that no one receives a token while being revoked, and has checked the age of the family.
 * @param issuedFor the hash of the refresh token that the new tokens replace; null at a sign-in
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
  const { id: familyId, age: familyAge, ...standing } = family;
  const { secondFactor, factorAtSignIn, proofAge } = family;
  const accessToken = newSecret();
  const refreshToken = newSecret();
  const refresh: NewToken = {
    ...{ tenantId, userId, scope, role, familyId, familyAge, ...standing, issuedFor },
    tokenHash: hashSecret(refreshToken),
    kind: 'refresh_token',
    ttl: refreshTtl,
  };
  await new SessionAdapter(tx, { accessTtl, refresh }).lucia.createSession(
    userId,
    { familyId, secondFactor, factorAtSignIn, proofAge },
    { sessionId: sessionIdOf(hashSecret(accessToken)) },
  );
  return { member, scope, accessToken, accessTtl, refreshToken, refreshTtl };
}

/** Ends one session of the transaction's tenant by deleting its access token. */
export async function endSession(tx: Tx, accessTokenHash: Uint8Array): Promise<void> {
  await new SessionAdapter(tx).lucia.invalidateSession(sessionIdOf(accessTokenHash));
}

/** Counts the active sessions of a tenant, or of one member: the sign-ins with a token that is still accepted. */
export async function countSessions(tx: Tx, tenantId: string, userId?: string): Promise<number> {
  const ofMember = userId === undefined ? sql`true` : sql`user_id = ${userId}`;
  const [row] = await tx.execute<{ sessions: number }>(sql`
    select count(distinct family_id)::int as sessions from tokens
    where tenant_id = ${tenantId} and ${ofMember} and expires_at > now() and consumed_at is null`);
  return row?.sessions ?? 0;
}

/** Ends every session of a member by deleting its access and refresh tokens. */
export async function endSessionsOf(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await lockMember(tx, tenantId, userId);
  await new SessionAdapter(tx).lucia.invalidateUserSessions(userId);
}

/**
 * Ends every session of a tenant, and deletes the pending MFA challenges and reset links. Waits for sign-ins in
 * progress, which hold a lock on their member. Later sign-ins see what the caller has written before this call.
 */
export async function endAllSessions(tx: Tx, tenantId: string): Promise<void> {
  await lockAllMembers(tx, tenantId);
  await deleteSignIns(tx, tenantId);
}
