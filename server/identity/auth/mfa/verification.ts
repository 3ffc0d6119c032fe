import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { sameSiteOnly } from '#server/identity/access/session-cookie.ts';
import {
  type IssuedTokens,
  type LockedMember,
  newFamily,
  startSession,
} from '#server/identity/access/sessions.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import type { Settings } from '#server/settings.ts';
import { mfaChallengeVerifyRequest, tokenResponse } from '../schema.ts';
import { setSessionCookie, tokenResponseOf } from '../token-response.ts';
import { deleteChallenge, lockChallenge, readChallengeId } from './challenge.ts';
import {
  acceptedOrThrow,
  beginAttempt,
  type CodeOutcome,
  noSuchChallenge,
  refuseCode,
} from './code-attempts.ts';
import { readRecoveryCode, redeemRecoveryCode } from './recovery-codes.ts';
import { matchStep, saveLastStep, unsealSecret } from './totp.ts';

export const verifyMfa = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/verify',
      tag: 'Sign-in',
      summary: 'Complete a sign-in with a verification code or a recovery code',
      description:
        'A challenge accepts five attempts. A member may send at most ten wrong codes in 15 minutes.',
    },
  })
  .use(sameSiteOnly)
  .use(rateLimited('mfa_verify'))
  .input(mfaChallengeVerifyRequest)
  .output(tokenResponse)
  .mutation(async ({ ctx, input }) => {
    const tokens = await redeemChallenge(ctx.services, ctx, input.challenge_id, input.mfa_code);
    setSessionCookie(ctx, tokens);
    return tokenResponseOf(tokens);
  });

/**
 * Exchanges a challenge and a code for tokens. If several requests are concurrent, only one succeeds. Used by the MFA
 * grant and by /api/auth/mfa/verify.
 *
 * For a member without an authenticator, every code is wrong. If a member enrolled after the challenge was issued, a
 * code of the new authenticator passes the challenge, whatever its method is.
 * @param scope the scope of the tokens; by default, the scope of the challenge
 * @throws AppError 401 `invalid or expired MFA challenge` or `invalid MFA code`, 429 `too many MFA attempts`
 */
export async function redeemChallenge(
  { database, secretsKeys, settings }: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  challengeId: string,
  code: string,
  scope?: string,
): Promise<IssuedTokens> {
  const key = readChallengeId(challengeId);
  if (!key) throw noSuchChallenge();
  const outcome = await database.inTenant(key.tenantId, async (tx): Promise<CodeOutcome<IssuedTokens>> => {
    const claimant = await lockChallenge(tx, key);
    if (!claimant) throw noSuchChallenge();
    const { user, challenge } = claimant;
    const attempt = await beginAttempt(tx, origin, claimant);
    if ('refusal' in attempt) return attempt;
    if (!(await redeemCode(tx, secretsKeys, origin, user, code, attempt.now)))
      return refuseCode(tx, origin, claimant);

    await deleteChallenge(tx, key);
    return { accepted: await startVerifiedSession(tx, settings, origin, user, scope ?? challenge.scope) };
  });
  return acceptedOrThrow(outcome);
}

/** Issues tokens to a member who has passed the second factor. The caller has locked the member's row. */
export async function startVerifiedSession(
  tx: Tx,
  settings: Settings,
  origin: Origin,
  { tenantId, userId, email, provider, role }: LockedMember,
  scope: string,
): Promise<IssuedTokens> {
  const member = { tenantId, userId, email, provider, role };
  const tokens = await startSession(tx, member, settings, newFamily({ secondFactor: true, origin }), scope);
  await recordEvent(tx, origin, {
    action: 'signed_in',
    tenantId,
    actor: { kind: 'member', userId },
    details: { way: 'mfa' },
  });
  return tokens;
}

/**
 * Uses up a verification code or a recovery code, and records the use of a recovery code in the audit log. The caller
 * has locked the member's row.
 * @param now Unix time in seconds
 * @returns false for a wrong code, for a code that was used before, and for a member without an authenticator
 */
export async function redeemCode(
  tx: Tx,
  secretsKeys: SecretsKeys,
  origin: Origin,
  user: LockedMember,
  code: string,
  now: number,
): Promise<boolean> {
  if (user.totpSecret === null) return false;
  const recoveryCode = readRecoveryCode(code);
  if (recoveryCode !== undefined) {
    const left = await redeemRecoveryCode(tx, secretsKeys, user, recoveryCode);
    if (left === undefined) return false;
    await recordEvent(tx, origin, {
      action: 'recovery_code_used',
      tenantId: user.tenantId,
      actor: { kind: 'member', userId: user.userId },
      details: { left },
    });
    return true;
  }
  const secret = unsealSecret(secretsKeys, user, user.totpSecret);
  const step = matchStep(secret, code, now, user.totpLastStep);
  if (step === undefined) return false;
  await saveLastStep(tx, user, step);
  return true;
}
