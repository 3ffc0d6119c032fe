import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { pageOf, setListQuery } from '#server/paging.ts';
import { memorySet } from '../schema.ts';
import { listSets } from '../service.ts';

export const list = tenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tm',
      tag: 'Translation memory',
      summary: 'List the sets',
      description:
        'Newest updated_at first, all of them where no limit is given. While there is more, X-Next-Cursor carries the next cursor.',
    },
  })
  .input(setListQuery)
  .output(z.array(memorySet))
  .query(async ({ ctx, input }) => {
    const { items, nextCursor } = pageOf(await listSets(ctx.tx, ctx.principal.tenant.id), input);
    if (nextCursor) ctx.response.setHeader('X-Next-Cursor', nextCursor);
    return items;
  });
