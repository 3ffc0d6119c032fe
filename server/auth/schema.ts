import { z } from 'zod';
import { tenantAccount, tenantMetadata } from '#server/tenants/schema.ts';

/** Ids, scopes and other short strings of requests. */
const short = z.string().max(1000);
/** The limit exceeds any token's length, so that malformed tokens are reported as unknown rather than too long. */
const token = z.string().max(16_384);
/** In UTF-16 units. Bounds the input of the normalization; the policy then counts the characters of its result. */
const password = z.string().max(4096);

/** A 2.2 */
export const authenticatedUser = z
  .object({
    user_id: z.string(),
    tenant_id: z.string(),
    email: z.string(),
    provider: z.enum(['email', 'oauth2']),
    role: z.string(),
  })
  .meta({ id: 'AuthenticatedUser' });

/** A 2.3 */
export const tokenResponse = z
  .object({
    access_token: z.string(),
    token_type: z.literal('bearer'),
    expires_in: z.int().meta({ description: 'seconds' }),
    scope: z.string(),
    user: authenticatedUser,
    refresh_token: z.string(),
    refresh_expires_in: z.int().meta({ description: 'seconds' }),
  })
  .meta({ id: 'OAuth2TokenResponse' });

/** C 2 */
export const mfaChallenge = z
  .object({
    challenge_id: z.string(),
    method: z.enum(['totp', 'totp_enroll']),
    expires_in: z.int().meta({ description: 'seconds' }),
  })
  .meta({ id: 'MfaChallenge' });

/** The paths at which the client continues, by purpose. */
const next = z.record(z.string(), z.string());

/** The password grant's response if a second factor is required (C 2). */
export const mfaRequiredResponse = z
  .object({ mfa_required: z.literal(true), mfa_challenge: mfaChallenge, next })
  .meta({ id: 'MfaRequiredResponse' });

/** A 2.4 */
export const workspaceSelectionResponse = z
  .object({
    tenant_selection_required: z.literal(true),
    tenants: z.array(z.object({ tenant_id: z.string(), tenant_name: z.string() })),
    next,
  })
  .meta({ id: 'WorkspaceSelectionResponse' });

/** A 4.3 */
export const tokenEndpointResponse = z.union([
  tokenResponse,
  mfaRequiredResponse,
  workspaceSelectionResponse,
]);

/** A 4.2. The schema does not check the email address: the service does, because an invalid one is 400, not 422. */
export const emailSignupRequest = z
  .object({
    tenant_name: z.string().trim().min(1).max(200),
    email: z.string().max(4096),
    password: password.min(8),
    monthly_char_limit: z.int().min(1).nullish(),
    metadata: tenantMetadata.nullish(),
    invite_token: token.nullish(),
  })
  .meta({ id: 'EmailSignupRequest' });

/** A 2.4 */
export const signupResponse = z
  .object({
    account: tenantAccount,
    tenant_api_key: z.string().nullable(),
    mfa_required: z.boolean(),
    token: tokenResponse.optional(),
    mfa_challenge: mfaChallenge.optional(),
    next,
  })
  .meta({ id: 'SignupResponse' });

/** A 4.3. Fields are optional here. Each grant checks the ones it requires and returns 422 for a missing one. */
export const tokenRequest = z
  .object({
    grant_type: short.meta({
      description: 'password, urn:ietf:params:oauth:grant-type:mfa-otp or refresh_token',
    }),
    tenant_id: short.optional(),
    username: z.string().max(4096).optional(),
    password: password.optional(),
    refresh_token: token.optional(),
    challenge_id: token.optional(),
    mfa_code: z.string().max(100).optional(),
    scope: short.optional(),
  })
  .meta({ id: 'TokenRequest' });

/** A 4.1. The hint is accepted and ignored. */
export const revokeRequest = z
  .object({ token, token_type_hint: short.optional() })
  .meta({ id: 'RevokeRequest' });

export const revokeResponse = z.object({ revoked: z.literal(true) }).meta({ id: 'RevokeResponse' });

export const introspectRequest = z.object({ token }).meta({ id: 'IntrospectRequest' });

