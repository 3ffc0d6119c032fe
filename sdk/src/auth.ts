import { type ApiPromise, apiPromise } from './api-promise.ts';
import type { Connection } from './connection.ts';
import type { CallOptions } from './options.ts';
import { type RestRequest, resultOf } from './rest.ts';
import type { Call } from './send.ts';
import {
  mfaPath,
  type SignInOptions,
  type SignInRequest,
  signIn,
  signInResult,
  tokenPath,
} from './sign-in.ts';
import { type Tokens, tokensOf } from './tokens.ts';
import type {
  EmailSignupRequest,
  InvitePreview,
  InviteSignupRequest,
  Me,
  MfaConfirmation,
  MfaConfirmRequest,
  MfaEnrollment,
  MfaEnrollRequest,
  MfaVerifyRequest,
  OAuth2TokenResponse,
  PasswordReset,
  PasswordResetRequest,
  RecoveryCodes,
  SignupResponse,
  SsoAuthorization,
  SsoAuthorizeRequest,
  SsoCallbackRequest,
  SsoClientConfig,
  SsoSignIn,
  TokenEndpointResponse,
  TokenIntrospection,
  TokenRequest,
  TokenRevocation,
} from './types.ts';

/** Signing up, in and out. */
export interface Auth {
  /**
   * Founds a workspace with its first administrator, or joins one by an invite. `tenant_api_key` is shown this once. It
   * signs no one in: `signIn` does, on whichever client is to ask. It has no idempotency key, so it is only sent again
   * where the service certainly did nothing.
   */
  signUp(
    request: EmailSignupRequest | InviteSignupRequest,
    options?: CallOptions,
  ): ApiPromise<SignupResponse>;
  /**
   * Signs in by address and password, through the choice of a workspace and the second factor where there is one to
   * make or pass. From then on every call of this client is the member's: with the access token instead of the options'
   * credentials, refreshed when it ends. The tokens are in the client's `tokens` store when this resolves.
   *
   * AuthenticationError: address, password or workspace is wrong, or the second factor's time or codes are used up.
   * MfaRequiredError, WorkspaceRequiredError: a callback is needed that is not there.
   */
  signIn(request: SignInRequest, options?: SignInOptions): Promise<Tokens>;
  /**
   * Signs out: empties the store and ends the session at the service. Where that fails it rejects, and the store is empty
   * all the same. Where no one is signed in it does nothing.
   */
  signOut(options?: CallOptions): Promise<void>;
  /** The signed-in member with the effective role, and its workspace; for an access token, never for an API key. */
  me(options?: CallOptions): ApiPromise<Me>;
  /**
   * Begins a session of this client with tokens that were issued otherwise: by single sign-on, an invite or `token`. From then on
   * every call is the member's, as after `signIn`.
   */
  begin(issued: OAuth2TokenResponse): Promise<Tokens>;
  /**
   * Asks the token endpoint, for whoever leads a sign-in step by step; `signIn` does it all. A refresh with a `retry_key` is sent again
   * after a lost response: it gets another pair, and the lost one ends.
   */
  token(request: TokenRequest, options?: CallOptions): ApiPromise<TokenEndpointResponse>;
  /** Answers a challenge of a sign-in with a code. */
  verifyMfa(request: MfaVerifyRequest, options?: CallOptions): ApiPromise<OAuth2TokenResponse>;
  /**
   * Begins to set up an authenticator, for a challenge of a sign-in; without one for the session cookie, which only a browser at the
   * service's own address has.
   */
  enrollMfa(request?: MfaEnrollRequest, options?: CallOptions): ApiPromise<MfaEnrollment>;
  /** Ends that with the authenticator's first code. The recovery codes are shown this once. */
  confirmMfa(request: MfaConfirmRequest, options?: CallOptions): ApiPromise<MfaConfirmation>;
  /** Replaces the recovery codes, for the session cookie alone. They are shown this once. */
  regenerateRecoveryCodes(options?: CallOptions): ApiPromise<RecoveryCodes>;
  /** What a token is good for, for an administrator. */
  introspect(token: string, options?: CallOptions): ApiPromise<TokenIntrospection>;
  /** Ends a token, for an administrator; a refresh token with its whole session. */
  revoke(token: string, options?: CallOptions): ApiPromise<TokenRevocation>;
  /** What an invite is to, before it is redeemed by `signUp`. */
  previewInvite(inviteToken: string, options?: CallOptions): ApiPromise<InvitePreview>;
  /** Sets a new password by the token of a link. The token is good once. */
  resetPassword(request: PasswordResetRequest, options?: CallOptions): ApiPromise<PasswordReset>;
  /** Single sign-on with the deployment's identity provider. */
  readonly sso: Sso;
}

/** Single sign-on. `provider` is the name under which the deployment has its identity provider: `oidc`. */
export interface Sso {
  /** The address to send the browser to. Keep `state`: it comes back beside the code. */
  authorize(
    provider: string,
    request: SsoAuthorizeRequest,
    options?: CallOptions,
  ): ApiPromise<SsoAuthorization>;
  /** Exchanges the code that the browser came back with. A code is good once. */
  complete(provider: string, request: SsoCallbackRequest, options?: CallOptions): ApiPromise<SsoSignIn>;
  /** What a client must know of the provider. */
  clientConfig(provider: string, options?: CallOptions): ApiPromise<SsoClientConfig>;
}

