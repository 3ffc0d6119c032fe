import { z } from 'zod';
import { adminProcedure, tenantNotFound } from '#server/access/service.ts';
import { listPage, readTenant } from '#server/tenants/service.ts';
import { userRow } from '../schema.ts';
import { listMembers } from '../service.ts';

export const list = adminProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/auth/users',
      tag: 'Members',
      summary: 'List the members of a tenant',
      description:
        'The operator key names the tenant with tenant_id, an operator session may; anybody else sees its own roster. Oldest first; while there are more, X-Next-Cursor carries the next cursor.',
    },
  })
  .input(
    z.object({
      tenant_id: z.string().optional(),
      include_revoked: z.boolean().default(false),
      ...listPage,
    }),
  )
  .output(z.array(userRow))
  .query(async ({ ctx, input }) => {
    const { tenant_id: named, include_revoked: includeRevoked, limit, cursor } = input;
    const missing = 'tenant_id query parameter is required with API-key access';
    const page = await ctx.withNamedTenant({ named, foreign: 'ignored', missing }, async (tx, tenantId) => {
      const [members, tenant] = await Promise.all([
        listMembers(tx, tenantId, { includeRevoked, limit, cursor }),
        readTenant(tx, tenantId),
      ]);
      if (!tenant) throw tenantNotFound();
      return members;
    });
    if (page.nextCursor) ctx.response.setHeader('X-Next-Cursor', page.nextCursor);
    return page.users;
  });
