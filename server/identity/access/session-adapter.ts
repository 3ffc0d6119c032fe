import { and, eq, sql } from 'drizzle-orm';
import { type Adapter, type DatabaseSession, type DatabaseUser, Lucia, TimeSpan } from 'lucia';
import { prepare, type Tx } from '#db/client.ts';
import { tokens, users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import { deleteTokens, insertTokens, type NewToken } from './tokens.ts';

export type { Session, User } from 'lucia';

/** The attributes of a session that each request reads. */
interface SessionAttributes {
  familyId: string;
  secondFactor: boolean;
  factorAtSignIn: boolean;
  /** Seconds since the member last proved the identity in the family; null if unknown. */
  proofAge: number | null;
}

/** The attributes of a session's member that each request reads. */
interface MemberAttributes {
  email: string;
  provider: string;
  role: string;
  active: boolean;
  totpEnrolled: boolean;
}

declare module 'lucia' {
  interface Register {
    Lucia: Lucia<SessionAttributes, MemberAttributes>;
    DatabaseSessionAttributes: SessionAttributes;
    DatabaseUserAttributes: MemberAttributes;
  }
}

/** The tokens of a new session: those attributes of both that lucia does not pass on, and the refresh token. */
interface NewPair {
  /** Seconds until the access token expires. */
  accessTtl: number;
  refresh: NewToken;
}

/** The tenant of a transaction. */
export interface SessionTenant {
  tenantId: string;
  name: string;
  active: boolean;
}

/**
 * Returns the ID of a session in lucia: the stored hash of its access token, as text. So lucia never has a token.
 */
export function sessionIdOf(accessTokenHash: Uint8Array): string {
  return Buffer.from(accessTokenHash).toString('base64url');
}

function hashOf(sessionId: string): Uint8Array {
  return Buffer.from(sessionId, 'base64url');
}

/**
 * The sessions of a transaction's tenant in lucia: access tokens and their members. Only this file uses lucia. The
 * conditions read the tenant's ID from the setting that row-level security uses, because a request's credential is
 * looked up before its tenant is known.
 *
 * The life of a session is fixed. lucia would extend a session in the second half of its life, so it gets a life of 0.
 */
export class SessionAdapter implements Adapter {
  readonly lucia = new Lucia(this, {
    sessionExpiresIn: new TimeSpan(0, 's'),
    getSessionAttributes: (attributes) => attributes,
    getUserAttributes: (attributes) => attributes,
  });
  /** Set when a session is looked up, whether it exists or not; undefined if the tenant does not exist. */
  tenant: SessionTenant | undefined;
  readonly #tx: Tx;
  readonly #pair: NewPair | undefined;

  /** @param pair needed to create a session */
  constructor(tx: Tx, pair?: NewPair) {
    this.#tx = tx;
    this.#pair = pair;
  }

  /** Inserts both tokens in one statement. */
  async setSession({ id, userId, attributes }: DatabaseSession): Promise<void> {
    if (!this.#pair) throw new Error('a session is created with a pair of tokens');
    const { accessTtl, refresh } = this.#pair;
    const access = { ...refresh, ...attributes, tokenHash: hashOf(id), userId, ttl: accessTtl };
    await insertTokens(this.#tx, [{ ...access, kind: 'access_token' }, refresh]);
  }

  /** Finds a session that is valid by the database's clock, with its member and the transaction's tenant. */
  async getSessionAndUser(id: string): Promise<[DatabaseSession | null, DatabaseUser | null]> {
    const [row] = await selectSession(this.#tx, { accessTokenHash: hashOf(id), scope: tenantScope });
    this.tenant = row && { tenantId: row.tenantId, name: row.name, active: row.active };
    if (!row?.token || !row.user) return [null, null];
    const { secondsLeft, ...attributes } = row.token;
    const { id: userId, ...member } = row.user;
    // lucia compares this with the process's clock. At least one second is left, so that it finds the session valid.
    const expiresAt = new Date(Date.now() + Math.max(1, secondsLeft) * 1000);
    return [
      { id, userId, expiresAt, attributes },
      { id: userId, attributes: member },
    ];
  }

  async deleteSession(id: string): Promise<void> {
    await deleteTokens(this.#tx, ownTenant, { tokenHash: hashOf(id) });
  }

  /** Deletes the refresh tokens, too. */
  async deleteUserSessions(userId: string): Promise<void> {
    await deleteTokens(this.#tx, ownTenant, { userId });
  }

  /** The life of a session is fixed. */
  updateSessionExpiration = notSupported;
  /** Members see token families, which also have sessions whose access token has expired. */
  getUserSessions = notSupported;
  /** `pruneExpired` deletes expired rows of all tenants in batches. */
  deleteExpiredSessions = notSupported;
}

async function notSupported(): Promise<never> {
  throw new Error('this function of lucia is not used');
}

/**
 * The setting with the transaction's tenant. This is a constant, but it is passed as a parameter, because the driver
 * prepares only statements with parameters.
 */
export const tenantScope = 'lingualoop.tenant_id';
export const tenantInScope = sql`current_setting(${sql.placeholder('scope')})`;
const ownTenant = sql`current_setting(${tenantScope})`;

interface SessionRow extends SessionTenant {
  user: (MemberAttributes & { id: string }) | null;
  token: (SessionAttributes & { secondsLeft: number }) | null;
}

/**
 * Reads the transaction's tenant and, for an access token, the member. Without the condition on the tenant, the
 * row-level policy alone would use no index (docs/decisions/0025).
 */
const selectSession = prepare<{ accessTokenHash: Uint8Array; scope: string }, SessionRow[]>((db) =>
  db
    .select({
      tenantId: tenants.tenantId,
      name: tenants.name,
      active: tenants.active,
      user: {
        id: users.userId,
        email: users.email,
        provider: users.provider,
        role: users.role,
        active: users.active,
        totpEnrolled: sql<boolean>`${users.totpSecret} is not null`,
      },
      token: {
        familyId: tokens.familyId,
        secondFactor: tokens.secondFactor,
        factorAtSignIn: tokens.factorAtSignIn,
        proofAge: sql<number | null>`extract(epoch from now() - ${tokens.provedAt})::float8`,
        secondsLeft: sql<number>`extract(epoch from ${tokens.expiresAt} - now())::float8`,
      },
    })
    .from(tenants)
    .leftJoin(
      tokens,
      and(
        eq(tokens.tenantId, tenantInScope),
        eq(tokens.tokenHash, sql.placeholder('accessTokenHash')),
        eq(tokens.kind, 'access_token'),
        sql`${tokens.expiresAt} > now()`,
      ),
    )
    .leftJoin(users, and(eq(users.tenantId, tenantInScope), eq(users.userId, tokens.userId)))
    .where(eq(tenants.tenantId, tenantInScope))
    .prepare('select_principal'),
);
