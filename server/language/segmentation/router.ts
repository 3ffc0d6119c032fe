import { z } from 'zod';
import { deferredTenantAdminProcedure } from '#server/identity/access/guards/tenant.ts';
import { router } from '#server/trpc.ts';
import { deleteSegmentation, getSegmentation, saveSegmentation } from './rules.ts';
import { deleteInput, saveInput, segmentation } from './schema.ts';

/** The segmentation rules of a workspace. No procedure has a route, so only /trpc serves them. */
export const segmentationRouter = router({
  get: deferredTenantAdminProcedure('admin')
    .output(segmentation)
    .query(({ ctx }) => getSegmentation(ctx.withTenant)),

  save: deferredTenantAdminProcedure('admin')
    .input(saveInput)
    .output(segmentation)
    .mutation(({ ctx, input }) => saveSegmentation(ctx, ctx.withTenant, input)),

  delete: deferredTenantAdminProcedure('admin')
    .input(deleteInput.prefault({}))
    .output(z.void())
    .mutation(({ ctx, input }) => deleteSegmentation(ctx, ctx.withTenant, input)),
});
