import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { mfaChallenges } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { RequestContext } from '#server/context.ts';
import { hashSecret, newSecret } from '#server/identity/access/credentials.ts';
import { notSignedIn, withSessionCookie } from '#server/identity/access/guards/session.ts';
import { defaultScope, type LockedMember, lockMember } from '#server/identity/access/sessions.ts';
import type { Settings } from '#server/settings.ts';
import { procedure } from '#server/trpc.ts';
import type { MfaChallenge } from '../schema.ts';

/** A new challenge in the form in which the client receives it, once. `expiresIn` is in seconds. */
export interface IssuedChallenge {
  challengeId: string;
  method: 'totp' | 'totp_enroll';
  expiresIn: number;
}

/** A stored challenge. */
export type ChallengeRow = typeof mfaChallenges.$inferSelect;

/** The primary key of a stored challenge. Only the hash of the challenge's secret is stored. */
interface ChallengeKey {
  tenantId: string;
  challengeHash: Uint8Array;
}

/** The form of a challenge id: the tenant's id, a dot, and a secret. */
const challengeIdForm = /^([a-z0-9_-]{1,64})\.([A-Za-z0-9_-]{43})$/;

/**
 * Issues a challenge instead of tokens. The caller's transaction is in the tenant's scope and has locked the member's
 * row.
 * @param scope the scope of the tokens that are issued when the challenge is passed
 */
export async function issueChallenge(
  tx: Tx,
  user: LockedMember,
  settings: Settings,
  scope: string = defaultScope,
): Promise<IssuedChallenge> {
  const { tenantId, userId } = user;
  const secret = newSecret();
  const method = user.totpSecret === null ? 'totp_enroll' : 'totp';
  const expiresIn = settings.MFA_CHALLENGE_TTL_SECONDS;
  await tx.insert(mfaChallenges).values({
    tenantId,
    userId,
    challengeHash: hashSecret(secret),
    method,
    scope,
    expiresAt: sql`now() + make_interval(secs => ${expiresIn})`,
  });
  return { challengeId: `${tenantId}.${secret}`, method, expiresIn };
}

/** Returns the challenge as it appears in a response. */
export function challengeResponse({ challengeId, method, expiresIn }: IssuedChallenge): MfaChallenge {
  return { challenge_id: challengeId, method, expires_in: expiresIn };
}

/** Returns the paths at which the client can continue with a challenge. */
export function nextAfter({ method }: IssuedChallenge): Record<string, string> {
  const oauth2_token = '/api/oauth2/token';
  if (method === 'totp') return { oauth2_token, mfa_verify: '/api/auth/mfa/verify' };
  return { mfa_enroll: '/api/auth/mfa/enroll', mfa_confirm: '/api/auth/mfa/confirm', oauth2_token };
}

/** Parses a challenge id. Returns undefined for a malformed id, which needs no look-up. */
export function readChallengeId(challengeId: string): ChallengeKey | undefined {
  const [, tenantId, secret] = challengeIdForm.exec(challengeId) ?? [];
  if (tenantId === undefined || secret === undefined) return undefined;
  return { tenantId, challengeHash: hashSecret(secret) };
}

/**
 * Locks the member of a challenge, then reads the challenge again, because a concurrent request that held the lock may
 * have used it.
 * @returns undefined if the challenge is unknown, expired, has too many wrong codes or was already used, if the member
 *   is revoked, or if the tenant is inactive
 */
export async function lockChallenge(
  tx: Tx,
  key: ChallengeKey,
): Promise<{ user: LockedMember; challenge: ChallengeRow } | undefined> {
  const seen = await findChallenge(tx, key);
  if (!seen) return undefined;
  const user = await lockMember(tx, key.tenantId, seen.userId);
  const challenge = await findChallenge(tx, key);
  return user?.active && challenge ? { user, challenge } : undefined;
}

/**
 * The member who presents a second factor, with the row locked, and either the challenge or the token family of the
 * session that the member used.
 */
export type Claimant = { user: LockedMember } & (
  | { challenge: ChallengeRow }
  | { challenge: null; familyId: string; isProved: boolean }
);

/**
 * Opens a transaction as the member who enrolls an authenticator app, and locks the member's row. The member is
 * authenticated by the pending challenge if the request has one, else by the session cookie; never by a bearer token.
 * @throws AppError 401 `authentication required`
 */
type WithClaimant = <T>(
  challengeId: string | undefined,
  work: (tx: Tx, claimant: Claimant) => Promise<T>,
) => Promise<T>;

/**
 * The challenge is part of the input, so the guard cannot read it: the handler passes the challenge to
 * `ctx.withClaimant`.
 */
export const challengeOrCookieProcedure = procedure
  .meta({ guard: 'challenge_or_cookie' })
  .use(({ ctx, next }) => next({ ctx: { withClaimant: withClaimantOf(ctx) } }));

function withClaimantOf(ctx: RequestContext): WithClaimant {
  return async (challengeId, work) => {
    if (challengeId !== undefined) {
      const key = readChallengeId(challengeId);
      if (!key) throw notSignedIn();
      return ctx.services.database.inTenant(key.tenantId, async (tx) => {
        const claimant = await lockChallenge(tx, key);
        if (!claimant) throw notSignedIn();
        return work(tx, claimant);
      });
    }
    return withSessionCookie(ctx, async (tx, { tenant, user: { id }, family }) => {
      const user = await lockMember(tx, tenant.id, id);
      if (!user?.active) throw notSignedIn();
      const { id: familyId, isProved } = family;
      return work(tx, { user, challenge: null, familyId, isProved });
    });
  };
}

/**
 * Finds a valid challenge of an active tenant. Compares with the clock, not with now(), because a lock may have delayed
 * the transaction.
 */
async function findChallenge(tx: Tx, key: ChallengeKey): Promise<ChallengeRow | undefined> {
  const [row] = await tx
    .select({ challenge: mfaChallenges })
    .from(mfaChallenges)
    .innerJoin(tenants, eq(tenants.tenantId, mfaChallenges.tenantId))
    .where(
      and(isChallenge(key), sql`${mfaChallenges.expiresAt} > clock_timestamp()`, eq(tenants.active, true)),
    );
  return row?.challenge;
}

/** Counts a wrong code for its challenge. */
export async function countCode(tx: Tx, key: ChallengeKey): Promise<void> {
  await tx
    .update(mfaChallenges)
    .set({ codesSubmitted: sql`${mfaChallenges.codesSubmitted} + 1` })
    .where(isChallenge(key));
}

export async function deleteChallenge(tx: Tx, key: ChallengeKey): Promise<void> {
  await tx.delete(mfaChallenges).where(isChallenge(key));
}

/**
 * Deletes a member's challenges to enroll, so that none of them can replace the authenticator that was just enrolled.
 */
export async function deleteEnrollmentChallenges(
  tx: Tx,
  { tenantId, userId }: Pick<LockedMember, 'tenantId' | 'userId'>,
): Promise<void> {
  await tx
    .delete(mfaChallenges)
    .where(
      and(
        eq(mfaChallenges.tenantId, tenantId),
        eq(mfaChallenges.userId, userId),
        eq(mfaChallenges.method, 'totp_enroll'),
      ),
    );
}

function isChallenge({ tenantId, challengeHash }: ChallengeKey) {
  return and(eq(mfaChallenges.tenantId, tenantId), eq(mfaChallenges.challengeHash, challengeHash));
}
