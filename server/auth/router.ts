import { AppError } from '#server/errors.ts';
import { router } from '#server/trpc.ts';
import { publicProcedure } from './guards.ts';
import { emailSignupRequest, signupResponse } from './schema.ts';
import { sessionCookie } from './sessions.ts';
import { signUp } from './signup.ts';

const signUpWithEmail = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/signup/email',
      tag: 'Sign-in',
      summary: 'Create a workspace and its founding administrator',
    },
  })
  .input(emailSignupRequest)
  .output(signupResponse)
  .mutation(async ({ ctx, input }) => {
    // It sets the cookie, so another site's page must not be able to call it in a visitor's name (C 7).
    if (ctx.crossSite) throw new AppError('forbidden', 'cross-site requests are not allowed here');
    const signup = await signUp(ctx.services, input);
    if (signup.token) ctx.answer.addCookie(sessionCookie(signup.token, ctx.services.settings.BASE_URL ?? ''));
    return signup;
  });

export const authRouter = router({ signUpWithEmail });
