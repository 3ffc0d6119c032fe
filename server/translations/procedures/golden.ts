import { z } from 'zod';
import { deferredTenantOrCookieProcedure } from '#server/access/service.ts';
import { fileAnswer } from '#server/trpc.ts';
import { goldenTypes } from '../golden/render.ts';
import { goldenFormat } from '../schema.ts';
import { downloadGolden } from '../service.ts';

export const golden = deferredTenantOrCookieProcedure
  .meta({
    route: {
      method: 'GET',
      path: '/api/translations/{job_id}/golden',
      tag: 'Translations',
      summary: 'Download a published translation',
      description: 'Of a published or human_edited job; 409 at any other status.',
      download: Object.values(goldenTypes),
    },
  })
  .input(z.object({ job_id: z.string(), format: goldenFormat }))
  .output(fileAnswer)
  .query(({ ctx, input }) =>
    downloadGolden(ctx.services, ctx.withTenant, input.job_id, input.format, ctx.hungUp()),
  );
