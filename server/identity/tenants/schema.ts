import { z } from 'zod';
import { countCodePoints } from '#server/formats/text.ts';

export const tenantAccount = z
  .object({
    id: z.string().describe("The tenant's id."),
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
        'Free-form, with platform-owned keys (`pay_`, `trial_`, `topup_`, `mfa_`, `sso_`, `invites_`, `storage_`), which only administrators see.',
      ),
  })
  .meta({ id: 'TenantAccount', description: 'A workspace (tenant): the unit of isolation and billing.' });

/** The maximum value of the database column. */
export const maxMonthlyLimit = 2_147_483_647;

/** Maximum characters of the metadata as JSON. Every sign-in reads the metadata with the tenant. */
const maxMetadata = 16_384;

/** Free-form metadata of an account. */
export const tenantMetadata = z
  .record(z.string(), z.unknown())
  .refine((metadata) => countCodePoints(JSON.stringify(metadata)) <= maxMetadata, {
    error: `must not be longer than ${maxMetadata} characters of JSON`,
  });

/**
 * The limit is not lowered: an operator may allow more than the default. Metadata keys that only the platform may set
 * are accepted.
 */
export const tenantAccountCreate = z
  .object({
    name: z.string().trim().min(1).max(200).describe('1 to 200 characters.'),
    monthly_char_limit: z
      .int()
      .min(1)
      .max(maxMonthlyLimit)
      .nullish()
      .describe('Weighted source characters a month; 500000 by default. Operators may set more.'),
    metadata: tenantMetadata.nullish().describe('Free-form, at most 16384 characters of JSON.'),
  })
  .meta({ id: 'TenantAccountCreate', description: 'A workspace to create.' });

export const provisionedTenant = tenantAccount
  .extend({ api_key: z.string().meta({ description: 'shown only once' }) })
  .meta({ id: 'ProvisionedTenant' });

/** The proof of identity that rotating the key requires: exactly one of the two fields. */
export const keyRotationRequest = z
  .strictObject({
    password: z.string().max(4096).optional().describe("The signed-in member's password."),
    mfa_code: z.string().max(100).optional().meta({ description: 'a verification code or a recovery code' }),
  })
  .refine(({ password, mfa_code }) => (password === undefined) !== (mfa_code === undefined), {
    error: 'either password or mfa_code is required',
  });

export const rotatedKey = z.object({
  api_key: z.string().meta({ description: 'shown only once' }),
  api_key_prefix: z.string().meta({ description: 'its first 8 characters' }),
});

/** The default limit is high, so that a client that does not use cursors still gets whole lists. */
export const listPage = {
  limit: z.int().min(1).max(1000).default(1000).describe('1 to 1000.'),
  cursor: z.string().max(200).optional().describe('From the X-Next-Cursor header of the previous page.'),
};

/**
 * Unknown fields are rejected: if a mistyped field were ignored, the tenant would be less secure than its administrator
 * believes. For the same reason, at least one of the two fields is required.
 */
export const securityPolicyRequest = z
  .strictObject({
    tenant_id: z
      .string()
      .optional()
      .describe("The tenant, for an operator; an administrator's own by default."),
    mfa_required: z
      .boolean()
      .optional()
      .describe('Whether every sign-in of the workspace needs a second factor.'),
    mfa_required_for_sso: z
      .boolean()
      .optional()
      .describe('Whether single sign-on needs it too, if a second factor is required at all.'),
  })
  .refine((policy) => policy.mfa_required !== undefined || policy.mfa_required_for_sso !== undefined, {
    error: 'mfa_required or mfa_required_for_sso is required',
  })
  .meta({
    id: 'SecurityPolicyRequest',
    description: 'The toggles to change; at least one of the two. A missing toggle does not change.',
  });

export type TenantAccount = z.infer<typeof tenantAccount>;
export type ProvisionedTenant = z.infer<typeof provisionedTenant>;
export type RotatedKey = z.infer<typeof rotatedKey>;
export type TenantAccountCreate = z.infer<typeof tenantAccountCreate>;
export type SecurityPolicyRequest = z.infer<typeof securityPolicyRequest>;
