import { timingSafeEqual } from 'node:crypto';
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
import { consumeToken, deleteTokens, findToken, revokeUnusedPair, type TokenRow } from './tokens.ts';

/** Seconds after its use in which a replay counts as the client's own retry after a lost response. */
const reuseGraceSeconds = 10;

export type Rotation =
  | { kind: 'rotated'; tokens: IssuedTokens }
  | { kind: 'refused' }
  /** The family refreshes too often. The token is not used up. */
  | { kind: 'too_many'; secondsLeft: number }
  /** A used token was replayed after the grace period, so someone else has it. Its family was ended. */
  | { kind: 'reused'; userId: string; familyId: string }
  /** The family was ended: it lacks a second factor that is now required, or it is too old. */
  | { kind: 'ended'; userId: string; familyId: string; reason: 'second_factor' | 'age' };

/** The request of a refresh, and whether a sign-in of the member would now require a second factor. */
export interface RefreshTerms {
  /** The hash of the key with which its client may repeat it; null if it sent none. */
  retryKeyHash: Uint8Array | null;
  /** Aborts when the client disconnects. */
  disconnected: AbortSignal;
  /** Of the new tokens; the old token's by default. */
  scope: string | undefined;
  requiresSecondFactor: (member: SessionMember & { enrolled: boolean }) => boolean;
}

/**
 * Exchanges a refresh token for a new pair of its family, once even for concurrent requests. A client that lost
 * the response repeats the refresh with its retry key, for the life of the token: it gets another pair, and the lost one
 * is revoked. Ends the family if it lacks a second factor that a sign-in would require now, or is older than
 * SESSION_MAX_AGE_SECONDS.
 * @throws AppError 408 if the client has disconnected; nothing is used up then
 */
export async function rotateRefreshToken(
  tx: Tx,
  tenantId: string,
  tokenHash: Uint8Array,
  settings: Settings,
  { scope, retryKeyHash, disconnected, requiresSecondFactor }: RefreshTerms,
): Promise<Rotation> {
  const seen = await findToken(tx, tenantId, tokenHash);
  if (seen?.kind !== 'refresh_token') return { kind: 'refused' };
  const { userId, familyId } = seen;
  if (seen.usedFor !== null && !wasUsedWith(seen, retryKeyHash))
    return endReusedFamily(tx, seen, seen.usedFor);

  const user = await lockMember(tx, tenantId, userId);
  if (!user?.active) return { kind: 'refused' };
  // Read again under the lock: its last holder may have used the token or passed a second factor.
  const token = await findToken(tx, tenantId, tokenHash);
  if (!token || token.isExpired) return { kind: 'refused' };
  if (token.usedFor !== null && !wasUsedWith(token, retryKeyHash)) return { kind: 'refused' };
  // This call may have waited for the lock while its client sent another one: that one's pair must stay valid.
  disconnected.throwIfAborted();
  const { email, provider, role } = user;
  const member = { tenantId, userId, email, provider, role };
  const { secondFactor } = token;
  const family = { id: familyId, age: token.familyAge, secondFactor };
  const unproved = !secondFactor && requiresSecondFactor({ ...member, enrolled: user.totpSecret !== null });
  if (unproved || secondsLeftOf(family, settings) <= 0) {
    await deleteTokens(tx, tenantId, { userId, familyId });
    return { kind: 'ended', userId, familyId, reason: unproved ? 'second_factor' : 'age' };
  }
  const secondsLeft = await limitRefreshes(tx, settings, familyId);
  if (secondsLeft !== undefined) return { kind: 'too_many', secondsLeft };
  if (token.usedFor !== null) {
    // The pair was used to refresh, so its client has received it: this repeat comes from someone else.
    if (!(await revokeUnusedPair(tx, token))) return endReusedFamily(tx, token, token.usedFor);
  } else if (!(await consumeToken(tx, tenantId, tokenHash, retryKeyHash))) return { kind: 'refused' };
  const tokens = await startSession(tx, member, settings, family, scope ?? token.scope, tokenHash);
  return { kind: 'rotated', tokens };
}

/** Whether a used token was used with this retry key. */
function wasUsedWith({ retryKeyHash: used }: TokenRow, retryKeyHash: Uint8Array | null): boolean {
  return used !== null && retryKeyHash !== null && timingSafeEqual(used, retryKeyHash);
}

async function endReusedFamily(
  tx: Tx,
  { tenantId, userId, familyId }: TokenRow,
  usedFor: number,
): Promise<Rotation> {
  if (usedFor <= reuseGraceSeconds) return { kind: 'refused' };
  const ended = await endFamily(tx, tenantId, userId, familyId);
  // Of several concurrent replays, one ends it.
  return ended > 0 ? { kind: 'reused', userId, familyId } : { kind: 'refused' };
}

/**
 * Deletes all tokens of a family and returns how many there were. The member's lock makes it wait for a rotation in
 * progress.
 */
export async function endFamily(tx: Tx, tenantId: string, userId: string, familyId: string): Promise<number> {
  await lockMember(tx, tenantId, userId);
  return deleteTokens(tx, tenantId, { userId, familyId });
}
