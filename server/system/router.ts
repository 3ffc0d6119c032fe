import { z } from 'zod';
import { publicProcedure } from '#server/access/guards/authenticate.ts';
import { router } from '#server/trpc.ts';

const healthStatus = z
  .object({
    status: z.literal('ok'),
    stub_mode: z.object({ translator: z.boolean(), refiner: z.boolean() }),
    live_services: z.boolean(),
  })
  .meta({ id: 'HealthStatus' });

/** A 1 rule 5: liveness only; it says nothing of the database. */
const health = publicProcedure
  .meta({
    route: { method: 'GET', path: '/healthz', tag: 'System', summary: 'Liveness', versioned: false },
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
