import { z } from 'zod';
import { tenantAccount } from '#server/tenants/service.ts';

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

/** A 4.2. An address that is no address is 400, not 422: the service checks it. */
export const emailSignupRequest = z
  .object({
    tenant_name: z.string().trim().min(1).max(200),
    email: z.string().max(320),
    // In UTF-16 units; the policy counts characters, after a normalization that must not be handed megabytes.
    password: z.string().min(8).max(4096),
    monthly_char_limit: z.int().min(1).nullish(),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    invite_token: z.string().nullish(),
  })
  .meta({ id: 'EmailSignupRequest' });

/** A 2.4 */
export const signupResponse = z
  .object({
    account: tenantAccount,
    tenant_api_key: z.string().nullable(),
    mfa_required: z.boolean(),
    token: tokenResponse.optional(),
    next: z.record(z.string(), z.string()),
  })
  .meta({ id: 'SignupResponse' });

export type TokenResponse = z.infer<typeof tokenResponse>;
export type EmailSignupRequest = z.infer<typeof emailSignupRequest>;
export type SignupResponse = z.infer<typeof signupResponse>;
