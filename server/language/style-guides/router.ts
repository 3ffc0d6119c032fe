import { z } from 'zod';
import { deferredTenantAdminProcedure, tenantProcedure } from '#server/identity/access/guards/tenant.ts';
import { router } from '#server/trpc.ts';
import { deleteGuide, getGuide, listGuides, saveGuide } from './guides.ts';
import { deleteInput, guideInput, saveInput, styleGuide, styleGuideList } from './schema.ts';

/** The style guides of a workspace. No procedure has a route, so only /trpc serves them. */
export const styleGuidesRouter = router({
  list: tenantProcedure('read')
    .output(styleGuideList)
    .query(async ({ ctx: { tx, principal } }) => ({ guides: await listGuides(tx, principal.tenant.id) })),

  get: tenantProcedure('read')
    .input(guideInput)
    .output(styleGuide)
    .query(({ ctx: { tx, principal }, input }) => getGuide(tx, principal.tenant.id, input.target_lang)),

  save: deferredTenantAdminProcedure('admin')
    .input(saveInput)
    .output(styleGuide)
    .mutation(({ ctx, input }) => saveGuide(ctx, ctx.withTenant, input)),

  delete: deferredTenantAdminProcedure('admin')
    .input(deleteInput)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteGuide(ctx, ctx.withTenant, input)),
});
