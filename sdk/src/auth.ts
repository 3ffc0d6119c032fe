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

/** Signs members up, in and out, and manages their credentials. */
export interface Auth {
  /**
   * Creates a workspace with its first administrator, or joins a workspace with an invite. The result has
   * `tenant_api_key`, which the service never shows again. This call does not sign in: call `signIn` on the client
   * that the member will use. It has no idempotency key, so it is retried only if the service certainly did nothing.
   */
  signUp(
    request: EmailSignupRequest | InviteSignupRequest,
    options?: CallOptions,
  ): ApiPromise<SignupResponse>;
  /**
   * Signs in with email and password. If necessary, the callbacks of `request` select a workspace and provide a
   * verification code. From then on, this client acts as the member: its calls use the access token instead of the
   * credentials in the options, and refresh the token when it expires. When the promise resolves, the client's
   * `tokens` store contains the tokens.
   *
   * Throws AuthenticationError if email, password or workspace is wrong, or if the time or the number of verification
   * codes is used up. Throws MfaRequiredError or WorkspaceRequiredError if a callback is needed but missing.
   */
  signIn(request: SignInRequest, options?: SignInOptions): Promise<Tokens>;
  /**
   * Signs out: empties the token store and ends the session at the service. If the latter fails, the promise rejects,
   * but the store is still empty. Does nothing if no member is signed in.
   */
  signOut(options?: CallOptions): Promise<void>;
  /**
   * Returns the signed-in member with the effective role, and the member's workspace. Requires an access token; an
   * API key has no member.
   */
  me(options?: CallOptions): ApiPromise<Me>;
  /**
   * Starts a session of this client with tokens from another source: single sign-on, an invite, or `token`. From then
   * on, this client acts as the member, as after `signIn`.
   */
  begin(issued: OAuth2TokenResponse): Promise<Tokens>;
  /**
   * Calls the token endpoint once, for custom sign-in flows; `signIn` does all steps. A refresh that has a
   * `retry_key` is retried if its response is lost: the retry gets new tokens, and the lost ones become invalid.
   */
  token(request: TokenRequest, options?: CallOptions): ApiPromise<TokenEndpointResponse>;
  /** Sends a verification code for the challenge of a sign-in. */
  verifyMfa(request: MfaVerifyRequest, options?: CallOptions): ApiPromise<OAuth2TokenResponse>;
  /**
   * Starts the enrollment of an authenticator app for the challenge of a sign-in. Without a challenge, the call needs
   * the session cookie, which only a browser at the service's own URL has.
   */
  enrollMfa(request?: MfaEnrollRequest, options?: CallOptions): ApiPromise<MfaEnrollment>;
  /**
   * Completes the enrollment with the first code of the authenticator app. The result has the recovery codes, which
   * the service never shows again.
   */
  confirmMfa(request: MfaConfirmRequest, options?: CallOptions): ApiPromise<MfaConfirmation>;
  /** Generates new recovery codes, which the service never shows again. Requires the session cookie. */
  regenerateRecoveryCodes(options?: CallOptions): ApiPromise<RecoveryCodes>;
  /** Introspects a token. Requires an administrator. */
  introspect(token: string, options?: CallOptions): ApiPromise<TokenIntrospection>;
  /** Revokes a token; for a refresh token, this ends the whole session. Requires an administrator. */
  revoke(token: string, options?: CallOptions): ApiPromise<TokenRevocation>;
  /** Shows what an invite contains, without redeeming it. */
  previewInvite(inviteToken: string, options?: CallOptions): ApiPromise<InvitePreview>;
  /** Sets a new password with the token of a password reset link. The token works once. */
  resetPassword(request: PasswordResetRequest, options?: CallOptions): ApiPromise<PasswordReset>;
  /** Single sign-on through the deployment's identity provider. */
  readonly sso: Sso;
}

/** Single sign-on. The parameter `provider` is the deployment's name for its identity provider: `oidc`. */
export interface Sso {
  /**
   * Returns the URL to which to redirect the browser. Keep `state` to compare it with the one that the browser
   * returns together with the code.
   */
  authorize(
    provider: string,
    request: SsoAuthorizeRequest,
    options?: CallOptions,
  ): ApiPromise<SsoAuthorization>;
  /** Exchanges the code with which the browser has returned for tokens. A code works once. */
  complete(provider: string, request: SsoCallbackRequest, options?: CallOptions): ApiPromise<SsoSignIn>;
  /** Returns the public configuration of the identity provider. */
  clientConfig(provider: string, options?: CallOptions): ApiPromise<SsoClientConfig>;
}

const signUpCall: Call = { name: 'auth.signUp', repeatable: false, result: ['account'] };
const signOutCall: Call = { name: 'auth.signOut', repeatable: true, result: ['signed_out'] };
const meCall: Call = { name: 'auth.me', repeatable: true, result: ['user'] };
/**
 * Not repeatable without a retry key: codes and refresh tokens work only once, and each wrong password counts as a
 * failed attempt.
 */
const tokenCall: Call = { name: 'auth.token', repeatable: false, result: signInResult };
const verifyMfaCall: Call = { name: 'auth.verifyMfa', repeatable: false, result: ['access_token'] };
/** Repeatable: if a response is lost, the next call creates a new secret that replaces the lost one. */
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
  /** Sends a request without the session, because these calls start a session or need none. */
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
      // The API requires `tenant_name`, but ignores it if the request has an invite.
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
