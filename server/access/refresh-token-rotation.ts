import type { Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import { limitRefreshes } from './rate-limit.ts';
import {
  type IssuedTokens,
  lockMember,
  type SessionMember,
  secondsLeftOf,
  startSession,
} from './sessions.ts';
import { consumeToken, deleteTokens, findToken, type TokenRow } from './tokens.ts';

/** Seconds after its use in which a second one counts as the same client's, that did not hear the answer (C 7). */
const reuseGraceSeconds = 10;

export type Rotation =
  | { kind: 'rotated'; tokens: IssuedTokens }
  | { kind: 'refused' }
  /** The family refreshes as if to fill the database. Nothing is used up. */
  | { kind: 'too_many'; secondsLeft: number }
  /** A consumed token came back late: somebody else has it. Its family is ended. */
  | { kind: 'reused'; userId: string; familyId: string }
  /** The family may not go on, and is ended: a sign-in is asked for a second factor that it did not pass, or it is too old. */
  | { kind: 'ended'; userId: string; familyId: string; reason: 'second_factor' | 'age' };

/** What a refresh asks for, and whether a sign-in of that member would be asked for a second factor now (A 5.3). */
export interface RefreshTerms {
  /** Of the new tokens; that of the old one where it is not given. */
  scope: string | undefined;
  asksSecondFactor: (member: SessionMember & { enrolled: boolean }) => boolean;
}

/**
 * Exchanges a refresh token for a new pair of its family, once however many ask at a time (A 3.3). It needs what a sign-in
 * would need: a family that did not pass the second factor that is asked for by now ends here (C 7), and so does one that is
 * older than SESSION_MAX_AGE_SECONDS.
 */
export async function rotateRefreshToken(
  tx: Tx,
  tenantId: string,
  tokenHash: Uint8Array,
  settings: Settings,
  { scope, asksSecondFactor }: RefreshTerms,
): Promise<Rotation> {
  const seen = await findToken(tx, tenantId, tokenHash);
  if (seen?.kind !== 'refresh_token') return { kind: 'refused' };
  const { userId, familyId } = seen;
  if (seen.usedFor !== null) return endReplayedFamily(tx, seen, seen.usedFor);

  const user = await lockMember(tx, tenantId, userId);
  if (!user?.active) return { kind: 'refused' };
  // Read again behind the lock: whoever held it may have used the token up, or passed a second factor.
  const token = await findToken(tx, tenantId, tokenHash);
  if (!token?.alive) return { kind: 'refused' };
  const { email, provider, role } = user;
  const member = { tenantId, userId, email, provider, role };
  const { secondFactor } = token;
  const family = { id: familyId, age: token.familyAge, secondFactor };
  const unproved = !secondFactor && asksSecondFactor({ ...member, enrolled: user.totpSecret !== null });
  if (unproved || secondsLeftOf(family, settings) <= 0) {
    await deleteTokens(tx, tenantId, { userId, familyId });
    return { kind: 'ended', userId, familyId, reason: unproved ? 'second_factor' : 'age' };
  }
  const secondsLeft = await limitRefreshes(tx, settings, familyId);
  if (secondsLeft !== undefined) return { kind: 'too_many', secondsLeft };
  if (!(await consumeToken(tx, tenantId, tokenHash))) return { kind: 'refused' };
  const tokens = await startSession(tx, member, settings, family, scope ?? token.scope);
  return { kind: 'rotated', tokens };
}

async function endReplayedFamily(
  tx: Tx,
  { tenantId, userId, familyId }: TokenRow,
  usedFor: number,
): Promise<Rotation> {
  if (usedFor <= reuseGraceSeconds) return { kind: 'refused' };
  const ended = await endFamily(tx, tenantId, userId, familyId);
  // Of several at once, one ends it.
  return ended > 0 ? { kind: 'reused', userId, familyId } : { kind: 'refused' };
}

/**
 * Ends all tokens that descend from one sign-in, and answers how many there were. The lock waits for a rotation of the
 * family that is under way.
 */
export async function endFamily(tx: Tx, tenantId: string, userId: string, familyId: string): Promise<number> {
  await lockMember(tx, tenantId, userId);
  return deleteTokens(tx, tenantId, { userId, familyId });
}
