import { z } from 'zod';
import { countCodePoints } from '#server/formats/text.ts';

/** A 2.1 */
export const tenantAccount = z
  .object({
    id: z.string(),
    name: z.string(),
    api_key_prefix: z.string().meta({ description: 'first 8 characters of the tenant API key' }),
    monthly_char_limit: z.int().min(1),
    active: z.boolean(),
    created_at: z.string().meta({ format: 'date-time' }),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TenantAccount' });

/** The largest value of the column. */
export const largestLimit = 2_147_483_647;

/** Characters of JSON. Every sign-in reads the metadata with the tenant. */
const largestMetadata = 16_384;

/** Free-form metadata of an account (A 2.1). */
export const tenantMetadata = z
  .record(z.string(), z.unknown())
  .refine((metadata) => countCodePoints(JSON.stringify(metadata)) <= largestMetadata, {
    error: `must not be longer than ${largestMetadata} characters of JSON`,
  });

/** The limit is not clamped: an operator may give more than the default (C 3). Platform-owned metadata is kept (C 7). */
export const tenantAccountCreate = z
  .object({
    name: z.string().trim().min(1).max(200),
    monthly_char_limit: z.int().min(1).max(largestLimit).nullish(),
    metadata: tenantMetadata.nullish(),
  })
  .meta({ id: 'TenantAccountCreate' });

/** C 3 */
export const provisionedTenant = tenantAccount
  .extend({ api_key: z.string().meta({ description: 'shown this once' }) })
  .meta({ id: 'ProvisionedTenant' });

/** What a person gives again before the key is replaced: one of the two. */
export const keyRotationRequest = z
  .strictObject({
    password: z.string().max(4096).optional(),
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
  limit: z.int().min(1).max(1000).default(1000),
  cursor: z.string().max(200).optional(),
};

/**
 * Strict, because a mistyped toggle that is silently ignored would leave a tenant less safe than its administrator thinks
 * (C 3). For the same reason, one of the two is required.
 */
export const securityPolicyRequest = z
  .strictObject({
    tenant_id: z.string().optional(),
    mfa_required: z.boolean().optional(),
    mfa_required_for_sso: z.boolean().optional(),
  })
  .refine((policy) => policy.mfa_required !== undefined || policy.mfa_required_for_sso !== undefined, {
    error: 'mfa_required or mfa_required_for_sso is required',
  })
  .meta({ id: 'SecurityPolicyRequest' });

export type TenantAccount = z.infer<typeof tenantAccount>;
export type ProvisionedTenant = z.infer<typeof provisionedTenant>;
export type RotatedKey = z.infer<typeof rotatedKey>;
export type TenantAccountCreate = z.infer<typeof tenantAccountCreate>;
export type SecurityPolicyRequest = z.infer<typeof securityPolicyRequest>;
