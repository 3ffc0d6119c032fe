import { isTenantId } from '#db/client.ts';
import {
  type Administrator,
  operatorProcedure,
  tenantNotFound,
} from '#server/identity/access/guards/admin.ts';
import type { ActingOperator, Origin } from '#server/identity/audit/audit-log.ts';
import { endSessions } from '#server/identity/members/operator-commands.ts';
import {
  deactivateTenant,
  reactivateTenant,
  revokeKeys,
  rotateKey,
  setAllowance,
} from '#server/identity/tenants/operator-commands.ts';
import { rotatedKey } from '#server/identity/tenants/schema.ts';
import { setStorageCap } from '#server/storage/usage.ts';
import { router } from '#server/trpc.ts';
import { viewEngines } from './engines.ts';
import { viewModels } from './models.ts';
import { retryBackgroundJobs, viewQueue } from './queue.ts';
import {
  allowanceRequest,
  changed,
  endedSessions,
  endSessionsRequest,
  enginesView,
  modelsView,
  queueView,
  retried,
  retryRequest,
  storageCapRequest,
  storageView,
  workspaceRequest,
  workspaceView,
} from './schema.ts';
import { viewStorage } from './storage.ts';
import { viewWorkspace } from './workspace.ts';

const refusal = 'only platform operators can operate the deployment';
const operator = operatorProcedure(refusal);
const provedOperator = operatorProcedure(refusal, { needsProof: true });

interface OperatorContext extends Origin {
  credentials: { tenantId: string | null };
  asOperator(): Promise<Administrator>;
}

/** Authenticates the operator, who can act on the whole deployment. */
async function operatorOf(ctx: OperatorContext): Promise<ActingOperator> {
  return { admin: await ctx.asOperator(), origin: ctx };
}

/**
 * Authenticates the operator for one workspace. X-Tenant-ID limits every credential to that workspace.
 * @throws AppError 404
 */
async function operatorIn(ctx: OperatorContext, tenantId: string): Promise<ActingOperator> {
  const by = await operatorOf(ctx);
  if (!isTenantId(tenantId) || (ctx.credentials.tenantId ?? tenantId) !== tenantId) throw tenantNotFound();
  return by;
}

/** Procedures for the operators' pages only. They have no route, so only /trpc serves them. */
export const operationsRouter = router({
  queue: operator.output(queueView).query(async ({ ctx }) => {
    await ctx.asOperator();
    return viewQueue(ctx.services.database);
  }),

  retry: operator
    .input(retryRequest)
    .output(retried)
    .mutation(async ({ ctx, input: { job_id: jobId, task } }) => {
      const by = await operatorOf(ctx);
      const selection = jobId !== undefined ? { jobId } : { task: task ?? '' };
      return { retried: await retryBackgroundJobs(ctx.services.database, selection, by) };
    }),

  workspace: operator
    .input(workspaceRequest)
    .output(workspaceView)
    .query(async ({ ctx, input }) => {
      await operatorIn(ctx, input.tenant_id);
      return viewWorkspace(ctx.services, input.tenant_id);
    }),

  deactivate: operator
    .input(workspaceRequest)
    .output(changed)
    .mutation(async ({ ctx, input: { tenant_id } }) => {
      const by = await operatorIn(ctx, tenant_id);
      return { changed: (await deactivateTenant(ctx.services.database, tenant_id, by)).changed };
    }),

  reactivate: provedOperator
    .input(workspaceRequest)
    .output(changed)
    .mutation(async ({ ctx, input: { tenant_id } }) => {
      const by = await operatorIn(ctx, tenant_id);
      return { changed: (await reactivateTenant(ctx.services.database, tenant_id, by)).changed };
    }),

  setAllowance: operator
    .input(allowanceRequest)
    .output(changed)
    .mutation(async ({ ctx, input: { tenant_id, monthly_char_limit: limit } }) => {
      const by = await operatorIn(ctx, tenant_id);
      return { changed: (await setAllowance(ctx.services.database, tenant_id, limit, by)).changed };
    }),

  setStorageCap: operator
    .input(storageCapRequest)
    .output(changed)
    .mutation(async ({ ctx, input: { tenant_id, cap_bytes: cap } }) => {
      const by = await operatorIn(ctx, tenant_id);
      return { changed: (await setStorageCap(ctx.services.database, tenant_id, cap, by)) !== cap };
    }),

  endSessions: operator
    .input(endSessionsRequest)
    .output(endedSessions)
    .mutation(async ({ ctx, input: { tenant_id, email } }) => {
      const by = await operatorIn(ctx, tenant_id);
      return { sessions: (await endSessions(ctx.services.database, tenant_id, email, by)).sessions };
    }),

  revokeKey: operator
    .input(workspaceRequest)
    .output(changed)
    .mutation(async ({ ctx, input: { tenant_id } }) => {
      const by = await operatorIn(ctx, tenant_id);
      return { changed: (await revokeKeys(ctx.services.database, tenant_id, by)).changed };
    }),

  rotateKey: provedOperator
    .input(workspaceRequest)
    .output(rotatedKey)
    .mutation(async ({ ctx, input: { tenant_id } }) => {
      const by = await operatorIn(ctx, tenant_id);
      const { account, apiKey } = await rotateKey(ctx.services.database, tenant_id, by);
      return { api_key: apiKey, api_key_prefix: account.api_key_prefix };
    }),

  models: operator.output(modelsView).query(async ({ ctx }) => {
    await ctx.asOperator();
    return viewModels(ctx.services);
  }),

  engines: operator.output(enginesView).query(async ({ ctx }) => {
    await ctx.asOperator();
    return viewEngines(ctx.services);
  }),

  storage: operator.output(storageView).query(async ({ ctx }) => {
    await ctx.asOperator();
    return viewStorage(ctx.services);
  }),
});
