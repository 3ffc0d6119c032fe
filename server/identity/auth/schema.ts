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

const authenticatedUser = z
  .object({
    user_id: z.string().describe('The ID of the member.'),
    tenant_id: z.string().describe('The ID of the workspace (tenant) of this session.'),
    email: z.string().describe('The email address of the member, in lowercase.'),
    provider: z
      .enum(['email', 'oauth2'])
      .describe(
        '`email` for a sign-in with a password; `oauth2` for single sign-on with any identity provider.',
      ),
    role: z
      .string()
      .describe(
        '`global_administrator` or `agent_id_developer`. Token responses of the password, MFA and refresh grants always have a default here; GET /api/auth/me returns the actual role.',
      ),
  })
  .meta({ id: 'AuthenticatedUser', description: 'The signed-in member and its workspace.' });

export const tokenResponse = z
  .object({
    access_token: z
      .string()
      .describe('The access token, an opaque string. Send it in the header `Authorization: Bearer`.'),
    token_type: z.literal('bearer').describe('Always `bearer`.'),
    expires_in: z.int().meta({ description: 'Seconds until it expires.' }),
    scope: z.string().describe('The scope of the tokens. Default: `translate:jobs`.'),
    user: authenticatedUser,
    refresh_token: z
      .string()
      .describe(
        'The refresh token, an opaque string that works once: the refresh grant returns a new pair of tokens.',
      ),
    refresh_expires_in: z.int().meta({ description: 'Seconds until it expires.' }),
  })
  .meta({ id: 'OAuth2TokenResponse', description: 'The tokens of a completed sign-in.' });

const mfaChallenge = z
  .object({
    challenge_id: z.string().describe('The ID of the challenge. Send it with the code.'),
    method: z
      .enum(['totp', 'totp_enroll'])
      .describe(
        '`totp`: send a code of the authenticator app. `totp_enroll`: enroll an authenticator app first, then confirm it with a code.',
      ),
    expires_in: z.int().meta({ description: 'Seconds until it expires.' }),
  })
  .meta({
    id: 'MfaChallenge',
    description: 'A sign-in that awaits a code of the authenticator app. It accepts five attempts.',
  });

/** The paths at which the client can continue, by purpose. */
const next = z.record(z.string(), z.string()).describe('The paths of the next requests, by purpose.');

/** The response of the password grant if a second factor is required. */
const mfaRequiredResponse = z
  .object({ mfa_required: z.literal(true).describe('Always true.'), mfa_challenge: mfaChallenge, next })
  .meta({
    id: 'MfaRequiredResponse',
    description:
      'The password is correct, but multi-factor authentication is required. No tokens are issued yet.',
  });

const workspaceSelectionResponse = z
  .object({
    tenant_selection_required: z.literal(true).describe('Always true.'),
    tenants: z
      .array(
        z.object({
          tenant_id: z.string().describe('The ID of the workspace. Repeat the password grant with it.'),
          tenant_name: z.string().describe('The name of the workspace.'),
        }),
      )
      .describe('The workspaces from which to select one.'),
    next,
  })
  .meta({
    id: 'WorkspaceSelectionResponse',
    description:
      'The email and password match accounts in several workspaces: repeat the password grant with the `tenant_id` of one of them.',
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
      .describe('The name of the new workspace, 1 to 200 characters. Ignored if `invite_token` is sent.'),
    email: z.string().max(4096).describe('The email address of the new member. It is stored in lowercase.'),
    password: password
      .min(8)
      .describe(
        'At least 12 characters. It must not be a common password, or equal the part of the email address before the @. The status is 422 for fewer than 8 characters, and 400 for 8 to 11.',
      ),
    // z.int() is not used, because it ends at 2^53: larger values are also lowered to the maximum.
    monthly_char_limit: z
      .number()
      .refine(Number.isInteger, 'must be a whole number')
      .min(1)
      .meta({ type: 'integer' })
      .nullish()
      .describe(
        'The monthly allowance in weighted characters. Values above the default of the deployment (DEFAULT_MONTHLY_CHAR_LIMIT) are lowered to it. Ignored if `invite_token` is sent.',
      ),
    metadata: tenantMetadata
      .nullish()
      .describe(
        'Any data of yours, at most 16384 characters of JSON. Keys that are reserved for the service are removed. Ignored if `invite_token` is sent.',
      ),
    invite_token: token
      .nullish()
      .describe(
        'The token of an invite. The member joins its workspace, with its role, and no workspace is created.',
      ),
    email_proof: short
      .nullish()
      .describe(
        'The `email_proof` of the link in the mail of the invite. It confirms the email address; a wrong one is ignored.',
      ),
  })
  .meta({
    id: 'EmailSignupRequest',
    description:
      'Creates a workspace with its first administrator. With `invite_token`, adds a member to an existing workspace instead.',
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
    mfa_required: z
      .boolean()
      .describe('Whether an authenticator app must be set up before tokens are issued.'),
    token: tokenResponse.optional(),
    mfa_challenge: mfaChallenge.optional(),
    next,
  })
  .meta({
    id: 'SignupResponse',
    description: 'The workspace, its API key, and tokens unless multi-factor authentication is required.',
  });

