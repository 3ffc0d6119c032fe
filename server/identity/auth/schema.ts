import { z } from 'zod';
import { tenantAccount, tenantMetadata } from '#server/identity/tenants/schema.ts';

/** Maximum length of ids, scopes and other short strings in requests. */
const short = z.string().max(1000);
/** May have any length, because a token is only hashed: a malformed one is reported as unknown. */
const token = z.string();
/** Long enough not to be guessed, with characters that are safe in forms and URLs. */
const retryKey = z
  .string()
  .regex(/^[A-Za-z0-9._~-]{16,128}$/, 'must be 16 to 128 characters of A-Z, a-z, 0-9, "-", ".", "_" and "~"');
/**
 * Maximum in UTF-16 units, which limits the input of the normalization. The password policy then counts the characters
 * of the normalized password.
 */
const password = z.string().max(4096);

export const authenticatedUser = z
  .object({
    user_id: z.string().describe("The member's id."),
    tenant_id: z.string().describe('The workspace (tenant) of this session.'),
    email: z.string().describe('In lowercase.'),
    provider: z.enum(['email', 'oauth2']).describe('`oauth2` for every identity provider.'),
    role: z
      .string()
      .describe(
        '`global_administrator` or `agent_id_developer`. In token responses of the password, MFA and refresh grants it is the default of the model; read the effective role from GET /api/auth/me.',
      ),
  })
  .meta({ id: 'AuthenticatedUser', description: 'The signed-in member and its workspace.' });

export const tokenResponse = z
  .object({
    access_token: z.string().describe('Opaque. Send it as `Authorization: Bearer`.'),
    token_type: z.literal('bearer').describe('Always `bearer`.'),
    expires_in: z.int().meta({ description: 'seconds' }),
    scope: z.string().describe('The scope of the tokens; `translate:jobs` by default.'),
    user: authenticatedUser,
    refresh_token: z.string().describe('Opaque, for one use: a refresh returns a new pair.'),
    refresh_expires_in: z.int().meta({ description: 'seconds' }),
  })
  .meta({ id: 'OAuth2TokenResponse', description: 'Tokens of a completed sign-in.' });

export const mfaChallenge = z
  .object({
    challenge_id: z.string().describe('Send it with the code.'),
    method: z
      .enum(['totp', 'totp_enroll'])
      .describe('`totp`: send a code. `totp_enroll`: enroll an authenticator first, then confirm it.'),
    expires_in: z.int().meta({ description: 'seconds' }),
  })
  .meta({
    id: 'MfaChallenge',
    description: 'A pending second factor. It accepts five attempts.',
  });

/** The paths at which the client can continue, by purpose. */
const next = z.record(z.string(), z.string()).describe('Paths at which to continue, by purpose.');

/** The response of the password grant if a second factor is required. */
export const mfaRequiredResponse = z
  .object({ mfa_required: z.literal(true).describe('Always true.'), mfa_challenge: mfaChallenge, next })
  .meta({
    id: 'MfaRequiredResponse',
    description: 'The password was right, and a second factor is required. No tokens are issued yet.',
  });

export const workspaceSelectionResponse = z
  .object({
    tenant_selection_required: z.literal(true).describe('Always true.'),
    tenants: z
      .array(
        z.object({
          tenant_id: z.string().describe('The id to repeat the grant with.'),
          tenant_name: z.string().describe('The display name.'),
        }),
      )
      .describe('The workspaces to select from.'),
    next,
  })
  .meta({
    id: 'WorkspaceSelectionResponse',
    description:
      'The email and password match accounts in several workspaces: repeat the grant with `tenant_id`.',
  });

export const tokenEndpointResponse = z.union([
  tokenResponse,
  mfaRequiredResponse,
  workspaceSelectionResponse,
]);

/**
 * The schema does not check the email address: the service does, because the status for an invalid address is 400, not
 * 422.
 */
export const emailSignupRequest = z
  .object({
    tenant_name: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .describe('1 to 200 characters. Ignored with `invite_token`.'),
    email: z.string().max(4096).describe('The address of the new member; stored in lowercase.'),
    password: password
      .min(8)
      .describe(
        "At least 12 characters, not a common password, and not the name part of the email address. A password shorter than 8 characters fails the request's schema.",
      ),
    // z.int() is not used, because it ends at 2^53: larger values are also lowered to the maximum.
    monthly_char_limit: z
      .number()
      .refine(Number.isInteger, 'expected an integer')
      .min(1)
      .meta({ type: 'integer' })
      .nullish()
      .describe(
        'Weighted characters a month. Larger values are lowered to the default, 500000. Ignored with `invite_token`.',
      ),
    metadata: tenantMetadata
      .nullish()
      .describe(
        'Free-form, at most 16384 characters of JSON. Keys that the platform owns are dropped. Ignored with `invite_token`.',
      ),
    invite_token: token.nullish().describe('Joins the workspace that issued the invite, with its role.'),
  })
  .meta({
    id: 'EmailSignupRequest',
    description:
      'A new workspace with its first administrator, or, with `invite_token`, a new member of an existing one.',
  });

