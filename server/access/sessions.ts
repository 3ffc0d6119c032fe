import { and, eq, sql } from 'drizzle-orm';
import { type Adapter, type DatabaseSession, Lucia } from 'lucia';
import { prepare, type Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { newId } from '#server/ids.ts';
import type { Settings } from '#server/settings.ts';
import { hashSecret, newSecret } from './credentials.ts';
import { lookUpPrincipal, type PrincipalLookup } from './principal-lookup.ts';
import { deleteTokens, insertTokens, type NewToken } from './tokens.ts';

/** A member's row. */
export type LockedMember = typeof users.$inferSelect;

/**
 * A member's row, locked until the transaction ends: by whoever issues tokens, and by whoever ends them or changes the
 * member's standing. One lock for both, because in PostgreSQL those who share one pass a writer that waits: refreshing
 * fast enough would keep a revocation waiting. Not `for update`, which the foreign keys of new tokens would wait for.
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

/** The same lock on every member of a tenant. */
async function lockAllMembers(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`
    select count(*) from (
      select from users where tenant_id = ${tenantId} order by user_id for no key update) locked`);
}

/** Deletes what lets a tenant's members in, or is on its way to: its tokens, challenges and reset links. */
async function deleteSignIns(tx: Tx, tenantId: string): Promise<void> {
  await Promise.all([
    tx.execute(sql`delete from tokens where tenant_id = ${tenantId}`),
    tx.execute(sql`delete from credential_directory where tenant_id = ${tenantId} and kind <> 'api_key'`),
    tx.execute(sql`delete from mfa_challenges where tenant_id = ${tenantId}`),
    tx.execute(sql`delete from reset_links where tenant_id = ${tenantId}`),
  ]);
}

/**
 * Sessions, on lucia, which lives only here. A session's id is an access token; the adapter below keeps and looks up
 * nothing but its SHA-256. Its life is fixed (A 2.3): lucia's sliding expiry finds no way to move it.
 */
interface TokenAttributes {
  tenantId: string;
  scope: string;
  role: string;
  familyId: string;
  familyAge: number;
  secondFactor: boolean;
}

declare module 'lucia' {
  interface Register {
    DatabaseSessionAttributes: TokenAttributes;
  }
}

/** A member as a session begins: what its tokens say of it. */
export interface SessionMember {
  tenantId: string;
  userId: string;
  email: string;
  provider: string;
  role: string;
}

/** Tokens as they were issued, this once; lives in seconds. */
export interface IssuedTokens {
  member: SessionMember;
  scope: string;
  accessToken: string;
  accessTtl: number;
  refreshToken: string;
  refreshTtl: number;
}

export const defaultScope = 'translate:jobs';

/** A sign-in and all that descends from it by refreshing. */
export interface Family {
  id: string;
  /** Seconds since the sign-in. */
  age: number;
  /** Whether a second factor was passed in it (A 5.3). */
  secondFactor: boolean;
}

/** The family of a sign-in that begins. */
export function newFamily({ secondFactor }: Pick<Family, 'secondFactor'>): Family {
  return { id: newId(), age: 0, secondFactor };
}

/** Seconds that a family may go on; none are left where it is refused. Whole ones, as answers tell them. */
export function secondsLeftOf({ age }: Family, { SESSION_MAX_AGE_SECONDS }: Settings): number {
  return Math.floor(SESSION_MAX_AGE_SECONDS - age);
}

/**
 * Issues an access and a refresh token for a member, neither of which outlives their family. The caller holds a lock on
 * the member (`lockMember`), so that nobody is issued a token while being revoked, and has seen that the family may go on.
 */
