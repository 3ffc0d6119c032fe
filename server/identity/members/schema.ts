import { z } from 'zod';
import { normalizeEmail } from '#server/identity/access/email-address.ts';

const dateTime = z.string().meta({ format: 'date-time', description: 'A time in ISO 8601 format, in UTC.' });

/** Email addresses are stored and compared in lower case, without spaces around them. */
const email = z.string().max(320).overwrite(normalizeEmail).meta({ format: 'email' }).pipe(z.email());

/** The roles of members. */
export const role = z.enum(['global_administrator', 'agent_id_developer']);

export const userRow = z
  .object({
    user_id: z.string().describe('The ID of the member.'),
    email: z.string().describe('The email address of the member, in lowercase.'),
    provider: z.string().meta({
      description: '`email` for a sign-in with a password; otherwise the name of the identity provider.',
    }),
    role: z.string().describe('`global_administrator` or `agent_id_developer`.'),
    active: z.boolean().describe('Whether the member can sign in; false if the access was revoked.'),
    created_at: dateTime,
    totp_enrolled: z.boolean().describe('Whether the member has set up an authenticator app.'),
  })
  .meta({ id: 'UserRow', description: 'A member of a workspace.' });

const memberId = z.string().describe('The ID of the member.');

/** The path of a route about one member. */
export const memberPath = z.object({ user_id: memberId });

export const roleChangeRequest = z
  .object({ user_id: memberId, role: role.describe('The new role of the member.') })
  .meta({ id: 'RoleChangeRequest' });

export const mfaResetResponse = z
  .object({ mfa_reset: z.literal(true).describe('Always true.'), user_id: memberId })
  .meta({ id: 'MfaResetResponse' });

export const passwordResetLink = z
  .object({
    reset_token: z
      .string()
      .nullable()
      .describe(
        'The token of the link. It works once, and only this response contains it. Null if only the member gets the link, by email.',
      ),
    reset_url: z.string().nullable().meta({
      description:
        'The link to send to the member. Its fragment contains the token. Null if only the member gets the link, by email.',
    }),
    expires_at: dateTime,
    sent_to: z.string().optional().meta({
      description: 'The email address to which the service sends the link. Missing if it sends none.',
    }),
  })
  .meta({ id: 'PasswordResetLink' });

export const languageCode = z.string().regex(/^[\w-]{1,35}$/, 'must be a language code');

export const memberLanguage = z.object({
  source_lang: z
    .union([z.literal('*'), languageCode])
    .describe('A language code, or `*` for any source language.'),
  target_lang: languageCode.describe('A language code. A code without a region includes all regions.'),
  review: z.boolean().describe('Whether the member translates and reviews these languages.'),
  second: z.boolean().describe('Whether the member makes second reviews in these languages.'),
});

export const memberLanguages = z
  .array(memberLanguage)
  .max(200)
  .refine(
    (all) => new Set(all.map((one) => `${one.source_lang} ${one.target_lang}`)).size === all.length,
    'must not name a pair of languages twice',
  );

const inviteFields = {
  invite_id: z.string().describe('The ID of the invite.'),
  email: z.string().nullable().meta({
    description: 'The only email address that may redeem the invite; null if anyone with the token may.',
  }),
  role: z.string().describe('The role that the new member gets.'),
  languages: z
    .array(memberLanguage)
    .optional()
    .describe('The languages that the new member reviews; left out if these are all.'),
  status: z
    .enum(['pending', 'redeemed', 'withdrawn', 'expired'])
    .describe('Only a `pending` invite can be redeemed or withdrawn.'),
  created_by: z
    .string()
    .meta({ description: 'The email address of the administrator who created the invite, or `operator`.' }),
  created_at: dateTime,
  expires_at: dateTime,
  redeemed_at: dateTime
    .nullable()
    .describe('The time at which the invite was redeemed, ISO 8601 in UTC; null until then.'),
  redeemed_by: z
    .string()
    .nullable()
    .meta({ description: 'The ID of the member who redeemed the invite; null until then.' }),
};

export const inviteRecord = z.object(inviteFields).meta({
  id: 'InviteRecord',
  description: 'An invite to join a workspace. Only the response to its creation contains its token.',
});

export const createdInvite = z
  .object({
    ...inviteFields,
    invite_token: z
      .string()
      .meta({ description: 'The token of the invite. Only this response contains it.' }),
  })
  .meta({ id: 'CreatedInvite' });

/** Without `expires_in_days`, an invite expires after INVITE_TTL_SECONDS. */
export const inviteCreateRequest = z
  .object({
    tenant_id: z
      .string()
      .optional()
      .describe('For operators: the ID of the tenant. Administrators can omit it; their own tenant is used.'),
    email: email
      .nullish()
      .describe('The only email address that may redeem the invite. If omitted, anyone with the token may.'),
    role: role.default('agent_id_developer').describe('The role that the new member gets.'),
    languages: memberLanguages
      .optional()
      .describe('The languages that the new member reviews. If omitted, all.'),
    expires_in_days: z
      .int()
      .min(1)
      .max(30)
      .nullish()
      .describe('Days until the invite expires: 1 to 30. Default: 7, unless the operator has changed it.'),
  })
  .meta({ id: 'InviteCreateRequest', description: 'An invite to create.' });

/** Accepts any text: the response to a malformed token is the same as to one that cannot be used. */
export const invitePreviewRequest = z
  .object({ invite_token: z.string().describe('The token from the link of the invite.') })
  .meta({ id: 'InvitePreviewRequest', description: 'The token of the invite to preview.' });

/** All fields except `valid` are set only if `valid` is true. */
export const invitePreview = z
  .union([
    z.object({
      valid: z.literal(true).describe('Always true: the invite can be redeemed.'),
      tenant_name: z.string().describe('The name of the workspace that the member would join.'),
      role: z.string().describe('The role that the new member gets.'),
      email: z
        .string()
        .nullable()
        .describe('The only email address that may redeem the invite; null if anyone with the token may.'),
      expires_at: dateTime,
    }),
    z.object({
      valid: z
        .literal(false)
        .describe('Always false: the invite cannot be redeemed. The reason is not given.'),
    }),
  ])
  .meta({ id: 'InvitePreview' });

/** Input of `members.colleagues`. */
export const colleagueSearch = z.object({
  search: z.string().max(320).default('').describe('A part of the email address.'),
});

/** Output of `members.colleagues`: what each member may see of the others. */
export const colleagueList = z.object({
  colleagues: z
    .array(z.object({ user_id: z.string(), name: z.string().describe('The email address.') }))
    .describe('Active members without the caller, in the order of their names; at most 20.'),
});

export type UserRow = z.infer<typeof userRow>;
export type Role = z.infer<typeof role>;
export type PasswordResetLink = z.infer<typeof passwordResetLink>;
export type InviteRecord = z.infer<typeof inviteRecord>;
export type InviteStatus = InviteRecord['status'];
export type CreatedInvite = z.infer<typeof createdInvite>;
export type InviteCreateRequest = z.infer<typeof inviteCreateRequest>;
export type InvitePreview = z.infer<typeof invitePreview>;
