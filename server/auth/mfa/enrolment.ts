import { encodeBase32UpperCaseNoPadding } from '@oslojs/encoding';
import { renderSVG } from 'uqr';
import type { Tx } from '#db/client.ts';
import { type IssuedTokens, markSecondFactor, notSignedIn } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { sealSecret, unsealSecret } from './authenticator.ts';
import type { Claimant } from './challenge.ts';
import { startChallengedSession } from './complete.ts';
import { adoptPendingSecret, deleteEnrolmentChallenges, savePendingSecret } from './queries.ts';
import { issueRecoveryCodes } from './recovery-codes.ts';
import { type CodeOutcome, isSpent, submitCode } from './submit-code.ts';
import { matchStep, newTotpSecret, otpauthUri } from './totp.ts';

/** A new secret, which waits for its confirmation. */
export interface PendingEnrolment {
  secret: Uint8Array;
  email: string;
}

export interface Enrolment {
  recoveryCodes: string[];
  /** Where a challenge was completed by it. */
  tokens: IssuedTokens | undefined;
}

/** Gives a member a secret to enroll, in place of one that was not confirmed. */
export async function beginEnrolment(
  tx: Tx,
  { secretsKey }: Services,
  claimant: Claimant,
): Promise<PendingEnrolment> {
  refuseEnrolled(claimant);
  const { user, challenge } = claimant;
  if (challenge && isSpent(challenge)) throw notSignedIn();
  const secret = newTotpSecret();
  await savePendingSecret(tx, user, sealSecret(secretsKey, user, secret));
  return { secret, email: user.email };
}

/** A pending secret as it is told, this once: `qrCode` is a data URI of the key URI's picture. */
export function describeEnrolment({ secret, email }: PendingEnrolment) {
  const uri = otpauthUri(secret, email);
  const picture = Buffer.from(renderSVG(uri)).toString('base64');
  return {
    secret: encodeBase32UpperCaseNoPadding(secret),
    uri,
    qrCode: `data:image/svg+xml;base64,${picture}`,
  };
}

/**
 * Makes the pending secret the member's authenticator, where the code is one of it; completes the sign-in that a challenge
 * stands before. No other challenge enrolls the member then. A session that enrolls passes its second factor by that; the
 * member's other sessions did not.
 */
export async function confirmEnrolment(
  tx: Tx,
  { secretsKey, settings }: Services,
  origin: Origin,
  claimant: Claimant,
  code: string,
): Promise<CodeOutcome<Enrolment>> {
  const { user } = claimant;
  refuseEnrolled(claimant);
  return submitCode(tx, origin, claimant, async (now) => {
    if (user.totpPendingSecret === null)
      throw new AppError('state_conflict', 'no authenticator waits for confirmation; enroll first');
    const secret = unsealSecret(secretsKey, user, user.totpPendingSecret);
    const step = matchStep(secret, code, now, null);
    if (step === undefined) return undefined;

    const { tenantId, userId } = user;
    await Promise.all([
      adoptPendingSecret(tx, user, step),
      deleteEnrolmentChallenges(tx, user),
      recordEvent(tx, origin, {
        action: 'mfa_enrolled',
        tenantId,
        actor: { kind: 'member', userId },
        target: userId,
      }),
    ]);
    const recoveryCodes = await issueRecoveryCodes(tx, secretsKey, user);
    if (claimant.challenge) {
      const { scope } = claimant.challenge;
      return { recoveryCodes, tokens: await startChallengedSession(tx, origin, settings, user, scope) };
    }
    await markSecondFactor(tx, tenantId, userId, claimant.familyId);
    return { recoveryCodes, tokens: undefined };
  });
}

/** A challenge for a code enrolls nobody: where its member's authenticator was reset meanwhile, a new sign-in does. */
function refuseEnrolled({ user, challenge }: Claimant): void {
  if (user.totpSecret !== null) throw new AppError('state_conflict', 'an authenticator is enrolled already');
  if (challenge?.method === 'totp') throw notSignedIn();
}