export async function startSession(
  tx: Tx,
  member: SessionMember,
  settings: Settings,
  family: Family,
  scope = defaultScope,
): Promise<IssuedTokens> {
  const { tenantId, userId, role } = member;
  const left = secondsLeftOf(family, settings);
  const accessTtl = Math.min(settings.ACCESS_TOKEN_TTL_SECONDS, left);
  const refreshTtl = Math.min(settings.REFRESH_TOKEN_TTL_SECONDS, left);
  const { id: familyId, age: familyAge, secondFactor } = family;
  const attributes = { tenantId, scope, role, familyId, familyAge, secondFactor };
  const accessToken = newSecret();
  const refreshToken = newSecret();
  const refresh: NewToken = {
    ...attributes,
    tokenHash: hashSecret(refreshToken),
    kind: 'refresh_token',
    userId,
    ttl: refreshTtl,
  };
  const sessions = new Lucia(adapterOver(tx, { ttl: accessTtl, beside: [refresh] }));
  await sessions.createSession(userId, attributes, { sessionId: accessToken });
  return { member, scope, accessToken, accessTtl, refreshToken, refreshTtl };
}

/**
 * The standing of whoever asks: of the access token's member where it is a live one, else of the tenant that the
 * transaction is scoped to. The statement leaves at once, with the transaction's first packet.
 */
export async function readSession(tx: Tx, accessToken: string): Promise<PrincipalLookup | undefined> {
  let standing: PrincipalLookup | undefined;
  const sessions = new Lucia(
    adapterOver(tx, {
      onStanding: (read) => {
        standing = read;
      },
    }),
  );
  const { session } = await sessions.validateSession(accessToken);
  return standing && { ...standing, user: session === null ? null : standing.user };
}

/** Ends one session: its access token. */
export async function endSession(tx: Tx, tenantId: string, accessToken: string): Promise<number> {
  return deleteTokens(tx, tenantId, { tokenHash: hashSecret(accessToken) });
}

/** Ends every session of a member, at once: its tokens of both kinds. */
export async function endSessionsOf(tx: Tx, tenantId: string, userId: string): Promise<void> {
  await lockMember(tx, tenantId, userId);
  await deleteTokens(tx, tenantId, { userId });
}

/**
 * Ends every session of a tenant, at once, with the sign-ins that wait for a code and the reset links. Sign-ins that are
 * under way hold a lock on their member: they are waited for, and those that come later see what the caller did before.
 */
export async function endAllSessions(tx: Tx, tenantId: string): Promise<void> {
  await lockAllMembers(tx, tenantId);
  await deleteSignIns(tx, tenantId);
}

interface AdapterParts {
  /** Seconds that a new session lives. */
  ttl?: number;
  /** Tokens that are inserted with a new session, by its statement. */
  beside?: NewToken[];
  onStanding?: (standing: PrincipalLookup | undefined) => void;
}

/** What lucia asks of a store, over our tables and inside one transaction of one tenant. */
function adapterOver(tx: Tx, { ttl = 0, beside = [], onStanding }: AdapterParts): Adapter {
  const never = () => Promise.reject(new Error('sessions are not ended one by one through lucia'));
  return {
    async getSessionAndUser(accessToken) {
      const standing = await lookUpPrincipal(tx, hashSecret(accessToken));
      onStanding?.(standing);
      if (!standing?.token || !standing.user) return [null, null];
      const { user, token, tenantId } = standing;
      const session: DatabaseSession = {
        id: accessToken,
        userId: user.id,
        // The database's clock has judged already; this process's has no say.
        expiresAt: new Date(Date.now() + 60_000),
        // Of these nobody reads any: what is asked of a session is its member's standing.
        attributes: {
          tenantId,
          scope: '',
          role: user.role,
          familyId: token.familyId,
          familyAge: 0,
          secondFactor: token.secondFactor,
        },
      };
      return [session, { id: user.id, attributes: {} }];
    },
    setSession: ({ id, userId, attributes }) =>
      insertTokens(tx, [
        { ...attributes, tokenHash: hashSecret(id), kind: 'access_token', userId, ttl },
        ...beside,
      ]),
    // The directory opens no scope for an expired token, so lucia never sees one; pruning deletes it.
    deleteSession: async () => {},
    // A token's life is what its answer said: half of it used up is no reason for more.
    updateSessionExpiration: async () => {},
    getUserSessions: never,
    deleteUserSessions: never,
    deleteExpiredSessions: never,
  };
}
