import { limited, noStore } from '#server/access/service.ts';
import { beginEnrolment, describeEnrolment } from '../mfa/enrolment.ts';
import { challengeOrCookieProcedure } from '../mfa/guard.ts';
import { mfaEnrollRequest, mfaEnrollResponse } from '../schema.ts';

export const enrollMfa = challengeOrCookieProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/enroll',
      tag: 'Sign-in',
      summary: 'Get a secret for an authenticator, which waits for its confirmation',
      description:
        'By a pending challenge of method totp_enroll, or by the session cookie. Enrolling again before the confirmation replaces the secret.',
    },
  })
  .use(noStore)
  .use(limited('mfa_enroll'))
  .input(mfaEnrollRequest)
  .output(mfaEnrollResponse)
  .mutation(async ({ ctx, input }) => {
    const pending = await ctx.withClaimant(input.challenge_id, (tx, claimant) =>
      beginEnrolment(tx, ctx.services, claimant),
    );
    const { secret, uri, qrCode } = describeEnrolment(pending);
    return { secret, otpauth_uri: uri, qr_code: qrCode };
  });