/** A 2.4 */
export const introspectResponse = z
  .object({
    active: z.boolean(),
    token_type: z.enum(['access_token', 'refresh_token']).nullable(),
    scope: z.string().nullable(),
    exp: z.int().nullable().meta({ description: 'Unix time in seconds' }),
    sub: z.string().nullable(),
    tenant_id: z.string().nullable(),
    email: z.string().nullable(),
    role: z.string().nullable().meta({ description: 'as it was when the token was issued' }),
  })
  .meta({ id: 'IntrospectResponse' });

export const signOutRequest = z.object({ refresh_token: token.nullish() }).meta({ id: 'SignOutRequest' });

export const signOutResponse = z.object({ signed_out: z.literal(true) }).meta({ id: 'SignOutResponse' });

/** A 2.4 */
export const meResponse = z
  .object({
    user: authenticatedUser.extend({ totp_enrolled: z.boolean() }).meta({ id: 'CurrentUser' }),
    tenant: tenantAccount,
  })
  .meta({ id: 'MeResponse' });

/** C 2 */
export const mfaEnrollRequest = z.object({ challenge_id: short.optional() }).meta({ id: 'MfaEnrollRequest' });

export const mfaEnrollResponse = z
  .object({
    secret: z.string().meta({ description: 'base32' }),
    otpauth_uri: z.string(),
    qr_code: z.string().meta({ description: 'a data:image/svg+xml URI' }),
  })
  .meta({ id: 'MfaEnrollResponse' });

/** C 2 */
export const mfaEnrollConfirmRequest = z
  .object({ challenge_id: short.optional(), mfa_code: z.string().max(100) })
  .meta({ id: 'MfaEnrollConfirmRequest' });

export const mfaEnrollConfirmResponse = z
  .object({
    enrolled: z.literal(true),
    recovery_codes: z.array(z.string()),
    token: tokenResponse.optional(),
  })
  .meta({ id: 'MfaEnrollConfirmResponse' });

/** C 2 */
export const mfaChallengeVerifyRequest = z
  .object({ challenge_id: token, mfa_code: z.string().max(100) })
  .meta({ id: 'MfaChallengeVerifyRequest' });

export const recoveryCodesResponse = z
  .object({ recovery_codes: z.array(z.string()) })
  .meta({ id: 'RecoveryCodesResponse' });

/** C 2 */
export const passwordResetRequest = z
  .object({ reset_token: token, new_password: password.min(8) })
  .meta({ id: 'PasswordResetRequest' });

export const passwordResetResponse = z
  .object({ password_reset: z.literal(true) })
  .meta({ id: 'PasswordResetResponse' });

/** C 2, single sign-on */
export const ssoAuthorizeRequest = z
  .object({
    redirect_uri: z.string().max(2000),
    tenant_id: short.nullish(),
    invite_token: short.nullish(),
  })
  .meta({ id: 'SsoAuthorizeRequest' });

export const ssoAuthorizeResponse = z
  .object({ authorization_url: z.string(), state: z.string() })
  .meta({ id: 'SsoAuthorizeResponse' });

export const ssoCallbackRequest = z
  .object({ code: z.string().max(4096), state: short })
  .meta({ id: 'SsoCallbackRequest' });

export const ssoTokenResponse = tokenResponse
  .extend({
    tenant_api_key: z.string().nullable().meta({ description: 'of a tenant that this call created' }),
  })
  .meta({ id: 'SsoTokenResponse' });

export const ssoCallbackResponse = z.union([
  ssoTokenResponse,
  mfaRequiredResponse,
  workspaceSelectionResponse,
]);

export const ssoClientConfig = z
  .object({ provider: z.string(), issuer: z.string(), client_id: z.string(), scopes: z.array(z.string()) })
  .meta({ id: 'SsoClientConfig' });

export type TokenResponse = z.infer<typeof tokenResponse>;
export type MfaChallenge = z.infer<typeof mfaChallenge>;
export type MfaRequiredResponse = z.infer<typeof mfaRequiredResponse>;
export type TokenEndpointResponse = z.infer<typeof tokenEndpointResponse>;
export type TokenRequest = z.infer<typeof tokenRequest>;
export type EmailSignupRequest = z.infer<typeof emailSignupRequest>;
export type SignupResponse = z.infer<typeof signupResponse>;
