import type { IssuedTokens } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { redeemCode } from './authenticator.ts';
import { lockChallenge, readChallengeId } from './challenge.ts';
import { startChallengedSession } from './complete.ts';
import { deleteChallenge } from './queries.ts';
import { noSuchChallenge, settle, submitCode } from './submit-code.ts';

/**
 * Exchanges a challenge and a code for tokens, once however many ask at a time (A 3.4); both the MFA grant and
 * /api/auth/mfa/verify. A member without an authenticator has no right code. One who enrolled after the challenge
 * was issued passes it by a code of that authenticator, whatever its method: it is no way around.
 * @param scope of the tokens; the challenge's own where it is not given
 * @throws AppError 401 `invalid or expired MFA challenge` or `invalid MFA code`, 429 `too many MFA attempts`
 */
export async function passChallenge(
  { database, secretsKey, settings }: Services,
  origin: Origin,
  challengeId: string,
  code: string,
  scope?: string,
): Promise<IssuedTokens> {
  const key = readChallengeId(challengeId);
  if (!key) throw noSuchChallenge();
  const outcome = await database.inTenant(key.tenantId, async (tx) => {
    const claimant = await lockChallenge(tx, key);
    if (!claimant) throw noSuchChallenge();
    const { user, challenge } = claimant;
    return submitCode(tx, origin, claimant, async (now) => {
      const redeemed = await redeemCode(tx, secretsKey, user, code, now);
      if (!redeemed) return undefined;
      await deleteChallenge(tx, key);
      if (redeemed.kind === 'recovery_code')
        await recordEvent(tx, origin, {
          action: 'recovery_code_used',
          tenantId: user.tenantId,
          actor: { kind: 'member', userId: user.userId },
          details: { left: redeemed.left },
        });
      return startChallengedSession(tx, origin, settings, user, scope ?? challenge.scope);
    });
  });
  return settle(outcome);
}
