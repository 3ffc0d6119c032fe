import { z } from 'zod';
import { inviteByOperator, role } from '#server/members/service.ts';
import { defineCommand } from '../command.ts';
import { emailAddress, tenantId } from '../inputs.ts';
import { inactiveNote, named } from '../tenant-text.ts';

export const invite = defineCommand({
  summary: 'Invites somebody into a tenant, whose administrators may all be gone; prints the invite token.',
  parameters: ['tenant_id'],
  options: {
    email: { type: 'string', value: 'address', summary: 'only this address may use it' },
    role: {
      type: 'string',
      value: 'role',
      summary: `${role.options.join(' or ')}; global_administrator unless it is given`,
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
    const { account, invite: created } = await inviteByOperator(server, tenant_id, {
      email,
      role: invitedAs,
    });
    yield* inactiveNote(account);
    const holder = email ?? 'whoever holds it';
    yield `An invite for ${holder} into ${named(account)} as ${created.role}, good once and until ${created.expires_at}:`;
    yield created.invite_token;
  },
});
