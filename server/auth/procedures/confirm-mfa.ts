import { limited, sameSiteOnly } from '#server/access/service.ts';
import { confirmEnrolment } from '../mfa/enrolment.ts';
import { challengeOrCookieProcedure } from '../mfa/guard.ts';
import { settle } from '../mfa/submit-code.ts';
import { mfaEnrollConfirmRequest, mfaEnrollConfirmResponse } from '../schema.ts';
import { setSessionCookie, tokenResponseOf } from '../token-response.ts';

export const confirmMfa = challengeOrCookieProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/confirm',
      tag: 'Sign-in',
      summary: 'Confirm an authenticator by its first code',
      description:
        'By a pending challenge of method totp_enroll, whose sign-in it completes, or by the session cookie. The recovery codes are told this once.',
    },
  })
  .use(sameSiteOnly)
  .use(limited('mfa_confirm'))
  .input(mfaEnrollConfirmRequest)
  .output(mfaEnrollConfirmResponse)
  .mutation(async ({ ctx, input }) => {
    const outcome = await ctx.withClaimant(input.challenge_id, (tx, claimant) =>
      confirmEnrolment(tx, ctx.services, ctx, claimant, input.mfa_code),
    );
    const { recoveryCodes, tokens } = settle(outcome);
    if (!tokens) return { enrolled: true, recovery_codes: recoveryCodes };
    setSessionCookie(ctx, tokens);
    return { enrolled: true, recovery_codes: recoveryCodes, token: tokenResponseOf(tokens) };
  });
