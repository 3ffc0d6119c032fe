import { z } from 'zod';
import { adminProcedure } from '#server/access/service.ts';
import { jobDeletion } from '../schema.ts';
import { removeJob } from '../service.ts';

export const deleteJob = adminProcedure
  .meta({
    route: {
      method: 'DELETE',
      path: '/api/translations/{job_id}',
      tag: 'Translations',
      summary: 'Delete a job with its records',
      description:
        "For an administrator's session of the job's tenant or the operator key, never for a tenant's API key. Usage records stay.",
    },
  })
  .input(z.object({ job_id: z.string() }))
  .output(jobDeletion)
  .mutation(({ ctx, input }) => removeJob(ctx.services, ctx.withOwningTenant, input.job_id));
