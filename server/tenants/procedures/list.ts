import { z } from 'zod';
import { adminProcedure } from '#server/access/service.ts';
import { listPage, tenantAccount } from '../schema.ts';
import { listTenants } from '../service.ts';

export const list = adminProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tenants',
      tag: 'Tenants',
      summary: 'List tenants',
      description:
        'An operator sees all tenants, an administrator its own. Newest first; while there are more, X-Next-Cursor carries the next cursor.',
    },
  })
  .input(z.object(listPage))
  .output(z.array(tenantAccount))
  .query(async ({ ctx, input }) => {
    const { services, credentials, asAdministrator, response: answer } = ctx;
    const page = await listTenants(services, asAdministrator, credentials.tenantId, input);
    if (page.nextCursor) answer.setHeader('X-Next-Cursor', page.nextCursor);
    return page.accounts;
  });
