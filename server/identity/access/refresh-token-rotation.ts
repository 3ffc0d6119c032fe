import { timingSafeEqual } from 'node:crypto';
import type { Tx } from '#db/client.ts';
import type { Settings } from '#server/settings.ts';
import { limitRefreshes } from './rate-limit.ts';
import {
  deviceOf,
  type IssuedTokens,
  lockMember,
  type SessionMember,
  secondsLeftOf,
  startSession,
} from './sessions.ts';
import { consumeToken, deleteTokens, findToken, revokeUnusedPair, type TokenRow } from './tokens.ts';

/**
 * If a used token is presented again within this many seconds, it counts as a retry of the same client, which lost the
 * response.
 */
const reuseGraceSeconds = 10;

type Rotation =
  | { kind: 'rotated'; tokens: IssuedTokens }
  | { kind: 'refused' }
  /** The family refreshes too often. The token stays usable. */
  | { kind: 'too_many'; secondsLeft: number }
  /** A used token was presented again after the grace period, so someone else has it. The family was ended. */
  | { kind: 'reused'; userId: string; familyId: string }
  /** The family was ended: it has not passed a second factor that is now required, or it is too old. */
  | { kind: 'ended'; userId: string; familyId: string; reason: 'second_factor' | 'age' };

/** The conditions of a refresh: its request, and whether a sign-in of the member would now require a second factor. */
interface RefreshTerms {
  /** The hash of the retry key with which the client may repeat the refresh; null if the client sent none. */
  retryKeyHash: Uint8Array | null;
  /** Aborts when the client disconnects. */
  disconnected: AbortSignal;
  /** The scope of the new tokens; by default, the scope of the old token. */
  scope: string | undefined;
  origin: Parameters<typeof deviceOf>[0];
  requiresSecondFactor: (member: SessionMember & { enrolled: boolean }) => boolean;
}

/**
 * Exchanges a refresh token for a new pair of tokens of the same family. If several requests are concurrent, only one
 * succeeds. A client that lost the response can repeat the refresh with its retry key until the token expires: it gets
 * another pair, and the lost pair is revoked. Ends the family if it has not passed a second factor that a sign-in would
 * require now, or if it has reached its maximum age.
 * @throws AppError 408 if the client has disconnected; then the token stays usable
 */
export async function rotateRefreshToken(
  tx: Tx,
  tenantId: string,
  tokenHash: Uint8Array,
  settings: Settings,
  { scope, retryKeyHash, disconnected, requiresSecondFactor, origin }: RefreshTerms,
): Promise<Rotation> {
  const seen = await findToken(tx, tenantId, tokenHash);
  if (seen?.kind !== 'refresh_token') return { kind: 'refused' };
  const { userId, familyId } = seen;
  if (seen.usedFor !== null && !wasUsedWith(seen, retryKeyHash))
    return endReusedFamily(tx, seen, seen.usedFor);

  const user = await lockMember(tx, tenantId, userId);
  if (!user?.active) return { kind: 'refused' };
  // Read the token again after taking the lock: the previous holder of the lock may have used the token or passed a
  // second factor.
  const token = await findToken(tx, tenantId, tokenHash);
  if (!token || token.isExpired) return { kind: 'refused' };
  if (token.usedFor !== null && !wasUsedWith(token, retryKeyHash)) return { kind: 'refused' };
  // While this call waited for the lock, its client may have disconnected and sent another refresh. The pair of that
  // refresh must stay valid.
  disconnected.throwIfAborted();
  const { email, provider, role } = user;
  const member = { tenantId, userId, email, provider, role };
  const { secondFactor, factorAtSignIn, proofAge } = token;
  const standing = { secondFactor, factorAtSignIn, proofAge };
  const family = { id: familyId, age: token.familyAge, ...standing, ...deviceOf(origin) };
  const unproved = !secondFactor && requiresSecondFactor({ ...member, enrolled: user.totpSecret !== null });
  if (unproved || secondsLeftOf(family, settings) <= 0) {
    await deleteTokens(tx, tenantId, { userId, familyId });
    return { kind: 'ended', userId, familyId, reason: unproved ? 'second_factor' : 'age' };
  }
  const secondsLeft = await limitRefreshes(tx, settings, familyId);
  if (secondsLeft !== undefined) return { kind: 'too_many', secondsLeft };
  if (token.usedFor !== null) {
    // The pair was already used to refresh, so the client received it: this repeat comes from someone else.
    if (!(await revokeUnusedPair(tx, token))) return endReusedFamily(tx, token, token.usedFor);
  } else if (!(await consumeToken(tx, tenantId, tokenHash, retryKeyHash))) return { kind: 'refused' };
  const tokens = await startSession(tx, member, settings, family, scope ?? token.scope, tokenHash);
  return { kind: 'rotated', tokens };
}

/** Whether this retry key was sent when the token was used. */
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
  // If several replays are concurrent, only the one that ends the family returns `reused`.
  return ended > 0 ? { kind: 'reused', userId, familyId } : { kind: 'refused' };
}

/**
 * Deletes all tokens of a family and returns their number. First locks the member, so that a rotation in progress ends
 * first.
 */
export async function endFamily(tx: Tx, tenantId: string, userId: string, familyId: string): Promise<number> {
  await lockMember(tx, tenantId, userId);
  return deleteTokens(tx, tenantId, { userId, familyId });
}