export const signupResponse = z
  .object({
    account: tenantAccount,
    tenant_api_key: z
      .string()
      .nullable()
      .describe(
        'The API key of a new workspace, shown only once; null for a member who joined an existing one.',
      ),
    mfa_required: z.boolean().describe('Whether a second factor must be set up before tokens are issued.'),
    token: tokenResponse.optional(),
    mfa_challenge: mfaChallenge.optional(),
    next,
  })
  .meta({
    id: 'SignupResponse',
    description: 'The workspace, its key, and tokens unless a second factor is required.',
  });

/**
 * The fields are optional in the schema. Each grant checks the fields that it requires, and returns 422 for a missing
 * one.
 */
export const tokenRequest = z
  .object({
    grant_type: short.meta({
      description: 'password, urn:ietf:params:oauth:grant-type:mfa-otp or refresh_token',
    }),
    tenant_id: short.optional().describe('Password grant only: the workspace to sign in to.'),
    username: z.string().max(4096).optional().describe("Password grant: the member's email."),
    password: password.optional().describe('Password grant.'),
    refresh_token: token.optional().describe('Refresh grant.'),
    retry_key: retryKey
      .optional()
      .describe(
        'Refresh grant: 16 to 128 random characters of `A-Z a-z 0-9 - . _ ~`, which the client makes and stores before it sends. If the response is lost, the same refresh token with the same key gets a new pair until that token expires, and the lost pair is revoked.',
      ),
    challenge_id: token
      .optional()
      .describe('MFA grant: an id from the response that asked for a second factor.'),
    mfa_code: z
      .string()
      .max(100)
      .optional()
      .describe('MFA grant: the current authenticator code, or a recovery code (xxxxx-xxxxx), for one use.'),
    scope: short
      .optional()
      .describe('Recorded on the tokens. Default: `translate:jobs`; on refresh, that of the refresh token.'),
  })
  .meta({ id: 'TokenRequest', description: 'A grant. Which fields are required depends on `grant_type`.' });

/** `token_type_hint` is accepted and ignored. */
export const revokeRequest = z
  .object({
    token: token.describe('An access or refresh token.'),
    token_type_hint: short.optional().describe('Accepted and ignored.'),
  })
  .meta({ id: 'RevokeRequest' });

export const revokeResponse = z
  .object({ revoked: z.literal(true).describe('Whether or not a token matched.') })
  .meta({ id: 'RevokeResponse' });

export const introspectRequest = z
  .object({ token: token.describe('An access or refresh token.') })
  .meta({ id: 'IntrospectRequest' });

export const introspectResponse = z
  .object({
    active: z.boolean().describe('Whether the token can be used now.'),
    token_type: z.enum(['access_token', 'refresh_token']).nullable().describe('Null for an unusable token.'),
    scope: z.string().nullable().describe("The token's scope."),
    exp: z.int().nullable().meta({ description: 'Unix time in seconds' }),
    sub: z.string().nullable().describe("The member's id."),
    tenant_id: z.string().nullable().describe("The member's workspace."),
    email: z.string().nullable().describe("The member's email."),
    role: z.string().nullable().meta({ description: 'at the time of issuance' }),
  })
  .meta({
    id: 'IntrospectResponse',
    description: 'An introspected token. All fields except `active` are null for an unusable token.',
  });

export const signOutRequest = z
  .object({
    // If this token is invalid, it is ignored: the session in the cookie must still end.
    refresh_token: token.nullish().catch(null).describe("Revoked together with the cookie's session."),
  })
  .meta({ id: 'SignOutRequest' });

export const signOutResponse = z
  .object({ signed_out: z.literal(true).describe('Always true.') })
  .meta({ id: 'SignOutResponse' });

export const meResponse = z
  .object({
    user: authenticatedUser
      .extend({ totp_enrolled: z.boolean().describe('Whether an authenticator is enrolled.') })
      .meta({ id: 'CurrentUser', description: 'The member, with its current role.' }),
    tenant: tenantAccount,
  })
  .meta({ id: 'MeResponse', description: 'The signed-in member and its workspace.' });

