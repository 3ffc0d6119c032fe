import { z } from 'zod';
import { tenantProcedure } from '#server/access/service.ts';
import { translationJob } from '../schema.ts';
import { getJob } from '../service.ts';
import { viewFor } from '../tenant-view.ts';

export const get = tenantProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/translations/{job_id}',
      tag: 'Translations',
      summary: 'Get a translation job',
    },
  })
  .input(z.object({ job_id: z.string() }))
  .output(translationJob)
  .query(async ({ ctx, input }) =>
    viewFor(ctx.audience)(await getJob(ctx.tx, ctx.principal.tenant.id, input.job_id)),
  );
