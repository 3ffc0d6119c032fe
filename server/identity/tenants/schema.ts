import { z } from 'zod';
import { countCodePoints } from '#server/formats/text.ts';

export const tenantAccount = z
  .object({
    id: z.string().describe('The id of the tenant.'),
    name: z.string().describe('The display name.'),
    api_key_prefix: z.string().meta({ description: 'first 8 characters of the tenant API key' }),
    monthly_char_limit: z
      .int()
      .min(1)
      .describe('The monthly allowance of weighted source characters; 500000 by default.'),
    active: z.boolean().describe('Whether its credentials work.'),
    created_at: z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' }),
    metadata: z
      .record(z.string(), z.unknown())
      .describe(
        'Free-form, with keys that the platform owns (`pay_`, `trial_`, `topup_`, `mfa_`, `sso_`, `invites_`, `storage_`), which only administrators see.',
      ),
  })
  .meta({ id: 'TenantAccount', description: 'A workspace (tenant): the unit of isolation and billing.' });

/** The largest value of the column. */
export const largestLimit = 2_147_483_647;

/** Characters of JSON. Every sign-in reads the metadata with the tenant. */
const largestMetadata = 16_384;

/** Free-form metadata of an account. */
export const tenantMetadata = z
  .record(z.string(), z.unknown())
  .refine((metadata) => countCodePoints(JSON.stringify(metadata)) <= largestMetadata, {
    error: `must not be longer than ${largestMetadata} characters of JSON`,
  });

/** The limit is not clamped: an operator may give more than the default. Platform-owned metadata is kept. */
export const tenantAccountCreate = z
  .object({
    name: z.string().trim().min(1).max(200).describe('1 to 200 characters.'),
    monthly_char_limit: z
      .int()
      .min(1)
      .max(largestLimit)
      .nullish()
      .describe('Weighted source characters a month; 500000 by default. An operator may give more.'),
    metadata: tenantMetadata.nullish().describe('Free-form, at most 16384 characters of JSON.'),
  })
  .meta({ id: 'TenantAccountCreate', description: 'A workspace to provision.' });

export const provisionedTenant = tenantAccount
  .extend({ api_key: z.string().meta({ description: 'shown this once' }) })
  .meta({ id: 'ProvisionedTenant' });

/** What a person gives again before the key is replaced: one of the two. */
export const keyRotationRequest = z
  .strictObject({
    password: z.string().max(4096).optional().describe('Of the member who asks.'),
    mfa_code: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'of the authenticator, or a recovery code' }),
  })
  .refine(({ password, mfa_code }) => (password === undefined) !== (mfa_code === undefined), {
    error: 'either password or mfa_code is required',
  });

export const rotatedKey = z.object({
  api_key: z.string().meta({ description: 'shown this once' }),
  api_key_prefix: z.string().meta({ description: 'its first 8 characters' }),
});

/** The default limit is high, so that a client that knows no cursors still gets whole lists. */
export const listPage = {
  limit: z.int().min(1).max(1000).default(1000).describe('1 to 1000.'),
  cursor: z.string().max(200).optional().describe('From the X-Next-Cursor header of the page before.'),
};

/**
 * Strict, because a mistyped toggle that is silently ignored would leave a tenant less safe than its administrator thinks
 *. For the same reason, one of the two is required.
 */
export const securityPolicyRequest = z
  .strictObject({
    tenant_id: z.string().optional().describe('The tenant, for an operator. An administrator has one.'),
    mfa_required: z
      .boolean()
      .optional()
      .describe('Whether every sign-in of the workspace needs a second factor.'),
    mfa_required_for_sso: z
      .boolean()
      .optional()
      .describe('Whether that holds for single sign-on, too, where a second factor is demanded anyway.'),
  })
  .refine((policy) => policy.mfa_required !== undefined || policy.mfa_required_for_sso !== undefined, {
    error: 'mfa_required or mfa_required_for_sso is required',
  })
  .meta({
    id: 'SecurityPolicyRequest',
    description: 'What to change; at least one of the two. What is left out stays as it is.',
  });

export type TenantAccount = z.infer<typeof tenantAccount>;
export type ProvisionedTenant = z.infer<typeof provisionedTenant>;
export type RotatedKey = z.infer<typeof rotatedKey>;
export type TenantAccountCreate = z.infer<typeof tenantAccountCreate>;
export type SecurityPolicyRequest = z.infer<typeof securityPolicyRequest>;