/**
 * The fields are optional in the schema. Each grant checks the fields that it requires, and returns 422 for a missing
 * one.
 */
export const tokenRequest = z
  .object({
    grant_type: short.meta({
      description:
        'The kind of grant: `password`, `urn:ietf:params:oauth:grant-type:mfa-otp` or `refresh_token`.',
    }),
    tenant_id: short.optional().describe('For the password grant: the ID of the workspace to sign in to.'),
    username: z
      .string()
      .max(4096)
      .optional()
      .describe('For the password grant: the email address of the member.'),
    password: password.optional().describe('For the password grant: the password of the member.'),
    refresh_token: token.optional().describe('For the refresh grant: the refresh token.'),
    retry_key: retryKey
      .optional()
      .describe(
        'For the refresh grant: 16 to 128 random characters of `A-Z a-z 0-9 - . _ ~`, which the client creates and stores before it sends the request. If the response is lost, the client repeats the request with the same refresh token and the same key. Until the refresh token expires, it then gets a new pair of tokens, and the lost pair is revoked.',
      ),
    challenge_id: token
      .optional()
      .describe('For the MFA grant: the ID of the challenge, from the response to the password grant.'),
    mfa_code: z
      .string()
      .max(100)
      .optional()
      .describe(
        'For the MFA grant: the current code of the authenticator app, or a recovery code (xxxxx-xxxxx). Each works once.',
      ),
    scope: short
      .optional()
      .describe(
        'The scope to store with the tokens. Default: `translate:jobs`; for the refresh grant, the scope of the refresh token.',
      ),
  })
  .meta({
    id: 'TokenRequest',
    description: 'The credentials to exchange for tokens. `grant_type` determines which fields are required.',
  });

/** `token_type_hint` is accepted and ignored. */
export const revokeRequest = z
  .object({
    token: token.describe('An access or refresh token.'),
    token_type_hint: short.optional().describe('Accepted and ignored.'),
  })
  .meta({ id: 'RevokeRequest' });

export const revokeResponse = z
  .object({ revoked: z.literal(true).describe('Always true, even if the token did not exist.') })
  .meta({ id: 'RevokeResponse' });

export const introspectRequest = z
  .object({ token: token.describe('An access or refresh token.') })
  .meta({ id: 'IntrospectRequest' });

export const introspectResponse = z
  .object({
    active: z.boolean().describe('Whether the token is valid at present.'),
    token_type: z
      .enum(['access_token', 'refresh_token'])
      .nullable()
      .describe('The kind of token; null if the token is not valid.'),
    scope: z.string().nullable().describe('The scope of the token.'),
    exp: z
      .int()
      .nullable()
      .meta({ description: 'The time at which the token expires, as Unix time in seconds.' }),
    sub: z.string().nullable().describe('The ID of the member.'),
    tenant_id: z.string().nullable().describe('The ID of the workspace of the member.'),
    email: z.string().nullable().describe('The email address of the member.'),
    role: z.string().nullable().meta({ description: 'The role of the member when the token was issued.' }),
  })
  .meta({
    id: 'IntrospectResponse',
    description: 'The properties of a token. If the token is not valid, all fields except `active` are null.',
  });

export const signOutRequest = z
  .object({
    // If this token is invalid, it is ignored: the session in the cookie must still end.
    refresh_token: token
      .nullish()
      .catch(null)
      .describe('A refresh token to revoke, in addition to the session of the cookie.'),
  })
  .meta({ id: 'SignOutRequest' });

export const signOutResponse = z
  .object({ signed_out: z.literal(true).describe('Always true.') })
  .meta({ id: 'SignOutResponse' });

export const meResponse = z
  .object({
    user: authenticatedUser
      .extend({
        totp_enrolled: z.boolean().describe('Whether the member has set up an authenticator app.'),
        email_confirmed: z
          .boolean()
          .describe(
            'Whether the member has confirmed the email address with a link in a mail. Without it, the service sends no other mails to the address. Absent if the service sends no mails.',
          )
          .optional(),
      })
      .meta({ id: 'CurrentUser', description: 'The signed-in member, with its current role.' }),
    tenant: tenantAccount,
  })
  .meta({ id: 'MeResponse', description: 'The signed-in member and its workspace.' });

/** The challenge of a sign-in that awaits its second factor. Without it, the session cookie is used. */
const challengeId = short.describe(
  'The ID of the challenge of the sign-in. If omitted, the session cookie identifies the member.',
);
const mfaCode = z
  .string()
  .max(100)
  .describe('The current code of the authenticator app. At a sign-in, a recovery code is accepted too.');

export const mfaEnrollRequest = z
  .object({ challenge_id: challengeId.optional() })
  .meta({ id: 'MfaEnrollRequest', description: 'A browser that is signed in sends an empty object.' });

