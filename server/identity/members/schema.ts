import { z } from 'zod';

const dateTime = z.string().meta({ format: 'date-time', description: 'ISO 8601 in UTC' });

/** Email addresses are stored and compared in lower case, without spaces around them. */
const email = z.string().max(320).trim().toLowerCase().meta({ format: 'email' }).pipe(z.email());

/** The roles of members. */
export const role = z.enum(['global_administrator', 'agent_id_developer']);

export const userRow = z
  .object({
    user_id: z.string().describe("The member's id."),
    email: z.string().describe('In lowercase.'),
    provider: z.string().meta({ description: "email, or the identity provider's name" }),
    role: z.string().describe('`global_administrator` or `agent_id_developer`.'),
    active: z.boolean().describe('False for a revoked member.'),
    created_at: dateTime,
    totp_enrolled: z.boolean().describe('Whether an authenticator is enrolled.'),
  })
  .meta({ id: 'UserRow', description: 'A member of a workspace.' });

const memberId = z.string().describe("The member's id.");

/** The path of a route about one member. */
export const memberPath = z.object({ user_id: memberId });

export const roleChangeRequest = z
  .object({ user_id: memberId, role: role.describe("The member's new role.") })
  .meta({ id: 'RoleChangeRequest' });

export const mfaResetResponse = z
  .object({ mfa_reset: z.literal(true).describe('Always true.'), user_id: memberId })
  .meta({ id: 'MfaResetResponse' });

export const passwordResetLink = z
  .object({
    reset_token: z.string().describe('Works once; shown only once.'),
    reset_url: z.string().meta({ description: 'has the token in its fragment' }),
    expires_at: dateTime,
  })
  .meta({ id: 'PasswordResetLink' });

const inviteFields = {
  invite_id: z.string().describe("The invite's id."),
  email: z.string().nullable().meta({ description: 'null if anyone with the token may use it' }),
  role: z.string().describe("The new member's role."),
  status: z
    .enum(['pending', 'redeemed', 'withdrawn', 'expired'])
    .describe('Only a `pending` invite can be redeemed or withdrawn.'),
  created_by: z.string().meta({ description: "an administrator's email, or `operator`" }),
  created_at: dateTime,
  expires_at: dateTime,
  redeemed_at: dateTime
    .nullable()
    .describe('When the invite was redeemed; null until then. ISO 8601 in UTC.'),
  redeemed_by: z.string().nullable().meta({ description: 'the user id of the new member' }),
};

export const inviteRecord = z.object(inviteFields).meta({
  id: 'InviteRecord',
  description: 'An invite into a workspace. Its token is shown at creation only.',
});

export const createdInvite = z
  .object({ ...inviteFields, invite_token: z.string().meta({ description: 'shown only once' }) })
  .meta({ id: 'CreatedInvite' });

/** Without `expires_in_days`, an invite expires after INVITE_TTL_SECONDS. */
export const inviteCreateRequest = z
  .object({
    tenant_id: z
      .string()
      .optional()
      .describe("The tenant, for an operator; an administrator's own by default."),
    email: email
      .nullish()
      .describe('The only address that may redeem it. Without it, anyone with the token may.'),
    role: role.default('agent_id_developer').describe("The new member's role."),
    expires_in_days: z.int().min(1).max(30).nullish().describe('1 to 30 days; 7 by default.'),
  })
  .meta({ id: 'InviteCreateRequest', description: 'An invite into a workspace.' });

/** Accepts any text: the response to a malformed token is the same as to one that cannot be used. */
export const invitePreviewRequest = z
  .object({ invite_token: z.string().describe('The token from the invite link.') })
  .meta({ id: 'InvitePreviewRequest', description: 'An invite token to preview.' });

/** All fields except `valid` are set only if `valid` is true. */
export const invitePreview = z
  .union([
    z.object({
      valid: z.literal(true).describe('The invite can be redeemed now.'),
      tenant_name: z.string().describe('The workspace of the invite.'),
      role: z.string().describe("The new member's role."),
      email: z.string().nullable().describe('The only address that may redeem it; null for any.'),
      expires_at: dateTime,
    }),
    z.object({ valid: z.literal(false).describe('The invite cannot be redeemed, for any reason.') }),
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
