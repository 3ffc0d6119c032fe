import { z } from 'zod';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newSecret } from '#server/identity/access/credentials.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { deferredBearerProcedure } from '#server/identity/access/guards/session.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { findPendingInvite } from '#server/identity/members/invite-redemption.ts';
import { readTenantToken } from '#server/identity/members/tenant-token.ts';
import { publicAddress, type Settings } from '#server/settings.ts';
import {
  ssoAuthorizeRequest,
  ssoAuthorizeResponse,
  ssoClientConfig as ssoClientConfigSchema,
} from '../schema.ts';
import { providerName, providerSlug, requireProvider } from './provider.ts';
import { bindBrowser, hex, keepState, type SsoState, ssoScopes } from './state.ts';

interface SsoAuthorization {
  authorizationUrl: string;
  state: string;
}

/**
 * Begins a single sign-on. The nonce, code verifier and redirect URL are stored on the server, under a state that can
 * be used once.
 * @throws AppError 400 for a redirect URL that is not allowed, or an invite that cannot be used; 503 if the provider
 *   cannot be reached
 */
async function authorize(
  ctx: RequestContext,
  provider: string,
  request: {
    redirectUri: string;
    tenantId?: string | null | undefined;
    inviteToken?: string | null | undefined;
    mayCreate?: boolean | undefined;
    link?: SsoState['link'];
  },
): Promise<SsoAuthorization> {
  const { settings, database, secretsKeys } = ctx.services;
  const sso = requireProvider(settings, provider);
  requireRedirectAddress(request.redirectUri, settings);
  const invite = request.inviteToken == null ? null : await checkInvite(ctx, request.inviteToken);
  const [state, nonce, codeVerifier] = [newSecret(), newSecret(), newSecret()];
  const { redirectUri, tenantId = null, mayCreate = true, link } = request;
  const authorizationUrl = await sso.authorizationUrl({ state, nonce, codeVerifier, redirectUri });
  const browserHash = bindBrowser(ctx, state);
  const kept: SsoState = {
    ...{ nonce, codeVerifier, redirectUri, tenantId, invite, browserHash, mayCreate },
    ...(link && { link }),
  };
  await database.inPlatform((tx) => keepState(tx, secretsKeys, state, kept));
  return { authorizationUrl, state };
}

/**
 * A URL that every program reads alike: scheme, host and port without user info, and no backslash, space or control
 * character, which browsers replace or drop. So the host that is checked here is the host to which the provider redirects.
 * A fragment is not allowed (RFC 6749, 3.1.2).
 */
const unambiguousUrl = /^https?:\/\/[\w.:[\]-]+(?:[/?][^\s\\#\p{Cc}]*)?$/iu;

/** Requires that the redirect URL has the origin of BASE_URL, or is equal to an entry of OIDC_REDIRECT_URIS. */
function requireRedirectAddress(redirectUri: string, settings: Settings): void {
  const own =
    unambiguousUrl.test(redirectUri) &&
    URL.canParse(redirectUri) &&
    new URL(redirectUri).origin === new URL(publicAddress(settings)).origin;
  if (!own && !settings.OIDC_REDIRECT_URIS.includes(redirectUri))
    throw new AppError(
      'malformed_request',
      'redirect_uri is not allowed: it must have the origin of BASE_URL, or be one of OIDC_REDIRECT_URIS',
    );
}

async function checkInvite(ctx: RequestContext, token: string): Promise<SsoState['invite']> {
  const invite = readTenantToken(token);
  const pending =
    invite &&
    (await ctx.services.database.inTenant(invite.tenantId, (tx) =>
      findPendingInvite(tx, invite.tenantId, invite.secretHash),
    ));
  if (!pending) throw new AppError('malformed_request', 'invalid or expired invite');
  return { tenantId: invite.tenantId, secretHash: hex(invite.secretHash) };
}

export const authorizeSso = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/{provider}/authorize',
      tag: 'Single sign-on',
      summary: 'Start single sign-on',
      description:
        'Returns the URL of the identity provider, to which you redirect the browser. The service uses the authorization code flow with PKCE. The state works once, within 10 minutes.',
    },
  })
  .use(rateLimited('sso_authorize'))
  .input(ssoAuthorizeRequest.extend({ provider: providerName }).meta({ id: 'SsoAuthorizeRequest' }))
  .output(ssoAuthorizeResponse)
  .mutation(async ({ ctx, input }) => {
    const { authorizationUrl, state } = await authorize(ctx, input.provider, {
      redirectUri: input.redirect_uri,
      tenantId: input.tenant_id,
      inviteToken: input.invite_token,
      mayCreate: input.may_create,
    });
    return { authorization_url: authorizationUrl, state };
  });

/**
 * Starts a sign-in with which the signed-in member links the account of the identity provider, to sign in by it, too. Needs
 * a recent proof, because it gives access. Has no route, so only /trpc serves it.
 */
export const linkSso = deferredBearerProcedure
  .use(rateLimited('sso_authorize'))
  .input(ssoAuthorizeRequest.pick({ redirect_uri: true }).extend({ provider: providerName }))
  .output(ssoAuthorizeResponse)
  .mutation(async ({ ctx, input }) => {
    const link = await ctx.withBearer(async (_tx, { tenant, user, family }) => {
      requireProof(family);
      return { tenantId: tenant.id, userId: user.id };
    });
    const { authorizationUrl, state } = await authorize(ctx, input.provider, {
      redirectUri: input.redirect_uri,
      link,
    });
    return { authorization_url: authorizationUrl, state };
  });

export const ssoClientConfig = publicProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/oauth2/{provider}/client-config',
      tag: 'Single sign-on',
      summary: "Get the identity provider's public configuration",
      description: 'Contains no secrets.',
    },
  })
  .use(rateLimited('sso_client_config'))
  .input(z.object({ provider: providerName }))
  .output(ssoClientConfigSchema)
  .query(({ ctx, input }) => {
    const { settings } = ctx.services;
    requireProvider(settings, input.provider);
    return {
      provider: providerSlug,
      issuer: settings.OIDC_ISSUER ?? '',
      client_id: settings.OIDC_CLIENT_ID ?? '',
      scopes: [...ssoScopes],
    };
  });
