import { z } from 'zod';
import { adminProcedure } from '#server/access/service.ts';
import { listPage } from '#server/tenants/service.ts';
import { inviteRecord } from '../schema.ts';
import { listInvites as list } from '../service.ts';

export const listInvites = adminProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tenants/invites',
      tag: 'Invites',
      summary: "List a tenant's invites",
      description:
        'Newest first, whatever became of them. While there are more, X-Next-Cursor carries the next cursor.',
    },
  })
  .input(z.object({ tenant_id: z.string().optional(), ...listPage }))
  .output(z.array(inviteRecord))
  .query(async ({ ctx, input }) => {
    const { invites, nextCursor } = await list(ctx.withNamedTenant, input);
    if (nextCursor) ctx.response.setHeader('X-Next-Cursor', nextCursor);
    return invites;
  });
