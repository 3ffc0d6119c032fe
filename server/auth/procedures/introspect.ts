import { adminProcedure } from '#server/access/service.ts';
import { introspectRequest, introspectResponse } from '../schema.ts';
import { introspectToken } from '../tokens.ts';

export const introspect = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/introspect',
      tag: 'Sign-in',
      summary: 'What an access or refresh token stands for',
      body: 'form',
    },
  })
  .input(introspectRequest)
  .output(introspectResponse)
  .mutation(({ ctx, input }) => introspectToken(ctx.withOwningTenant, input.token));
