import { z } from 'zod';
import { inviteByOperator, restoreAdministrator } from '#server/identity/members/operator-commands.ts';
import { role } from '#server/identity/members/schema.ts';
import { loadSecretsKeys } from '#server/platform/encryption.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { scheduleAnonymization } from '#server/retention/anonymize-member.ts';
import { defineCommand, emailAddress, Refusal, type Server, tenantId } from '../command.ts';
import { inactiveNote, named } from '../printing.ts';

/**
 * Adds the keys that a mail with a link needs. A missing key is not created: the service would not know it.
 * @throws SettingsError if mail is on and the key is missing
 */
async function withKeys({ settings, database }: Server) {
  const secretsKeys = isMailOn(settings) ? await loadSecretsKeys(settings, { make: false }) : null;
  return { settings, database, secretsKeys };
}

export const restoreAdmin = defineCommand({
  summary: 'Makes a member an active administrator again, and prints a link to set a new password.',
  parameters: ['tenant_id', 'email'],
  options: { 'reset-mfa': { type: 'boolean', summary: 'also remove the authenticator app of the member' } },
  input: z.object({
    tenant_id: tenantId,
    email: emailAddress,
    'reset-mfa': z.boolean().default(false),
  }),
  async *run(server, { tenant_id, email, 'reset-mfa': clearMfa }) {
    const restored = await restoreAdministrator(await withKeys(server), tenant_id, email, { clearMfa });
    if (!restored)
      throw new Refusal(
        `${tenant_id} has no member ${email}; to create an invite: npm run admin -- invite ${tenant_id} --email ${email}`,
      );
    const { account, changed, mfaCleared, link } = restored;
    yield `${email} is an active administrator of ${named(account)}${changed ? '' : ', and already was one'}.`;
    if (mfaCleared) yield 'The authenticator app was removed.';
    yield* inactiveNote(account);
    if (!link) {
      yield 'This member signs in with the identity provider and has no password to set.';
      return;
    }
    yield `A link to set a new password. It works once, until ${link.expires_at}, and ends all sessions:`;
    if (link.reset_url !== null) yield link.reset_url;
  },
});

export const anonymizeMember = defineCommand({
  summary:
    'Revokes a member, and replaces the email address with the member’s ID everywhere; decisions stay. Cannot be undone.',
  parameters: ['tenant_id', 'email'],
  options: {},
  input: z.object({ tenant_id: tenantId, email: emailAddress }),
  async *run({ database }, { tenant_id, email }) {
    const scheduled = await scheduleAnonymization(database, tenant_id, email);
    if (!scheduled) throw new Refusal(`${tenant_id} has no member ${email}`);
    yield `The access of ${email} to ${named(scheduled.account)} is revoked.`;
    yield `In a few minutes, a worker replaces the email address with ${scheduled.userId} everywhere.`;
  },
});

export const invite = defineCommand({
  summary: 'Creates an invite to a tenant, even one without an administrator, and prints its token.',
  parameters: ['tenant_id'],
  options: {
    email: { type: 'string', value: 'address', summary: 'only this email address may redeem the invite' },
    role: {
      type: 'string',
      value: 'role',
      summary: `${role.options.join(' or ')}; global_administrator by default`,
    },
  },
  input: z.object({
    tenant_id: tenantId,
    email: emailAddress.optional(),
    role: z
      .enum(role.options, { error: `must be ${role.options.join(' or ')}` })
      .default('global_administrator'),
  }),
  async *run(server, { tenant_id, email = null, role: invitedAs }) {
    const { account, invite: created } = await inviteByOperator(await withKeys(server), tenant_id, {
      email,
      role: invitedAs,
    });
    yield* inactiveNote(account);
    const holder = email ?? 'anyone with the token';
    yield `An invite for ${holder} into ${named(account)} as ${created.role}. It works once, until ${created.expires_at}:`;
    yield created.invite_token;
  },
});
