import { z } from 'zod';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { router } from '#server/trpc.ts';

const healthStatus = z
  .object({
    status: z.literal('ok').describe('Always `ok` while the service responds.'),
    stub_mode: z
      .object({
        translator: z.boolean().describe('Whether translations only echo the source.'),
        refiner: z.boolean().describe('Whether quality scores are synthetic.'),
      })
      .describe('Both are true, or neither.'),
    live_services: z.boolean().describe('False: translations of this deployment are not real output.'),
  })
  .meta({
    id: 'HealthStatus',
    description: 'Liveness of the service, and whether its translations are real.',
  });

/** Reports only that the process is alive. Does not check the database. */
const health = publicProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/healthz',
      tag: 'System',
      summary: 'Liveness',
      description: 'Needs no credential and ignores the API version. It does not check the database.',
      versioned: false,
    },
  })
  .output(healthStatus)
  .query(({ ctx }) => {
    const { live } = ctx.services.engine;
    return {
      status: 'ok' as const,
      stub_mode: { translator: !live, refiner: !live },
      live_services: live,
    };
  });

export const systemRouter = router({ health });
