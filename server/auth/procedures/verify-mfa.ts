import { limited, publicProcedure, sameSiteOnly } from '#server/access/service.ts';
import { passChallenge } from '../mfa/pass-challenge.ts';
import { mfaChallengeVerifyRequest, tokenResponse } from '../schema.ts';
import { setSessionCookie, tokenResponseOf } from '../token-response.ts';

export const verifyMfa = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/mfa/verify',
      tag: 'Sign-in',
      summary: 'Complete a sign-in by a code of the authenticator or a recovery code',
    },
  })
  .use(sameSiteOnly)
  .use(limited('mfa_verify'))
  .input(mfaChallengeVerifyRequest)
  .output(tokenResponse)
  .mutation(async ({ ctx, input }) => {
    const tokens = await passChallenge(ctx.services, ctx, input.challenge_id, input.mfa_code);
    setSessionCookie(ctx, tokens);
    return tokenResponseOf(tokens);
  });