export const mfaEnrollResponse = z
  .object({
    secret: z.string().meta({ description: 'The secret to enter into the authenticator app, in base32.' }),
    otpauth_uri: z.string().describe('The same secret as an otpauth URI, which authenticator apps read.'),
    qr_code: z.string().meta({ description: 'The same secret as a QR code: a data:image/svg+xml URI.' }),
  })
  .meta({ id: 'MfaEnrollResponse' });

export const mfaEnrollConfirmRequest = z
  .object({ challenge_id: challengeId.optional(), mfa_code: mfaCode })
  .meta({ id: 'MfaEnrollConfirmRequest', description: 'The first code of a new authenticator app.' });

export const mfaEnrollConfirmResponse = z
  .object({
    enrolled: z.literal(true).describe('Always true.'),
    recovery_codes: z
      .array(z.string())
      .describe('Ten recovery codes of the form xxxxx-xxxxx. Each works once. They are not shown again.'),
    token: tokenResponse.optional(),
  })
  .meta({ id: 'MfaEnrollConfirmResponse' });

export const mfaChallengeVerifyRequest = z
  .object({
    challenge_id: token.describe('The ID of the challenge to which the code responds.'),
    mfa_code: mfaCode,
  })
  .meta({ id: 'MfaChallengeVerifyRequest', description: 'The code that completes a sign-in.' });

export const recoveryCodesResponse = z
  .object({
    recovery_codes: z
      .array(z.string())
      .describe(
        'Ten new recovery codes of the form xxxxx-xxxxx. Each works once. The old codes no longer work.',
      ),
  })
  .meta({ id: 'RecoveryCodesResponse' });

export const passwordResetRequest = z
  .object({
    reset_token: token.describe('The token from the password reset link. It works once.'),
    new_password: password
      .min(8)
      .describe('The new password. It has at least 12 characters, and the same rules apply as at signup.'),
  })
  .meta({ id: 'PasswordResetRequest' });

export const passwordResetResponse = z
  .object({ password_reset: z.literal(true).describe('Always true. All sessions of the member have ended.') })
  .meta({ id: 'PasswordResetResponse' });

export const ssoAuthorizeRequest = z
  .object({
    redirect_uri: z
      .string()
      .max(2000)
      .describe(
        'The URL to which the identity provider redirects the browser after the sign-in. It must have the origin of BASE_URL or be listed in OIDC_REDIRECT_URIS, and has at most 2000 characters.',
      ),
    tenant_id: short
      .nullish()
      .describe('The ID of the workspace to sign in to, for a person who belongs to several.'),
    invite_token: short.nullish().describe('The token of an invite. The person joins its workspace.'),
    may_create: z
      .boolean()
      .optional()
      .describe(
        'Whether the callback creates a workspace for a person who belongs to none; true by default. If false, it responds with `creation_required`.',
      ),
  })
  .meta({ id: 'SsoAuthorizeRequest' });

export const ssoAuthorizeResponse = z
  .object({
    authorization_url: z
      .string()
      .describe('The URL of the identity provider, to which you redirect the browser.'),
    state: z
      .string()
      .describe(
        'Identifies this sign-in. The identity provider returns it with the redirect. It works once, within 10 minutes.',
      ),
  })
  .meta({ id: 'SsoAuthorizeResponse' });

export const ssoCallbackRequest = z
  .object({
    code: z.string().max(4096).describe('The authorization code from the redirect of the identity provider.'),
    state: short.describe('The state from the redirect, as returned when the sign-in was started.'),
  })
  .meta({ id: 'SsoCallbackRequest' });

const ssoTokenResponse = tokenResponse
  .extend({
    tenant_api_key: z
      .string()
      .nullable()
      .meta({ description: 'The API key of the workspace, if this request created one; otherwise null.' }),
  })
  .meta({ id: 'SsoTokenResponse' });

/** The person belongs to no workspace, and `may_create` was false. */
const creationRequired = z.object({
  creation_required: z.literal(true).describe('Always true.'),
  email: z.string().describe('The email address of the person.'),
  next,
});

export const ssoCallbackResponse = z.union([
  ssoTokenResponse,
  mfaRequiredResponse,
  workspaceSelectionResponse,
  creationRequired,
]);

export const ssoClientConfig = z
  .object({
    provider: z.string().describe('The name of the identity provider in paths of the API: `oidc`.'),
    issuer: z.string().describe('The issuer URL of the identity provider.'),
    client_id: z.string().describe('The client ID of this service at the identity provider.'),
    scopes: z.array(z.string()).describe('The scopes that the service requests from the identity provider.'),
  })
  .meta({ id: 'SsoClientConfig' });

export type TokenResponse = z.infer<typeof tokenResponse>;
export type MfaChallenge = z.infer<typeof mfaChallenge>;
export type TokenEndpointResponse = z.infer<typeof tokenEndpointResponse>;
export type TokenRequest = z.infer<typeof tokenRequest>;
export type EmailSignupRequest = z.infer<typeof emailSignupRequest>;
