import { adminProcedure, noStore } from '#server/access/service.ts';
import { createdInvite, inviteCreateRequest } from '../schema.ts';
import { createInvite as create } from '../service.ts';

export const createInvite = adminProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/tenants/invites',
      tag: 'Invites',
      summary: 'Invite somebody into a tenant',
      description:
        'The answer carries the invite token, this once; nobody is e-mailed. A tenant holds at most 20 pending invites.',
      query: ['tenant_id'],
    },
  })
  .use(noStore)
  .input(inviteCreateRequest)
  .output(createdInvite)
  .mutation(({ ctx, input }) => create(ctx, ctx.withNamedTenant, ctx.services.settings, input));
