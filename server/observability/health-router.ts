import { z } from 'zod';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { router } from '#server/trpc.ts';

const healthStatus = z
  .object({
    status: z.literal('ok').describe('Always `ok` while the service responds.'),
    stub_mode: z
      .object({
        translator: z
          .boolean()
          .describe('True if no model is connected, so that translations only repeat the source text.'),
        refiner: z.boolean().describe('True if no model is connected, so that quality scores are made up.'),
      })
      .describe('Whether the stub engine runs instead of a model. Both fields have the same value.'),
    live_services: z
      .boolean()
      .describe('Whether a model is connected. If false, the deployment does not translate.'),
  })
  .meta({
    id: 'HealthStatus',
    description: 'Whether the service responds, and whether a model is connected.',
  });

/** Reports only that the process is alive. Does not check the database. */
const health = publicProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/healthz',
      tag: 'System',
      summary: 'Check whether the service responds',
      description: 'Requires no credential and ignores the API version. Does not check the database.',
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
