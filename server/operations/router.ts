import { isTenantId } from '#db/client.ts';
import { operatorProcedure, tenantNotFound } from '#server/identity/access/guards/admin.ts';
import { router } from '#server/trpc.ts';
import { viewEngines } from './engines.ts';
import { viewModels } from './models.ts';
import { retryBackgroundJobs, viewQueue } from './queue.ts';
import {
  enginesView,
  modelsView,
  queueView,
  retried,
  retryRequest,
  workspaceRequest,
  workspaceView,
} from './schema.ts';
import { viewWorkspace } from './workspace.ts';

const operator = operatorProcedure('only platform operators can operate the deployment');

/**
 * Procedures for the operators' pages only. They have no route, so only /trpc serves them. Commands on the server change a
 * workspace.
 */
export const operationsRouter = router({
  queue: operator.output(queueView).query(async ({ ctx }) => {
    await ctx.asOperator();
    return viewQueue(ctx.services.database);
  }),

  retry: operator
    .input(retryRequest)
    .output(retried)
    .mutation(async ({ ctx, input: { job_id: jobId, task } }) => {
      const by = { admin: await ctx.asOperator(), origin: ctx };
      const selection = jobId !== undefined ? { jobId } : { task: task ?? '' };
      return { retried: await retryBackgroundJobs(ctx.services.database, selection, by) };
    }),

  workspace: operator
    .input(workspaceRequest)
    .output(workspaceView)
    .query(async ({ ctx, input: { tenant_id: tenantId } }) => {
      await ctx.asOperator();
      // X-Tenant-ID limits every credential to that workspace.
      const { tenantId: only } = ctx.credentials;
      if (!isTenantId(tenantId) || (only ?? tenantId) !== tenantId) throw tenantNotFound();
      return viewWorkspace(ctx.services, tenantId);
    }),

  models: operator.output(modelsView).query(async ({ ctx }) => {
    await ctx.asOperator();
    return viewModels(ctx.services);
  }),

  engines: operator.output(enginesView).query(async ({ ctx }) => {
    await ctx.asOperator();
    return viewEngines(ctx.services);
  }),
});
