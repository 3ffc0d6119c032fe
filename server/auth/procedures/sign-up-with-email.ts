import { limited, publicProcedure, sameSiteOnly } from '#server/access/service.ts';
import { challengeResponse, nextAfter } from '../mfa/challenge.ts';
import { emailSignupRequest, signupResponse } from '../schema.ts';
import { signUp } from '../signup.ts';
import { setSessionCookie, tokenResponseOf } from '../token-response.ts';

export const signUpWithEmail = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/signup/email',
      tag: 'Sign-in',
      summary: 'Create a workspace and its founding administrator, or join one by an invite',
    },
  })
  .use(sameSiteOnly)
  .use(limited('signup'))
  .input(emailSignupRequest)
  .output(signupResponse)
  .mutation(async ({ ctx, input }) => {
    const { account, apiKey, signIn } = await signUp(ctx.services, ctx, input);
    const common = { account, tenant_api_key: apiKey };
    if (signIn.kind === 'challenge')
      return {
        ...common,
        mfa_required: true,
        mfa_challenge: challengeResponse(signIn.challenge),
        next: nextAfter(signIn.challenge),
      };
    setSessionCookie(ctx, signIn.tokens);
    return {
      ...common,
      mfa_required: false,
      token: tokenResponseOf(signIn.tokens),
      next: { translations: '/api/translations' },
    };
  });
