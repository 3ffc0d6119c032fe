import { z } from 'zod';
import { adminProcedure } from '#server/access/service.ts';
import { withdrawInvite as withdraw } from '../service.ts';

export const withdrawInvite = adminProcedure
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/tenants/invites/{invite_id}',
      tag: 'Invites',
      summary: 'Withdraw a pending invite',
      status: 204,
    },
  })
  .input(z.object({ invite_id: z.string(), tenant_id: z.string().optional() }))
  .output(z.void())
  .mutation(({ ctx, input }) => withdraw(ctx, ctx.withNamedTenant, input.tenant_id, input.invite_id));
