import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import {
  endSessions,
  inviteByOperator,
  restoreAdministrator,
} from '#server/identity/members/operator-commands.ts';
import { createdInvite, role } from '#server/identity/members/schema.ts';
import { listKeys, revokeKeys, revokeOneKey, rotateKey } from '#server/identity/tenants/operator-commands.ts';
import { tenantAccount } from '#server/identity/tenants/schema.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { scheduleAnonymization } from '#server/retention/anonymize-member.ts';
import { account, command, emailAddress, ofTenant, outcome, type Server, tenantId } from './command.ts';

const ofMember = z.object({ tenant_id: tenantId, email: emailAddress });

/**
 * Adds the keys that a mail with a link needs. A missing key is not created: the service would not know it.
 * @throws SettingsError if mail is on and the key is missing
 */
async function withKeys({ settings, database }: Server) {
  const secretsKeys = isMailOn(settings) ? await loadSecretsKeys(settings, { make: false }) : null;
  return { settings, database, secretsKeys };
}

const noMember = (tenantId: string, email: string) =>
  new AppError(
    'not_found',
    `${tenantId} has no member ${email}; to create an invite: npm run admin -- invite ${tenantId} --email ${email}`,
  );

export const accessCommands = {
  'api-keys': command('Lists the API keys of a tenant that are not revoked.')
    .input(ofTenant)
    .output(
      z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          scopes: z.string(),
          prefix: z.string(),
          created_at: z.string(),
          last_used_at: z.string().nullable(),
          expires_at: z.string().nullable(),
        }),
      ),
    )
    .query(async ({ ctx, input }) =>
      (await listKeys(ctx.database, input.tenant_id)).map((key) => ({
        id: key.keyId,
        name: key.name,
        scopes: key.scope,
        prefix: key.prefix,
        created_at: key.createdAt.toISOString(),
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
        expires_at: key.expiresAt?.toISOString() ?? null,
      })),
    ),

  'rotate-key': command(
    'Rotates the workspace key of a tenant and prints the new one, only once. The old key stops working immediately.',
    { secret: 'api_key' },
  )
    .input(ofTenant)
    .output(
      tenantAccount.pick({ id: true, name: true, api_key_prefix: true }).extend({ api_key: z.string() }),
    )
    .mutation(async ({ ctx, input }) => {
      const { account, apiKey } = await rotateKey(ctx.database, input.tenant_id);
      return { ...account, api_key: apiKey };
    }),

  'revoke-key': command(
    'Revokes all API keys of a tenant, or one of them; rotate-key creates a new workspace key.',
  )
    .input(
      z.object({
        tenant_id: tenantId,
        key: z
          .string()
          .min(1)
          .max(64)
          .optional()
          .describe('Only the key with this ID; api-keys lists the IDs.'),
      }),
    )
    .output(outcome)
    .mutation(async ({ ctx, input: { tenant_id, key } }) => {
      if (key !== undefined) {
        const { account } = await revokeOneKey(ctx.database, tenant_id, key);
        return { ...account, changed: true };
      }
      const { account, changed } = await revokeKeys(ctx.database, tenant_id);
      return { ...account, changed };
    }),

  'restore-admin': command(
    'Makes a member an active administrator again, and prints a link to set a new password. The link works once, and ends all sessions. A member of the identity provider gets none.',
    { secret: 'reset_url' },
  )
    .input(
      ofMember.extend({
        reset_mfa: z.boolean().default(false).describe('Also removes the authenticator app of the member.'),
      }),
    )
    .output(
      outcome.extend({
        email: z.string(),
        mfa_reset: z.boolean(),
        expires_at: z.string().nullable(),
        reset_url: z.string().nullable(),
      }),
    )
    .mutation(async ({ ctx, input: { tenant_id, email, reset_mfa: clearMfa } }) => {
      const restored = await restoreAdministrator(await withKeys(ctx), tenant_id, email, { clearMfa });
      if (!restored) throw noMember(tenant_id, email);
      const { account, changed, mfaCleared, link } = restored;
      return {
        ...account,
        ...{ email, changed, mfa_reset: mfaCleared },
        expires_at: link?.expires_at ?? null,
        reset_url: link?.reset_url ?? null,
      };
    }),

  invite: command('Creates an invite to a tenant, even one without an administrator, and prints its token.', {
    secret: 'invite_token',
  })
    .input(
      z.object({
        tenant_id: tenantId,
        email: emailAddress.optional().describe('The only email address that may redeem the invite.'),
        role: role.default('global_administrator').describe('The role of the new member.'),
      }),
    )
    .output(
      account.extend(
        createdInvite.pick({ email: true, role: true, expires_at: true, invite_token: true }).shape,
      ),
    )
    .mutation(async ({ ctx, input: { tenant_id, email = null, role: invitedAs } }) => {
      const request = { email, role: invitedAs };
      const { account, invite } = await inviteByOperator(await withKeys(ctx), tenant_id, request);
      return { ...invite, ...account };
    }),

  'anonymize-member': command(
    'Revokes a member. In a few minutes, a worker replaces the email address with the member’s ID everywhere; decisions stay. Cannot be undone.',
  )
    .input(ofMember)
    .output(account.extend({ user_id: z.string() }))
    .mutation(async ({ ctx, input: { tenant_id, email } }) => {
      const scheduled = await scheduleAnonymization(ctx.database, tenant_id, email);
      if (!scheduled) throw new AppError('not_found', `${tenant_id} has no member ${email}`);
      return { ...scheduled.account, user_id: scheduled.userId };
    }),

  'end-sessions': command(
    'Ends all sessions of a tenant’s members, or of one member. They can sign in again.',
  )
    .input(
      z.object({
        tenant_id: tenantId,
        email: emailAddress.optional().describe('Only the sessions of this member.'),
      }),
    )
    .output(account.extend({ sessions: z.int() }))
    .mutation(async ({ ctx, input: { tenant_id, email } }) => {
      const { account, sessions } = await endSessions(ctx.database, tenant_id, email);
      return { ...account, sessions };
    }),
};
