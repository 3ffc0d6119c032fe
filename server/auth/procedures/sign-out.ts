import { clearedSessionCookie, publicProcedure } from '#server/access/service.ts';
import { signOutRequest, signOutResponse } from '../schema.ts';
import { signOut as endSessions } from '../sign-out.ts';

export const signOut = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/signout',
      tag: 'Sign-in',
      summary: 'Sign out: ends the session of the cookie, and of the refresh token where one is sent',
      body: 'form_or_json',
    },
  })
  .input(signOutRequest)
  .output(signOutResponse)
  .mutation(async ({ ctx, input }) => {
    await endSessions(ctx.services, ctx, [ctx.credentials.cookie, input.refresh_token ?? null]);
    // Another site's page, which may not set the cookie (C 7), signs nobody out of it either.
    if (!ctx.crossSite) ctx.response.addCookie(clearedSessionCookie(ctx.services.settings));
    return { signed_out: true };
  });
