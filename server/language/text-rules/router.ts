import { deferredTenantAdminProcedure } from '#server/identity/access/guards/tenant.ts';
import { router } from '#server/trpc.ts';
import { getTextRules, saveTextRules, tryPatterns } from './rules.ts';
import { saveInput, textRules, tried, tryInput } from './schema.ts';

/** The names and placeholders of a workspace. No procedure has a route, so only /trpc serves them. */
export const textRulesRouter = router({
  get: deferredTenantAdminProcedure('admin')
    .output(textRules)
    .query(({ ctx }) => getTextRules(ctx.withTenant)),

  save: deferredTenantAdminProcedure('admin')
    .input(saveInput)
    .output(textRules)
    .mutation(({ ctx, input }) => saveTextRules(ctx, ctx.withTenant, input)),

  try: deferredTenantAdminProcedure('admin')
    .input(tryInput)
    .output(tried)
    .query(({ ctx, input }) => tryPatterns(ctx.withTenant, input)),
});
