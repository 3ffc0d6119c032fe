import { encodeBase32UpperCaseNoPadding } from '@oslojs/encoding';
import { renderSVG } from 'uqr';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { notSignedIn } from '#server/identity/access/guards/session.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { sameSiteOnly } from '#server/identity/access/session-cookie.ts';
import type { IssuedTokens } from '#server/identity/access/sessions.ts';
import { markSecondFactor } from '#server/identity/access/tokens.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { queueSecurityMail } from '#server/identity/mail/outbox.ts';
import {
  mfaEnrollConfirmRequest,
  mfaEnrollConfirmResponse,
  mfaEnrollRequest,
  mfaEnrollResponse,
} from '../schema.ts';
import { setSessionCookie, tokenResponseOf } from '../token-response.ts';
import { type Claimant, challengeOrCookieProcedure, deleteEnrollmentChallenges } from './challenge.ts';
import { acceptedOrThrow, beginAttempt, type CodeOutcome, isSpent, refuseCode } from './code-attempts.ts';
import { issueRecoveryCodes } from './recovery-codes.ts';
import {
  adoptPendingSecret,
  matchStep,
  newTotpSecret,
  otpauthUri,
  savePendingSecret,
  sealSecret,
  unsealSecret,
} from './totp.ts';
import { startVerifiedSession } from './verification.ts';

export const enrollMfa = challengeOrCookieProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/enroll',
      tag: 'Sign-in',
      summary: 'Start authenticator enrollment',
      description:
        'Returns a secret for the authenticator app, which a first code must confirm. Requires the session cookie, or a pending challenge with the method totp_enroll. A repeat before the confirmation replaces the secret.',
    },
  })
  .use(rateLimited('mfa_enroll'))
  .input(mfaEnrollRequest)
  .output(mfaEnrollResponse)
  .mutation(async ({ ctx, input }) => {
    const pending = await ctx.withClaimant(input.challenge_id, (tx, claimant) =>
      beginEnrollment(tx, ctx.services, claimant),
    );
    const { secret, uri, qrCode } = describeEnrollment(pending);
    return { secret, otpauth_uri: uri, qr_code: qrCode };
  });

export const confirmMfa = challengeOrCookieProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/confirm',
      tag: 'Sign-in',
      summary: 'Confirm an authenticator app with its first code',
      description:
        'Requires the session cookie, or a pending challenge with the method totp_enroll. In the latter case, it also completes the sign-in. Only this response contains the recovery codes.',
    },
  })
  .use(sameSiteOnly)
  .use(rateLimited('mfa_confirm'))
  .input(mfaEnrollConfirmRequest)
  .output(mfaEnrollConfirmResponse)
  .mutation(async ({ ctx, input }) => {
    const outcome = await ctx.withClaimant(input.challenge_id, (tx, claimant) =>
      confirmEnrollment(tx, ctx.services, ctx, claimant, input.mfa_code),
    );
    const { recoveryCodes, tokens } = acceptedOrThrow(outcome);
    if (!tokens) return { enrolled: true, recovery_codes: recoveryCodes };
    setSessionCookie(ctx, tokens);
    return { enrolled: true, recovery_codes: recoveryCodes, token: tokenResponseOf(tokens) };
  });

/** A new secret that is not confirmed yet. */
interface PendingEnrollment {
  secret: Uint8Array;
  email: string;
}

/** Stores a new pending secret, in place of an earlier one that was not confirmed. */
async function beginEnrollment(
  tx: Tx,
  { secretsKeys }: Pick<Services, 'secretsKeys'>,
  claimant: Claimant,
): Promise<PendingEnrollment> {
  requireEnrollable(claimant);
  const { user, challenge } = claimant;
  if (challenge && isSpent(challenge)) throw notSignedIn();
  const secret = newTotpSecret();
  await savePendingSecret(tx, user, sealSecret(secretsKeys, user, secret));
  return { secret, email: user.email };
}

/**
 * Returns a pending secret in the form in which the member receives it, once. `qrCode` is a data URI with an SVG image
 * of the key URI.
 */
export function describeEnrollment({ secret, email }: PendingEnrollment) {
  const uri = otpauthUri(secret, email);
  const picture = Buffer.from(renderSVG(uri)).toString('base64');
  return {
    secret: encodeBase32UpperCaseNoPadding(secret),
    uri,
    qrCode: `data:image/svg+xml;base64,${picture}`,
  };
}

interface Enrollment {
  recoveryCodes: string[];
  /** The new tokens if the enrollment completed a challenge, else undefined. */
  tokens: IssuedTokens | undefined;
}

/**
 * Makes the pending secret the member's authenticator if the code matches it, and deletes the member's other challenges
 * to enroll. If a challenge was given, completes the sign-in. A session that enrolls can be refreshed if a second factor is
 * required; the member's other sessions cannot. The member gets a mail.
 */
async function confirmEnrollment(
  tx: Tx,
  { secretsKeys, settings }: Pick<Services, 'secretsKeys' | 'settings'>,
  origin: Origin,
  claimant: Claimant,
  code: string,
): Promise<CodeOutcome<Enrollment>> {
  const { user } = claimant;
  requireEnrollable(claimant);
  const attempt = await beginAttempt(tx, origin, claimant);
  if ('refusal' in attempt) return attempt;
  if (user.totpPendingSecret === null)
    throw new AppError('state_conflict', 'no pending enrollment; enroll first');
  const secret = unsealSecret(secretsKeys, user, user.totpPendingSecret);
  const step = matchStep(secret, code, attempt.now, null);
  if (step === undefined) return refuseCode(tx, origin, claimant);

  const { tenantId, userId } = user;
  const unprovedFamily = claimant.challenge || claimant.isProved ? null : claimant.familyId;
  await Promise.all([
    adoptPendingSecret(tx, user, { step, unprovedFamily }),
    deleteEnrollmentChallenges(tx, user),
    recordEvent(tx, origin, {
      action: 'mfa_enrolled',
      tenantId,
      actor: { kind: 'member', userId },
      target: userId,
    }),
  ]);
  await queueSecurityMail(tx, settings, { tenantId, userId, event: 'authenticator' });
  const recoveryCodes = await issueRecoveryCodes(tx, secretsKeys, user);
  if (!claimant.challenge) {
    await markSecondFactor(tx, tenantId, userId, claimant.familyId);
    return { accepted: { recoveryCodes, tokens: undefined } };
  }
  const tokens = await startVerifiedSession(tx, settings, origin, user, claimant.challenge.scope);
  return { accepted: { recoveryCodes, tokens } };
}

/**
 * Requires that the member may enroll. A challenge of method `totp` cannot enroll: if the member's authenticator was
 * reset after the challenge was issued, a new sign-in issues a challenge to enroll.
 * @throws AppError 409 if an authenticator is enrolled, 401
 */
function requireEnrollable({ user, challenge }: Claimant): void {
  if (user.totpSecret !== null)
    throw new AppError(
      'state_conflict',
      'an authenticator is already enrolled; ask an administrator to reset it',
    );
  if (challenge?.method === 'totp') throw notSignedIn();
}
