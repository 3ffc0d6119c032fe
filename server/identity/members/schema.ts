import { z } from 'zod';

const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** E-mail addresses are stored and compared trimmed and in lowercase. */
const email = z.string().max(320).trim().toLowerCase().meta({ format: 'email' }).pipe(z.email());

/** The roles of members. */
export const role = z.enum(['global_administrator', 'agent_id_developer']);

export const userRow = z
  .object({
    user_id: z.string().describe('The id of the member.'),
    email: z.string().describe('In lower case.'),
    provider: z.string().meta({ description: "email, or the identity provider's name" }),
    role: z.string().describe('`global_administrator` or `agent_id_developer`.'),
    active: z.boolean().describe('False for a member whose access is revoked.'),
    created_at: dateTime,
    totp_enrolled: z.boolean().describe('Whether an authenticator is enrolled.'),
  })
  .meta({ id: 'UserRow', description: 'A member of a workspace.' });

const memberId = z.string().describe('The id of the member.');

/** The path of a route about one member. */
export const memberPath = z.object({ user_id: memberId });

export const roleChangeRequest = z
  .object({ user_id: memberId, role: role.describe('The role that the member gets.') })
  .meta({ id: 'RoleChangeRequest' });

export const mfaResetResponse = z
  .object({ mfa_reset: z.literal(true).describe('Always true.'), user_id: memberId })
  .meta({ id: 'MfaResetResponse' });

export const passwordResetLink = z
  .object({
    reset_token: z.string().describe('For one use; shown this once.'),
    reset_url: z.string().meta({ description: 'carries the token in its fragment' }),
    expires_at: dateTime,
  })
  .meta({ id: 'PasswordResetLink' });

const inviteFields = {
  invite_id: z.string().describe('The id to withdraw it by.'),
  email: z.string().nullable().meta({ description: 'null where anybody who holds the token may use it' }),
  role: z.string().describe('The role that the new member gets.'),
  status: z
    .enum(['pending', 'redeemed', 'withdrawn', 'expired'])
    .describe('Only a `pending` invite can be redeemed or withdrawn.'),
  created_by: z.string().meta({ description: "an administrator's e-mail, or `operator`" }),
  created_at: dateTime,
  expires_at: dateTime,
  redeemed_at: dateTime.nullable().describe('When somebody joined by it; null before. ISO 8601 in UTC.'),
  redeemed_by: z.string().nullable().meta({ description: 'the user id of the member that it made' }),
};

export const inviteRecord = z.object(inviteFields).meta({
  id: 'InviteRecord',
  description: 'An invite into a workspace. Its token is shown at creation only.',
});

export const createdInvite = z
  .object({ ...inviteFields, invite_token: z.string().meta({ description: 'shown this once' }) })
  .meta({ id: 'CreatedInvite' });

/** Without `expires_in_days`, an invite lives INVITE_TTL_SECONDS. */
export const inviteCreateRequest = z
  .object({
    tenant_id: z.string().optional().describe('The tenant, for an operator. An administrator has one.'),
    email: email
      .nullish()
      .describe('The address that alone may redeem it. Left out: whoever holds the token.'),
    role: role.default('agent_id_developer').describe('The role that the new member gets.'),
    expires_in_days: z.int().min(1).max(30).nullish().describe('1 to 30 days; 7 by default.'),
  })
  .meta({ id: 'InviteCreateRequest', description: 'An invite into a workspace.' });

/** Accepts any text: what is not a token gets the response of an unusable one. */
export const invitePreviewRequest = z
  .object({ invite_token: z.string().describe('As it was given to the person who is invited.') })
  .meta({ id: 'InvitePreviewRequest', description: 'An invite token to look at.' });

/** Only a usable token has the fields beside `valid`. */
export const invitePreview = z
  .union([
    z.object({
      valid: z.literal(true).describe('It can be redeemed now.'),
      tenant_name: z.string().describe('The workspace that it joins.'),
      role: z.string().describe('The role that the new member gets.'),
      email: z.string().nullable().describe('The address that alone may redeem it; null for any.'),
      expires_at: dateTime,
    }),
    z.object({ valid: z.literal(false).describe('It cannot be redeemed, for whatever reason.') }),
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
