import type { RequestContext } from '#server/context.ts';
import { sessionCookie } from '#server/identity/access/session-cookie.ts';
import type { IssuedTokens } from '#server/identity/access/sessions.ts';
import { challengeResponse, nextAfter } from './mfa/challenge.ts';
import type { WorkspaceSelection } from './password-grant.ts';
import { rememberDevice } from './passwords/guesses.ts';
import type { TokenEndpointResponse, TokenResponse } from './schema.ts';
import type { SignIn } from './sign-in.ts';

/** The role in most token responses. The value is fixed; GET /api/auth/me returns the member's actual role. */
const modelDefaultRole = 'agent_id_developer';

/**
 * Returns the response for newly issued tokens.
 * @param role the member's role, for the single sign-on callback, whose response must contain the actual role
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

/** Returns the name of the provider in the API: `oauth2` for every identity provider. */
export function providerOf({ provider }: { provider: string }): 'email' | 'oauth2' {
  return provider === 'email' ? 'email' : 'oauth2';
}

/** Sets the session cookie for the tokens in the response, and after a password that of the device. */
export function setSessionCookie(ctx: RequestContext, tokens: IssuedTokens): void {
  ctx.response.addCookie(sessionCookie(tokens, ctx.services.settings));
  if (tokens.member.provider === 'email') rememberDevice(ctx, tokens.member);
}

/**
 * Returns the response to a correct first factor. Sets the session cookie if there are tokens.
 * @param repeatAt the paths at which the client repeats the sign-in with the selected workspace
 */
export function signInResponse(
  ctx: RequestContext,
  result: SignIn | WorkspaceSelection,
  repeatAt: Record<string, string> = { oauth2_token: '/api/oauth2/token' },
): TokenEndpointResponse {
  switch (result.kind) {
    case 'tokens':
      setSessionCookie(ctx, result.tokens);
      return tokenResponseOf(result.tokens);
    case 'challenge':
      return {
        mfa_required: true,
        mfa_challenge: challengeResponse(result.challenge),
        next: nextAfter(result.challenge),
      };
    case 'selection':
      return {
        tenant_selection_required: true,
        tenants: result.workspaces.map(({ tenantId, tenantName }) => ({
          tenant_id: tenantId,
          tenant_name: tenantName,
        })),
        next: repeatAt,
      };
  }
}