const signUpCall: Call = { name: 'auth.signUp', repeatable: false, result: ['account'] };
const signOutCall: Call = { name: 'auth.signOut', repeatable: true, result: ['signed_out'] };
const meCall: Call = { name: 'auth.me', repeatable: true, result: ['user'] };
/** Not repeatable without a retry key: codes and refresh tokens are good once, and a wrong password counts as an attempt. */
const tokenCall: Call = { name: 'auth.token', repeatable: false, result: signInResult };
const verifyMfaCall: Call = { name: 'auth.verifyMfa', repeatable: false, result: ['access_token'] };
/** Repeatable: a new secret replaces one whose response was lost. */
const enrollMfaCall: Call = { name: 'auth.enrollMfa', repeatable: true, result: ['secret'] };
const confirmMfaCall: Call = { name: 'auth.confirmMfa', repeatable: false, result: ['recovery_codes'] };
const regenerateCall: Call = {
  name: 'auth.regenerateRecoveryCodes',
  repeatable: false,
  result: ['recovery_codes'],
};
const introspectCall: Call = { name: 'auth.introspect', repeatable: true, result: ['active'] };
const revokeCall: Call = { name: 'auth.revoke', repeatable: true, result: ['revoked'] };
const previewCall: Call = { name: 'auth.previewInvite', repeatable: true, result: ['valid'] };
const resetCall: Call = { name: 'auth.resetPassword', repeatable: false, result: ['password_reset'] };
const authorizeCall: Call = { name: 'auth.sso.authorize', repeatable: true, result: ['authorization_url'] };
const completeCall: Call = { name: 'auth.sso.complete', repeatable: false, result: signInResult };
const clientConfigCall: Call = { name: 'auth.sso.clientConfig', repeatable: true, result: ['client_id'] };

export function auth({ json, rest, sendUnsigned, session, settings }: Connection): Auth {
  /** Asks without a session: these calls begin one, or need none. */
  const ask = <T>(call: Call, request: RestRequest, options: CallOptions | undefined): ApiPromise<T> =>
    apiPromise(sendUnsigned(call, (attempt) => rest.json(request, attempt, resultOf<T>(call)), options));
  const post = <T>(call: Call, path: string, body: object, options: CallOptions | undefined) =>
    ask<T>(call, { method: 'POST', path, json: body }, options);
  const begin = async (issued: OAuth2TokenResponse) => {
    const tokens = tokensOf(issued);
    await session.begin(tokens);
    return tokens;
  };

  return {
    signUp(request, options) {
      // The service requires a workspace name, and ignores it for an invite.
      const input = 'tenant_name' in request ? request : { tenant_name: 'by invite', ...request };
      return post(signUpCall, '/api/auth/signup/email', input, options);
    },
    signIn: async (request, options = {}) =>
      begin(
        await signIn(
          rest,
          sendUnsigned,
          { ...request, tenantId: request.tenantId ?? settings.tenantId },
          options,
        ),
      ),
    signOut: (options) =>
      session.end((refresh_token) => post(signOutCall, '/api/auth/signout', { refresh_token }, options)),
    me: (options) => json(meCall, { method: 'GET', path: '/api/auth/me' }, options),
    begin,
    token: (request, options) => {
      const call = { ...tokenCall, repeatable: request.retry_key !== undefined };
      return ask(call, { method: 'POST', path: tokenPath, form: request }, options);
    },
    verifyMfa: (request, options) => post(verifyMfaCall, `${mfaPath}/verify`, request, options),
    enrollMfa: (request = {}, options) => post(enrollMfaCall, `${mfaPath}/enroll`, request, options),
    confirmMfa: (request, options) => post(confirmMfaCall, `${mfaPath}/confirm`, request, options),
    regenerateRecoveryCodes: (options) =>
      ask(regenerateCall, { method: 'POST', path: `${mfaPath}/recovery/regenerate` }, options),
    introspect: (token, options) =>
      json(introspectCall, { method: 'POST', path: '/api/oauth2/introspect', form: { token } }, options),
    revoke: (token, options) =>
      json(revokeCall, { method: 'POST', path: '/api/oauth2/revoke', form: { token } }, options),
    previewInvite: (invite_token, options) =>
      post(previewCall, '/api/auth/invites/preview', { invite_token }, options),
    resetPassword: (request, options) => post(resetCall, '/api/auth/password-reset', request, options),
    sso: {
      authorize: (provider, request, options) =>
        post(authorizeCall, ssoPath(provider, 'authorize'), request, options),
      complete: (provider, request, options) =>
        post(completeCall, ssoPath(provider, 'callback'), request, options),
      clientConfig: (provider, options) =>
        ask(clientConfigCall, { method: 'GET', path: ssoPath(provider, 'client-config') }, options),
    },
  };
}

function ssoPath(provider: string, step: string): string {
  return `/api/oauth2/${encodeURIComponent(provider)}/${step}`;
}
