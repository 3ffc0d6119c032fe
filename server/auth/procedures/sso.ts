import { z } from 'zod';
import { limited, publicProcedure, sameSiteOnly } from '#server/access/service.ts';
import { AppError } from '#server/errors.ts';
import {
  ssoAuthorizeRequest,
  ssoAuthorizeResponse,
  ssoCallbackAnswer,
  ssoCallbackRequest,
  ssoClientConfig as ssoClientConfigSchema,
} from '../schema.ts';
import { answerOf } from '../sign-in-answer.ts';
import { authorize } from '../sso/authorize.ts';
import { completeSso as complete } from '../sso/callback.ts';
import { ssoScopes } from '../sso/code-grant.ts';
import { providerSlug, requireProvider } from '../sso/switch.ts';
import { setSessionCookie, tokenResponseOf } from '../token-response.ts';

const provider = z.string().max(100);

export const authorizeSso = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/{provider}/authorize',
      tag: 'Single sign-on',
      summary: 'Begin a single sign-on: where to send the browser',
    },
  })
  .use(limited('sso_authorize'))
  .input(ssoAuthorizeRequest.extend({ provider }).meta({ id: 'SsoAuthorizeRequest' }))
  .output(ssoAuthorizeResponse)
  .mutation(async ({ ctx, input }) => {
    const { authorizationUrl, state } = await authorize(ctx, input.provider, {
      redirectUri: input.redirect_uri,
      tenantId: input.tenant_id ?? null,
      inviteToken: input.invite_token ?? null,
    });
    return { authorization_url: authorizationUrl, state };
  });

export const completeSso = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/oauth2/{provider}/callback',
      tag: 'Single sign-on',
      summary: 'End a single sign-on: exchange what the browser brought back for tokens',
    },
  })
  .use(sameSiteOnly)
  .use(limited('sso_callback'))
  .input(ssoCallbackRequest.extend({ provider }).meta({ id: 'SsoCallbackRequest' }))
  .output(ssoCallbackAnswer)
  .mutation(async ({ ctx, input }) => {
    const signIn = await complete(ctx, input.provider, input);
    if (signIn.kind === 'tokens') {
      setSessionCookie(ctx, signIn.tokens);
      // A 2.3: these tokens carry the resolved role.
      const token = tokenResponseOf(signIn.tokens, signIn.tokens.member.role);
      return { ...token, tenant_api_key: signIn.apiKey ?? null };
    }
    const answer = answerOf(ctx, signIn, { sso_authorize: `/api/oauth2/${input.provider}/authorize` });
    if ('access_token' in answer) throw new AppError('internal_error', 'internal error');
    return answer;
  });

export const ssoClientConfig = publicProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/oauth2/{provider}/client-config',
      tag: 'Single sign-on',
      summary: 'The identity provider, as a client may know it',
    },
  })
  .use(limited('sso_client_config'))
  .input(z.object({ provider }))
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
