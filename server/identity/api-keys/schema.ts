import { z } from 'zod';
import { scopes } from '#server/identity/access/api-keys.ts';
import { keyRotationRequest } from '#server/identity/tenants/schema.ts';
import { moment } from '#server/platform/input-limits.ts';

/** Maximum number of a workspace's API keys that are not revoked. */
export const maxApiKeys = 100;

/** Maximum seconds of the overlap of a rotation: 30 days. */
const maxOverlap = 30 * 86_400;

const keyId = z.string().min(1).max(64).describe('The ID of the API key.');
const name = z.string().trim().min(1).max(100).describe('The name of the API key, 1 to 100 characters.');
const scopeList = z
  .array(z.enum(scopes))
  .min(1)
  .max(scopes.length)
  .refine((list) => new Set(list).size === list.length, { error: 'must not contain a scope twice' })
  .describe('What the key may do: `translate`, `read`, `review`, `admin`.');
const expiry = moment
  .nullable()
  .describe('The end of the key, ISO 8601, in the future; null for a key without an end.');

export const apiKey = z.object({
  key_id: z.string().describe('The ID of the API key.'),
  name: z.string().describe('The name of the API key.'),
  scopes: z.array(z.enum(scopes)).describe('What the key may do.'),
  prefix: z.string().describe('The first 8 characters of the current secret.'),
  workspace: z
    .boolean()
    .describe('Whether this is the workspace key, which has all scopes and no end. It cannot be limited.'),
  created_at: z.string().describe('When the key was created, ISO 8601 in UTC.'),
  created_by: z
    .string()
    .nullable()
    .describe(
      'The email address of the member who created the current secret, or the ID; null for an operator.',
    ),
  by_former_admin: z
    .boolean()
    .describe(
      'Whether this member has lost the role of an administrator, or access. The key belongs to the workspace and stays valid: rotate or revoke it if the member may still know it.',
    ),
  expires_at: z.string().nullable().describe('The end of the key; null for a key without an end.'),
  expired: z.boolean().describe('Whether the end of the key has passed.'),
  overlap_ends_at: z
    .string()
    .nullable()
    .describe('Until when the replaced secret is valid; null if the key has only one secret.'),
  last_used_at: z.string().nullable().describe('Accurate to about a minute; null if the key was never used.'),
  revoked_at: z.string().nullable().describe('When the key was revoked; null if it was not.'),
});

export const apiKeyWithSecret = apiKey.extend({
  api_key: z.string().describe('The new secret. Only this response contains it.'),
});

export const apiKeyList = z.object({ keys: z.array(apiKey).describe('The API keys, latest first.') });

export const listInput = z.strictObject({
  revoked: z
    .boolean()
    .default(false)
    .describe('Return the latest revoked keys, at most 100, instead of the others.'),
});

/** Exactly one of the two fields proves the identity of the administrator. */
const proof = { password: keyRotationRequest.shape.password, mfa_code: keyRotationRequest.shape.mfa_code };

const hasOneProof = [
  ({ password, mfa_code }: { password?: string | undefined; mfa_code?: string | undefined }) =>
    (password === undefined) !== (mfa_code === undefined),
  { error: 'either password or mfa_code is required' },
] as const;

export const createInput = z
  .strictObject({ name, scopes: scopeList, expires_at: expiry.default(null), ...proof })
  .refine(...hasOneProof);

export const updateInput = z
  .strictObject({
    key_id: keyId,
    name: name.optional(),
    scopes: scopeList.optional(),
    expires_at: expiry.optional(),
    ...proof,
  })
  .refine(...hasOneProof)
  .refine(
    (input) => input.name !== undefined || input.scopes !== undefined || input.expires_at !== undefined,
    {
      error: 'name, scopes or expires_at is required',
    },
  );

export const rotateInput = z
  .strictObject({
    key_id: keyId,
    overlap_seconds: z
      .int()
      .min(0)
      .max(maxOverlap)
      .default(86_400)
      .describe('For how long the replaced secret stays valid: 0 to 2592000. Default: 86400, one day.'),
    ...proof,
  })
  .refine(...hasOneProof);

export const revokeInput = z.strictObject({ key_id: keyId });

export type ApiKey = z.infer<typeof apiKey>;
export type ApiKeyWithSecret = z.infer<typeof apiKeyWithSecret>;
export type CreateInput = z.infer<typeof createInput>;
export type UpdateInput = z.infer<typeof updateInput>;
export type RotateInput = z.infer<typeof rotateInput>;
