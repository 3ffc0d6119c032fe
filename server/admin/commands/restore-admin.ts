import { z } from 'zod';
import { restoreAdministrator } from '#server/members/service.ts';
import { defineCommand, Refusal } from '../command.ts';
import { emailAddress, tenantId } from '../inputs.ts';
import { inactiveNote, named } from '../tenant-text.ts';

export const restoreAdmin = defineCommand({
  summary: 'Makes a member an active administrator again, and prints a link to set a new password.',
  parameters: ['tenant_id', 'email'],
  options: { 'reset-mfa': { type: 'boolean', summary: 'clear the authenticator, too' } },
  input: z.object({
    tenant_id: tenantId,
    email: emailAddress,
    'reset-mfa': z.boolean().default(false),
  }),
  async *run(server, { tenant_id, email, 'reset-mfa': clearMfa }) {
    const restored = await restoreAdministrator(server, tenant_id, email, { clearMfa });
    if (!restored)
      throw new Refusal(
        `${tenant_id} has no member ${email}; to let somebody in: npm run admin -- invite ${tenant_id} --email ${email}`,
      );
    const { account, changed, mfaCleared, link } = restored;
    yield `${email} is an active administrator of ${named(account)}${changed ? '' : ', and was one already'}.`;
    if (mfaCleared) yield 'The authenticator is cleared.';
    yield* inactiveNote(account);
    if (!link) {
      yield 'This member signs in by the identity provider: there is no password to set.';
      return;
    }
    yield `A link to set a new password, good once and until ${link.expires_at}, which signs out everywhere else:`;
    yield link.reset_url;
  },
});
