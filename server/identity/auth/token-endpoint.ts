import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { limitAttempts, tooManyAttempts } from '#server/identity/access/rate-limit.ts';
import { rotateRefreshToken } from '#server/identity/access/refresh-token-rotation.ts';
import { sameSiteOnly } from '#server/identity/access/session-cookie.ts';
import type { IssuedTokens } from '#server/identity/access/sessions.ts';
import { recordEvent } from '#server/identity/audit/audit-log.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { isMfaRequired, signInWayOf } from './mfa/requirement.ts';
import { redeemChallenge } from './mfa/verification.ts';
import { grantByPassword } from './password-grant.ts';
import {
  type TokenEndpointResponse,
  type TokenRequest,
  tokenEndpointResponse,
  tokenRequest,
} from './schema.ts';
import { setSessionCookie, signInResponse, tokenResponseOf } from './token-response.ts';

/** Handles one grant type. If the grant is rate-limited by client address, counts the attempt first. */
type Grant = (ctx: RequestContext, request: TokenRequest) => Promise<TokenEndpointResponse>;

/** The grants by `grant_type`. */
const grants: Readonly<Record<string, Grant>> = {
  async password(ctx, request) {
    const { tenant_id: tenantId, scope } = request;
    const username = required(request, 'username');
    const password = required(request, 'password');
    await limitAttempts(ctx, 'password_grant');
    const result = await grantByPassword(ctx, {
      username,
      password,
      scope: scope || undefined,
      tenantId: tenantId || undefined,
    });
    return signInResponse(ctx, result);
  },
  async 'urn:ietf:params:oauth:grant-type:mfa-otp'(ctx, request) {
    const challengeId = required(request, 'challenge_id');
    const code = required(request, 'mfa_code');
    await limitAttempts(ctx, 'mfa_grant');
    const scope = request.scope || undefined;
    return minted(ctx, await redeemChallenge(ctx.services, ctx, challengeId, code, scope));
  },
  async refresh_token(ctx, request) {
    const token = required(request, 'refresh_token');
    return minted(ctx, await grantByRefreshToken(ctx, token, request));
  },
};

export const token = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/token',
      tag: 'Sign-in',
      summary: 'Exchange a password, an MFA code or a refresh token for tokens',
      description:
        'The body must be a form, not JSON. Instead of tokens, the password grant may return an MFA challenge, or the workspaces from which to select. With tokens, it sets the session cookie.',
      body: 'form',
    },
    onlyHashed: ['refresh_token'],
  })
  // Rejects requests from another site's page, because every grant can set the session cookie.
  .use(sameSiteOnly)
  .input(tokenRequest)
  .output(tokenEndpointResponse)
  .mutation(({ ctx, input }) => {
    const name = input.grant_type.trim().toLowerCase();
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (!grant) throw fieldProblem('grant_type', `must be one of ${Object.keys(grants).join(', ')}`, 'enum');
    return grant(ctx, input);
  });

function minted(ctx: RequestContext, tokens: IssuedTokens): TokenEndpointResponse {
  setSessionCookie(ctx, tokens);
  return tokenResponseOf(tokens);
}

/** Returns a field that the grant requires. An empty field counts as missing, because forms send empty fields. */
function required(request: TokenRequest, name: keyof TokenRequest): string {
  const value = request[name];
  if (!value) throw fieldProblem(name, 'is required for this grant', 'missing');
  return value;
}

function fieldProblem(name: string, msg: string, type: string): AppError {
  return new AppError('invalid_fields', [{ loc: ['body', name], msg, type }]);
}

/**
 * The refresh grant: exchanges a refresh token for a new pair of tokens and marks it as used. If a client lost the
 * response, it can repeat the request with the same `retry_key`. Ends the family if a used token is presented again too
 * late, if a sign-in would now require a second factor that the family has not passed, or if the family is too old.
 * @throws AppError 401 for a used, expired or unknown token, and if the family was ended; 429 for too frequent
 * refreshes
 */
async function grantByRefreshToken(
  ctx: RequestContext,
  refreshToken: string,
  { scope, retry_key: retryKey }: TokenRequest,
): Promise<IssuedTokens> {
  const { database, settings } = ctx.services;
  const tokenHash = hashSecret(refreshToken);
  const retryKeyHash = retryKey === undefined ? null : hashSecret(retryKey);
  const disconnected = ctx.disconnected();
  const rotation = await database.inTenantOfToken(tokenHash, async (tx, owner) => {
    const tenantId = await owner;
    if (tenantId === null) return undefined;
    const tenant = await readTenant(tx, tenantId);
    if (!tenant?.active) return undefined;
    const rotated = await rotateRefreshToken(tx, tenantId, tokenHash, settings, {
      scope: scope || undefined,
      retryKeyHash,
      disconnected,
      origin: ctx,
      requiresSecondFactor: ({ email, enrolled, ...member }) =>
        isMfaRequired(settings, tenant, { way: signInWayOf(member), tenantId, email, enrolled }),
    });
    if (rotated.kind === 'reused' || rotated.kind === 'ended')
      await recordEvent(tx, ctx, {
        action: rotated.kind === 'reused' ? 'refresh_token_reused' : 'session_ended',
        tenantId,
        actor: { kind: 'anonymous' },
        target: rotated.familyId,
        details: {
          user_id: rotated.userId,
          ...(rotated.kind === 'ended' && { reason: rotated.reason }),
        },
      });
    return rotated;
  });
  if (rotation?.kind === 'too_many') throw tooManyAttempts(rotation.secondsLeft);
  // Thrown after the transaction has been committed: if the family was ended, this must be stored although the response
  // is a 401.
  if (rotation?.kind !== 'rotated') throw new AppError('unauthenticated', 'invalid or expired refresh token');
  return rotation.tokens;
}
