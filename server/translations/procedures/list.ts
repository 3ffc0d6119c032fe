import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { listQuery, translationJob } from '../schema.ts';
import { listJobs } from '../service.ts';
import { viewFor } from '../tenant-view.ts';

export const list = tenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/translations',
      tag: 'Translations',
      summary: 'List translation jobs',
      description: 'Newest updated_at first. While there is more, X-Next-Cursor carries the next cursor.',
    },
  })
  .input(listQuery)
  .output(z.array(translationJob))
  .query(async ({ ctx, input }) => {
    const { jobs, nextCursor } = await listJobs(ctx.tx, ctx.principal.tenant.id, input);
    if (nextCursor) ctx.response.setHeader('X-Next-Cursor', nextCursor);
    return jobs.map(viewFor(ctx.audience));
  });
