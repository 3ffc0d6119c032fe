import {
  deferredTenantAdminProcedure,
  provedTenantAdminProcedure,
} from '#server/identity/access/guards/tenant.ts';
import { detailInWords, router } from '#server/trpc.ts';
import { engineView, removeEngine, saveEngine, testEngine } from './own-engine.ts';
import { engineKey, engineRequest, engineTest, workspaceEngine } from './schema.ts';
import { selectEngine } from './workspace-engines.ts';

const path = '/api/engine';
const tag = 'Engines';

export const enginesRouter = router({
  get: deferredTenantAdminProcedure('admin')
    .meta({
      route: {
        method: 'GET',
        path,
        tag,
        summary: "Read the workspace's own engine",
        description:
          'Returns the engine that the workspace uses with its own key. The key itself is never returned.',
      },
    })
    .output(workspaceEngine)
    .query(({ ctx }) =>
      ctx.withTenant(async (tx, principal) => engineView(await selectEngine(tx, principal.tenant.id))),
    ),

  save: provedTenantAdminProcedure('admin')
    .use(detailInWords)
    .meta({
      route: {
        method: 'PUT',
        path,
        tag,
        summary: "Store the workspace's own engine",
        description:
          'From now on, this engine translates all texts and documents of the workspace, in place of the engines of the deployment. Send the complete engine; fields that are omitted get their defaults, but without `api_key`, the stored key is kept. The key is stored encrypted.',
      },
    })
    .input(engineRequest)
    .output(workspaceEngine)
    .mutation(({ ctx, input }) => saveEngine(ctx.services, ctx, ctx.withTenant, input)),

  remove: provedTenantAdminProcedure('admin')
    .meta({
      route: {
        method: 'DELETE',
        path,
        tag,
        summary: "Remove the workspace's own engine",
        description:
          'Removes the engine and its key, so that the engines of the deployment translate. Within a minute, no process uses the key any more.',
      },
    })
    .output(workspaceEngine)
    .mutation(({ ctx }) => removeEngine(ctx.services, ctx, ctx.withTenant)),

  test: deferredTenantAdminProcedure('admin')
    .use(detailInWords)
    .meta({
      route: {
        method: 'POST',
        path: `${path}/test`,
        tag,
        summary: 'Test a key',
        description:
          'Translates a short text with the key, or with the stored key if `api_key` is omitted. Stores nothing. If the test fails, the response still has status 200, and `result` has the reason.',
      },
    })
    .input(engineKey)
    .output(engineTest)
    .mutation(({ ctx, input }) => testEngine(ctx.services, ctx.withTenant, input)),
});
