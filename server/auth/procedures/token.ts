import { type IssuedTokens, limitAttempts, publicProcedure, sameSiteOnly } from '#server/access/service.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { grantByPassword } from '../grants/password.ts';
import { grantByRefreshToken } from '../grants/refresh.ts';
import { passChallenge } from '../mfa/pass-challenge.ts';
import { type TokenAnswer, type TokenRequest, tokenAnswer, tokenRequest } from '../schema.ts';
import { answerOf } from '../sign-in-answer.ts';
import { setSessionCookie, tokenResponseOf } from '../token-response.ts';

/** A grant's answer, its attempts counted first where they are limited (A 5.4). */
type Grant = (ctx: RequestContext, request: TokenRequest) => Promise<TokenAnswer>;

/** A 4.3, by `grant_type`. */
const grants: Readonly<Record<string, Grant>> = {
  async password(ctx, request) {
    const { tenant_id: tenantId, scope } = request;
    const username = required(request, 'username');
    const password = required(request, 'password');
    await limitAttempts(ctx, 'password_grant');
    const result = await grantByPassword(ctx.services, ctx, {
      username,
      password,
      scope: scope || undefined,
      tenantId: tenantId || undefined,
    });
    return answerOf(ctx, result);
  },
  async 'urn:ietf:params:oauth:grant-type:mfa-otp'(ctx, request) {
    const challengeId = required(request, 'challenge_id');
    const code = required(request, 'mfa_code');
    await limitAttempts(ctx, 'mfa_grant');
    const scope = request.scope || undefined;
    return minted(ctx, await passChallenge(ctx.services, ctx, challengeId, code, scope));
  },
  async refresh_token(ctx, request) {
    const token = required(request, 'refresh_token');
    return minted(ctx, await grantByRefreshToken(ctx.services, ctx, token, request.scope || undefined));
  },
};

export const token = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/token',
      tag: 'Sign-in',
      summary: 'Exchange a password, an MFA code or a refresh token for tokens',
      body: 'form',
    },
  })
  // Every grant sets the cookie.
  .use(sameSiteOnly)
  .input(tokenRequest)
  .output(tokenAnswer)
  .mutation(({ ctx, input }) => {
    const name = input.grant_type.trim().toLowerCase();
    const grant = Object.hasOwn(grants, name) ? grants[name] : undefined;
    if (!grant) throw fieldProblem('grant_type', `must be one of ${Object.keys(grants).join(', ')}`, 'enum');
    return grant(ctx, input);
  });

function minted(ctx: RequestContext, tokens: IssuedTokens): TokenAnswer {
  setSessionCookie(ctx, tokens);
  return tokenResponseOf(tokens);
}

/** A field that this grant needs; an empty one counts as left out, as forms send it. */
function required(request: TokenRequest, name: keyof TokenRequest): string {
  const value = request[name];
  if (!value) throw fieldProblem(name, 'is required for this grant', 'missing');
  return value;
}

function fieldProblem(name: string, msg: string, type: string): AppError {
  return new AppError('invalid_fields', [{ loc: ['body', name], msg, type }]);
}
