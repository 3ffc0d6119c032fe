import { type IssuedTokens, sessionCookie } from '#server/access/service.ts';
import type { RequestContext } from '#server/context.ts';
import type { TokenResponse } from './schema.ts';

/** A 2.2: what a token response says of a role; the effective one is read elsewhere. */
const modelDefaultRole = 'agent_id_developer';

/**
 * A 2.3 for tokens that were just issued.
 * @param role the resolved one, where the grant tells it (A 2.3: the identity provider's callback does)
 */
export function tokenResponseOf(tokens: IssuedTokens, role = modelDefaultRole): TokenResponse {
  const { member } = tokens;
  return {
    access_token: tokens.accessToken,
    token_type: 'bearer',
    expires_in: tokens.accessTtl,
    scope: tokens.scope,
    user: {
      user_id: member.userId,
      tenant_id: member.tenantId,
      email: member.email,
      provider: providerOf(member),
      role,
    },
    refresh_token: tokens.refreshToken,
    refresh_expires_in: tokens.refreshTtl,
  };
}

/** A 2.2: every identity provider is `oauth2` here. */
export function providerOf({ provider }: { provider: string }): 'email' | 'oauth2' {
  return provider === 'email' ? 'email' : 'oauth2';
}

/** Sets the session cookie of tokens that the answer carries. */
export function setSessionCookie(ctx: RequestContext, tokens: IssuedTokens): void {
  ctx.response.addCookie(sessionCookie(tokens, ctx.services.settings));
}
