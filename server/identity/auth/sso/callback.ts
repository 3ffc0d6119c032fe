import type { Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isEmail, normalizeEmail } from '#server/identity/access/email-address.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { sameSiteOnly } from '#server/identity/access/session-cookie.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { ssoCallbackRequest, ssoCallbackResponse } from '../schema.ts';
import { setSessionCookie, signInResponse, tokenResponseOf } from '../token-response.ts';
import { providerName, requireProvider } from './provider.ts';
import { isSameBrowser, takeState } from './state.ts';
import { type SsoSignIn, signInPerson } from './tenant-choice.ts';

export const completeSso = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/{provider}/callback',
      tag: 'Single sign-on',
      summary: 'Complete single sign-on',
      description:
        'Exchanges the code and state of the redirect for tokens. If the person belongs to no workspace, the service creates one, and only this response contains its API key.',
    },
  })
  .use(sameSiteOnly)
  .use(rateLimited('sso_callback'))
  .input(ssoCallbackRequest.extend({ provider: providerName }).meta({ id: 'SsoCallbackRequest' }))
  .output(ssoCallbackResponse)
  .mutation(async ({ ctx, input }) => {
    const signIn = await completeSsoSignIn(ctx, input.provider, input);
    const authorizeAt = `/api/oauth2/${input.provider}/authorize`;
    if (signIn.kind === 'tokens') {
      setSessionCookie(ctx, signIn.tokens);
      // Unlike other token responses, this one must contain the member's actual role.
      const token = tokenResponseOf(signIn.tokens, signIn.tokens.member.role);
      return { ...token, tenant_api_key: signIn.apiKey ?? null };
    }
    if (signIn.kind === 'creation_required') {
      const { email } = signIn;
      return { creation_required: true as const, email, next: { sso_authorize: authorizeAt } };
    }
    const response = signInResponse(ctx, signIn, { sso_authorize: authorizeAt });
    if ('access_token' in response) throw new AppError('internal_error', 'internal error');
    return response;
  });

/**
 * Completes a single sign-on. Deletes the state first, so that it can be used only once, even if the sign-in then
 * fails.
 * @throws AppError 401 for an invalid state, a rejected code or an invalid ID token; 403 if the
 *   email address is invalid or not verified, or if the person may not join; 503 if the provider cannot be reached
 */
async function completeSsoSignIn(
  ctx: RequestContext,
  provider: string,
  { code, state: name }: { code: string; state: string },
): Promise<SsoSignIn> {
  const { settings, database, secretsKeys } = ctx.services;
  const sso = requireProvider(settings, provider);
  const state = await database.inPlatform((tx) => takeState(tx, secretsKeys, name));
  if (!state || !isSameBrowser(ctx, name, state.browserHash))
    throw new AppError('unauthenticated', 'invalid or expired sign-in state');
  const { nonce, codeVerifier, redirectUri } = state;
  const identity = await sso.identify(code, { state: name, nonce, codeVerifier, redirectUri });
  // The provider has verified the address as it stands, so it must be valid before it is normalized.
  const email = isEmail(identity.email ?? '') ? normalizeEmail(identity.email as string) : undefined;
  try {
    if (!identity.email || !identity.emailVerified)
      throw new AppError('forbidden', 'the identity provider has not verified this email address');
    if (email === undefined)
      throw new AppError('forbidden', 'the identity provider sent an invalid email address');
    const subject = `${identity.issuer} ${identity.subject}`;
    const { organization, secondFactor } = identity;
    const person = { subject, email, organization, secondFactor };
    return await signInPerson(ctx.services, ctx, person, state);
  } catch (error) {
    if (error instanceof AppError && (error.status === 400 || error.status === 403))
      await database.inPlatform((tx) => recordRefusal(tx, ctx, email, error.message));
    throw error;
  }
}

/** Records in the audit log that a person was rejected although the provider had authenticated the person. */
async function recordRefusal(
  tx: Tx,
  origin: Origin,
  email: string | undefined,
  reason: string,
): Promise<void> {
  await recordEvent(tx, origin, {
    action: 'sign_in_failed',
    tenantId: null,
    actor: { kind: 'anonymous' },
    ...(email && { target: email }),
    details: { way: 'sso', reason },
  });
}
