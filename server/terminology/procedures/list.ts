import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { pageOf, setListQuery } from '#server/paging.ts';
import { terminologySet } from '../schema.ts';
import { listSets } from '../service.ts';

export const list = tenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/terminology',
      tag: 'Terminology',
      summary: 'List the glossaries',
      description:
        'Newest updated_at first, all of them where no limit is given. While there is more, X-Next-Cursor carries the next cursor.',
    },
  })
  .input(setListQuery)
  .output(z.array(terminologySet))
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = pageOf(await listSets(ctx.tx, ctx.principal.tenant.id), input);
    if (nextCursor) ctx.response.setHeader('X-Next-Cursor', nextCursor);
    return items;
  });
