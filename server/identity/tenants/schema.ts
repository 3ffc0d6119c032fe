import { z } from 'zod';
import { countCodePoints } from '#server/formats/text.ts';
import { pageCursor } from '#server/http/paging.ts';
import { earlierRules, redactionRules } from '#server/redaction/rules.ts';

export const tenantAccount = z
  .object({
    id: z.string().describe('The ID of the tenant.'),
    name: z.string().describe('The name of the workspace.'),
    api_key_prefix: z.string().meta({ description: 'The first 8 characters of the API key of the tenant.' }),
    monthly_char_limit: z
      .int()
      .min(1)
      .describe(
        'The monthly allowance in weighted source characters. Default: DEFAULT_MONTHLY_CHAR_LIMIT of the deployment.',
      ),
    active: z.boolean().describe('Whether the credentials of the tenant are accepted.'),
    created_at: z
      .string()
      .meta({ format: 'date-time', description: 'The time of creation, ISO 8601 in UTC.' }),
    metadata: z
      .record(z.string(), z.unknown())
      .describe(
        'Any data of the workspace. Keys that begin with `pay_`, `trial_`, `topup_`, `mfa_`, `sso_`, `invites_` or `storage_` are set by the service, and only administrators get them.',
      ),
  })
  .meta({ id: 'TenantAccount', description: 'A workspace (tenant): the unit of isolation and billing.' });

/** The maximum value of the database column. */
export const maxMonthlyLimit = 2_147_483_647;

/** Maximum characters of the metadata as JSON. Every sign-in reads the metadata with the tenant. */
const maxMetadata = 16_384;

export const workspaceName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe('The name of the workspace, 1 to 200 characters.');

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
    name: workspaceName,
    monthly_char_limit: z
      .int()
      .min(1)
      .max(maxMonthlyLimit)
      .nullish()
      .describe(
        'The monthly allowance in weighted source characters. Default: DEFAULT_MONTHLY_CHAR_LIMIT of the deployment. Larger values are allowed.',
      ),
    metadata: tenantMetadata.nullish().describe('Any data, at most 16384 characters of JSON.'),
  })
  .meta({ id: 'TenantAccountCreate', description: 'A workspace to create.' });

export const provisionedTenant = tenantAccount
  .extend({
    api_key: z.string().meta({ description: 'The API key of the tenant. Only this response contains it.' }),
  })
  .meta({ id: 'ProvisionedTenant' });

/** The proof of identity that rotating the key requires: exactly one of the two fields. */
export const keyRotationRequest = z
  .strictObject({
    password: z.string().max(4096).optional().describe('The password of the signed-in member.'),
    mfa_code: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'A code of the authenticator app, or a recovery code.' }),
  })
  .refine(({ password, mfa_code }) => (password === undefined) !== (mfa_code === undefined), {
    error: 'either password or mfa_code is required',
  });

export const rotatedKey = z.object({
  api_key: z.string().meta({ description: 'The new API key. Only this response contains it.' }),
  api_key_prefix: z.string().meta({ description: 'The first 8 characters of the new API key.' }),
});

/** The default limit is high, so that a client that does not use cursors still gets whole lists. */
export const listPage = {
  limit: z
    .int()
    .min(1)
    .max(1000)
    .default(1000)
    .describe('The maximum number of entries in the response: 1 to 1000.'),
  cursor: pageCursor,
};

/**
 * Unknown fields are rejected: if a mistyped field were ignored, the tenant would be less secure than its administrator
 * believes. For the same reason, at least one of the settings is required.
 */
export const securityPolicyRequest = z
  .strictObject({
    tenant_id: z
      .string()
      .optional()
      .describe('For operators: the ID of the tenant. Administrators can omit it; their own tenant is used.'),
    mfa_required: z
      .boolean()
      .optional()
      .describe('Whether every sign-in to the workspace requires a code of an authenticator app.'),
    mfa_required_for_sso: z
      .boolean()
      .optional()
      .describe(
        'Whether single sign-on requires such a code too. Without effect if `mfa_required` is false.',
      ),
    review_suspected_instructions: z
      .boolean()
      .optional()
      .describe(
        'Whether a translation awaits review if its source, or other data that the model gets with it, looks like instructions to the model. By default, this is only a warning.',
      ),
    review_tm_sentences: z
      .boolean()
      .optional()
      .describe(
        'Whether a translation awaits review if it is made of sentences of the translation memory, without a model.',
      ),
    prefer_tm_context: z
      .boolean()
      .optional()
      .describe(
        'Whether a text of a document gets, of several translations in the translation memory, the one with the same previous and next text. By default, it gets the latest one.',
      ),
    redaction: redactionRules
      .nullable()
      .optional()
      .describe('The personal data that models do not get. Null turns the replacement off.'),
    redaction_before: earlierRules
      .nullable()
      .optional()
      .describe(
        'The rules that the caller read. If the stored ones are others, the response is 409, and nothing changes.',
      ),
  })
  .refine(
    ({ tenant_id: _, redaction_before: __, ...policy }) =>
      Object.values(policy).some((value) => value !== undefined),
    {
      error:
        'mfa_required, mfa_required_for_sso, review_suspected_instructions, review_tm_sentences, prefer_tm_context or redaction is required',
    },
  )
  .meta({
    id: 'SecurityPolicyRequest',
    description:
      'The settings to change; at least one is required. A setting that is omitted does not change.',
  });

export type TenantAccount = z.infer<typeof tenantAccount>;
export type ProvisionedTenant = z.infer<typeof provisionedTenant>;
export type RotatedKey = z.infer<typeof rotatedKey>;
export type TenantAccountCreate = z.infer<typeof tenantAccountCreate>;
export type SecurityPolicyRequest = z.infer<typeof securityPolicyRequest>;
