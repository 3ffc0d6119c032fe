import {
  deferredTenantAdminProcedure,
  provedTenantAdminProcedure,
} from '#server/identity/access/guards/tenant.ts';
import { detailInWords, router } from '#server/trpc.ts';
import { engineView, removeEngine, saveEngine, testEngine } from './own-engine.ts';
import { engineKey, engineRemoval, engineRequest, engineTest, workspaceEngine } from './schema.ts';
import { selectEngine } from './workspace-engines.ts';

export const enginesRouter = router({
  /** Returns the engine that the workspace uses with its own key. */
  get: deferredTenantAdminProcedure('admin')
    .output(workspaceEngine)
    .query(({ ctx }) =>
      ctx.withTenant(async (tx, principal) => engineView(await selectEngine(tx, principal.tenant.id))),
    ),

  /** Replaces it. Without `api_key`, the stored key is kept. */
  save: provedTenantAdminProcedure('admin')
    .use(detailInWords)
    .input(engineRequest)
    .output(workspaceEngine)
    .mutation(({ ctx, input }) => saveEngine(ctx.services, ctx, ctx.withTenant, input)),

  /** Removes it with its key, so that the engines of the deployment translate. */
  remove: provedTenantAdminProcedure('admin')
    .use(detailInWords)
    .input(engineRemoval)
    .output(workspaceEngine)
    .mutation(({ ctx, input }) => removeEngine(ctx.services, ctx, ctx.withTenant, input)),

  /** Translates a short text with a key, or with the stored one. Stores nothing. */
  test: deferredTenantAdminProcedure('admin')
    .use(detailInWords)
    .input(engineKey)
    .output(engineTest)
    .mutation(({ ctx, input }) => testEngine(ctx.services, ctx.withTenant, input)),
});
