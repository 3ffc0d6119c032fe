import type { RequestContext } from '#server/context.ts';
import type { WorkspaceSelection } from './grants/password.ts';
import { challengeResponse, nextAfter } from './mfa/challenge.ts';
import type { TokenAnswer } from './schema.ts';
import type { SignIn } from './sign-in.ts';
import { setSessionCookie, tokenResponseOf } from './token-response.ts';

/**
 * What a first factor that was right is answered (A 4.3 rules 1 to 3); the cookie goes with tokens alone.
 * @param repeatAt where the sign-in is repeated with the workspace that was chosen
 */
export function answerOf(
  ctx: RequestContext,
  result: SignIn | WorkspaceSelection,
  repeatAt: Record<string, string> = { oauth2_token: '/api/oauth2/token' },
): TokenAnswer {
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
