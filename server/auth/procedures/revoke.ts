import { adminProcedure, clearedSessionCookie } from '#server/access/service.ts';
import { revokeRequest, revokeResponse } from '../schema.ts';
import { revokeToken } from '../tokens.ts';

export const revoke = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/revoke',
      tag: 'Sign-in',
      summary: 'Revoke an access or refresh token',
      body: 'form',
    },
  })
  .input(revokeRequest)
  .output(revokeResponse)
  .mutation(async ({ ctx, input }) => {
    await revokeToken(ctx.withOwningTenant, ctx, input.token);
    ctx.response.addCookie(clearedSessionCookie(ctx.services.settings));
    return { revoked: true };
  });
