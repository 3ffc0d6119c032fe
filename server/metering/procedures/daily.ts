import { z } from 'zod';
import { adminProcedure } from '#server/access/service.ts';
import { reportDaily } from '../reports/daily.ts';
import { calendarDate, dailyUsage } from '../schema.ts';

export const daily = adminProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/tenants/usage/daily',
      tag: 'Usage',
      summary: 'Usage per day',
      description:
        'Days in UTC, both ends counted, 366 at most; the last 30 where nothing is said. An administrator sees its own tenant, characters only; an operator the tenant that it names, or the sum over all, with tokens.',
    },
  })
  .input(
    z.object({
      from: calendarDate.optional(),
      to: calendarDate.optional(),
      tenant_id: z.string().optional(),
    }),
  )
  .output(dailyUsage)
  .query(({ ctx, input }) => reportDaily(ctx, input));