/** The challenge of a sign-in that awaits its second factor. Without it, the session cookie is used. */
const challengeId = short.describe('The challenge of the sign-in. Without it, the session cookie is used.');
const mfaCode = z
  .string()
  .max(100)
  .describe('The current authenticator code; at a sign-in also a recovery code.');

export const mfaEnrollRequest = z
  .object({ challenge_id: challengeId.optional() })
  .meta({ id: 'MfaEnrollRequest', description: 'A signed-in browser sends no challenge.' });

export const mfaEnrollResponse = z
  .object({
    secret: z.string().meta({ description: 'base32' }),
    otpauth_uri: z.string().describe('The secret as a URI for authenticator apps.'),
    qr_code: z.string().meta({ description: 'a data:image/svg+xml URI' }),
  })
  .meta({ id: 'MfaEnrollResponse' });

export const mfaEnrollConfirmRequest = z
  .object({ challenge_id: challengeId.optional(), mfa_code: mfaCode })
  .meta({ id: 'MfaEnrollConfirmRequest', description: 'The first code of a new authenticator.' });

export const mfaEnrollConfirmResponse = z
  .object({
    enrolled: z.literal(true).describe('Always true.'),
    recovery_codes: z
      .array(z.string())
      .describe('Ten codes of the shape xxxxx-xxxxx, each for one use, shown only once.'),
    token: tokenResponse.optional(),
  })
  .meta({ id: 'MfaEnrollConfirmResponse' });

export const mfaChallengeVerifyRequest = z
  .object({ challenge_id: token.describe('The challenge that the code is for.'), mfa_code: mfaCode })
  .meta({ id: 'MfaChallengeVerifyRequest', description: 'The second factor of a sign-in.' });

export const recoveryCodesResponse = z
  .object({
    recovery_codes: z
      .array(z.string())
      .describe('Ten codes of the shape xxxxx-xxxxx, each for one use. The old ones no longer work.'),
  })
  .meta({ id: 'RecoveryCodesResponse' });

export const passwordResetRequest = z
  .object({
    reset_token: token.describe('From the reset link; works once.'),
    new_password: password.min(8).describe('At least 12 characters, by the same policy as at signup.'),
  })
  .meta({ id: 'PasswordResetRequest' });

export const passwordResetResponse = z
  .object({ password_reset: z.literal(true).describe('Every session of the member has ended.') })
  .meta({ id: 'PasswordResetResponse' });

export const ssoAuthorizeRequest = z
  .object({
    redirect_uri: z
      .string()
      .max(2000)
      .describe(
        'The URL to which the provider redirects the browser: on the origin of BASE_URL, or listed in OIDC_REDIRECT_URIS. At most 2000 characters.',
      ),
    tenant_id: short.nullish().describe('The workspace to sign in to, for a person with several.'),
    invite_token: short.nullish().describe('Joins the workspace that issued it.'),
  })
  .meta({ id: 'SsoAuthorizeRequest' });

export const ssoAuthorizeResponse = z
  .object({
    authorization_url: z.string().describe('The URL to redirect the browser to.'),
    state: z.string().describe('Returned with the browser; works once, within 10 minutes.'),
  })
  .meta({ id: 'SsoAuthorizeResponse' });

export const ssoCallbackRequest = z
  .object({
    code: z.string().max(4096).describe("The provider's authorization code."),
    state: short.describe('The state of the authorization.'),
  })
  .meta({ id: 'SsoCallbackRequest' });

export const ssoTokenResponse = tokenResponse
  .extend({
    tenant_api_key: z.string().nullable().meta({ description: 'of a tenant that this request created' }),
  })
  .meta({ id: 'SsoTokenResponse' });

export const ssoCallbackResponse = z.union([
  ssoTokenResponse,
  mfaRequiredResponse,
  workspaceSelectionResponse,
]);

export const ssoClientConfig = z
  .object({
    provider: z.string().describe('The slug in paths, `oidc`.'),
    issuer: z.string().describe('The issuer URL of the identity provider.'),
    client_id: z.string().describe("This service's client ID at the provider."),
    scopes: z.array(z.string()).describe('The requested scopes.'),
  })
  .meta({ id: 'SsoClientConfig' });

export type TokenResponse = z.infer<typeof tokenResponse>;
export type MfaChallenge = z.infer<typeof mfaChallenge>;
export type MfaRequiredResponse = z.infer<typeof mfaRequiredResponse>;
export type TokenEndpointResponse = z.infer<typeof tokenEndpointResponse>;
export type TokenRequest = z.infer<typeof tokenRequest>;
export type EmailSignupRequest = z.infer<typeof emailSignupRequest>;
export type SignupResponse = z.infer<typeof signupResponse>;
