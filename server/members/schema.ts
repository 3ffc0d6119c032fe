import { z } from 'zod';

const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** E-mail addresses are stored and compared trimmed and in lowercase. */
const email = z.string().max(320).trim().toLowerCase().meta({ format: 'email' }).pipe(z.email());

/** The roles of members (C 2). */
export const role = z.enum(['global_administrator', 'agent_id_developer']);

/** A 2.2 */
export const userRow = z
  .object({
    user_id: z.string(),
    email: z.string(),
    provider: z.string().meta({ description: "email, or the identity provider's name" }),
    role: z.string(),
    active: z.boolean(),
    created_at: dateTime,
    totp_enrolled: z.boolean(),
  })
  .meta({ id: 'UserRow' });

/** The path of a route about one member. */
export const memberPath = z.object({ user_id: z.string() });

/** C 2 */
export const roleChangeRequest = z.object({ user_id: z.string(), role }).meta({ id: 'RoleChangeRequest' });

/** C 2 */
export const mfaResetResponse = z
  .object({ mfa_reset: z.literal(true), user_id: z.string() })
  .meta({ id: 'MfaResetResponse' });

/** C 2 */
export const passwordResetLink = z
  .object({
    reset_token: z.string(),
    reset_url: z.string().meta({ description: 'carries the token in its fragment' }),
    expires_at: dateTime,
  })
  .meta({ id: 'PasswordResetLink' });

const inviteFields = {
  invite_id: z.string(),
  email: z.string().nullable().meta({ description: 'null where anybody who holds the token may use it' }),
  role: z.string(),
  status: z.enum(['pending', 'redeemed', 'withdrawn', 'expired']),
  created_by: z.string().meta({ description: "an administrator's e-mail, or `operator`" }),
  created_at: dateTime,
  expires_at: dateTime,
  redeemed_at: dateTime.nullable(),
  redeemed_by: z.string().nullable().meta({ description: 'the user id of the member that it made' }),
};

/** C 2 */
export const inviteRecord = z.object(inviteFields).meta({ id: 'InviteRecord' });

export const createdInvite = z
  .object({ ...inviteFields, invite_token: z.string().meta({ description: 'shown this once' }) })
  .meta({ id: 'CreatedInvite' });

/** Without `expires_in_days`, an invite lives INVITE_TTL_SECONDS (C 7). */
export const inviteCreateRequest = z
  .object({
    tenant_id: z.string().optional(),
    email: email.nullish(),
    role: role.default('agent_id_developer'),
    expires_in_days: z.int().min(1).max(30).nullish(),
  })
  .meta({ id: 'InviteCreateRequest' });

/** Accepts any text: what is not a token gets the response of an unusable one (A 4.1). */
export const invitePreviewRequest = z
  .object({ invite_token: z.string() })
  .meta({ id: 'InvitePreviewRequest' });

/** Only a usable token has the fields beside `valid` (C 2). */
export const invitePreview = z
  .union([
    z.object({
      valid: z.literal(true),
      tenant_name: z.string(),
      role: z.string(),
      email: z.string().nullable(),
      expires_at: dateTime,
    }),
    z.object({ valid: z.literal(false) }),
  ])
  .meta({ id: 'InvitePreview' });

export type UserRow = z.infer<typeof userRow>;
export type Role = z.infer<typeof role>;
export type PasswordResetLink = z.infer<typeof passwordResetLink>;
export type InviteRecord = z.infer<typeof inviteRecord>;
export type InviteStatus = InviteRecord['status'];
export type CreatedInvite = z.infer<typeof createdInvite>;
export type InviteCreateRequest = z.infer<typeof inviteCreateRequest>;
export type InvitePreview = z.infer<typeof invitePreview>;
