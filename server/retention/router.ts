import { z } from 'zod';
import { isTenantId } from '#db/client.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  type Administrator,
  operatorProcedure,
  tenantNotFound,
} from '#server/identity/access/guards/admin.ts';
import {
  asAdministratorSession,
  provedAdministratorSessionProcedure,
} from '#server/identity/access/guards/session.ts';
import { withProof } from '#server/identity/auth/reauthentication.ts';
import { readTenant, tenantsByIds } from '#server/identity/tenants/tenant-row.ts';
import { router } from '#server/trpc.ts';
import { anonymizeRevoked } from './anonymize-member.ts';
import {
  type DeletionPreview,
  deletionList,
  deletionPreview,
  deletionView,
  scheduleRequest,
} from './schema.ts';
import { cancelDeletion, listDeletions, scheduleDeletion } from './tenant-deletions.ts';
import { countRows } from './tenant-tables.ts';

/** Maximum number of rows of a table, and of files, that are counted. */
const maxCounted = 100_000;

/**
 * Counts what the deletion of a tenant would delete, and changes nothing. Objects in the tenant's own account are not
 * counted.
 * @throws AppError 404
 */
async function previewDeletion(
  { database, storage }: Pick<Services, 'database' | 'storage'>,
  tenantId: string,
): Promise<DeletionPreview> {
  const { tenant, rows } = await database.inTenant(tenantId, async (tx) => {
    const tenant = await readTenant(tx, tenantId);
    if (!tenant) throw tenantNotFound();
    return { tenant, rows: await countRows(tx, tenantId, maxCounted) };
  });
  let files = 0;
  for await (const _path of storage.walk(tenantId)) if (++files === maxCounted) break;
  return { tenant_id: tenantId, name: tenant.name, rows, files, max_counted: maxCounted };
}

/*
 * Procedures for the operator's page and the list of members. They have no route, so only /trpc serves them.
 */

const operator = operatorProcedure('only platform operators can delete workspaces');

const oneTenant = z.object({ tenant_id: z.string().max(100) });

/**
 * X-Tenant-ID limits every credential to that tenant.
 * @throws AppError 404, also for a text that cannot be the ID of a tenant, such as that of the platform's scope
 */
function requireTenantId({ credentials }: Pick<RequestContext, 'credentials'>, text: string): void {
  if (!isTenantId(text) || (credentials.tenantId ?? text) !== text) throw tenantNotFound();
}

const list = operator.output(deletionList).query(async ({ ctx }) => {
  await ctx.asOperator();
  const found = await listDeletions(ctx.services.database);
  const ids = found.map(({ tenantId }) => tenantId);
  const known = await ctx.services.database.inPlatform((tx) => tenantsByIds(tx, ids));
  const names = new Map(known.map(({ id, name }) => [id, name]));
  return { deletions: found.map((deletion) => deletionView(deletion, names.get(deletion.tenantId) ?? null)) };
});

const preview = operator
  .input(oneTenant)
  .output(deletionPreview)
  .query(async ({ ctx, input: { tenant_id: tenantId } }) => {
    await ctx.asOperator();
    requireTenantId(ctx, tenantId);
    return previewDeletion(ctx.services, tenantId);
  });

/**
 * A session must prove the operator's identity again, which someone with a stolen session cannot. The operator key is a
 * secret of the server, like the access to its commands.
 */
const schedule = operator
  .input(scheduleRequest)
  .output(z.object({ due_at: z.string() }))
  .mutation(
    async ({ ctx, input: { tenant_id: tenantId, name, after_days: days, mfa_code: mfaCode = '' } }) => {
      const { services } = ctx;
      const admin = await ctx.asOperator();
      requireTenantId(ctx, tenantId);
      requireOther(admin, tenantId);
      const tenant = await services.database.inTenant(tenantId, (tx) => readTenant(tx, tenantId));
      if (!tenant) throw tenantNotFound();
      if (tenant.name.trim() !== name.trim())
        throw new AppError('invalid_fields', [
          { loc: ['body', 'name'], msg: 'must be the name of the workspace', type: 'wrong_name' },
        ]);
      if (admin.user && !admin.operatorKey)
        await withProof(services, ctx, asAdministratorSession(ctx), { mfaCode }, async () => {});
      const { dueAt } = await scheduleDeletion(services.database, tenantId, days, { origin: ctx, admin });
      return { due_at: dueAt.toISOString() };
    },
  );

/** @throws AppError 409 for the workspace of the operators: no operator could sign in to cancel its deletion */
function requireOther({ tenant }: Administrator, tenantId: string): void {
  if (tenant?.id === tenantId)
    throw new AppError(
      'state_conflict',
      'you are signed in to this workspace; delete it with delete-tenant on the server',
    );
}

const cancel = operator
  .input(oneTenant)
  .output(z.object({ active: z.boolean().describe('Whether the workspace is active again.') }))
  .mutation(async ({ ctx, input: { tenant_id: tenantId } }) => {
    const admin = await ctx.asOperator();
    requireTenantId(ctx, tenantId);
    const { active } = await cancelDeletion(ctx.services.database, tenantId, { origin: ctx, admin });
    return { active };
  });

const anonymizeMember = provedAdministratorSessionProcedure
  .input(z.object({ user_id: z.string().max(200) }))
  .output(z.object({ user_id: z.string() }))
  .mutation(({ ctx, input: { user_id } }) =>
    ctx.asAdministrator(async (tx, principal) => {
      await anonymizeRevoked(tx, ctx, principal, ctx.services.settings, user_id);
      return { user_id };
    }),
  );

export const retentionRouter = router({
  anonymizeMember,
  cancelDeletion: cancel,
  listDeletions: list,
  previewDeletion: preview,
  scheduleDeletion: schedule,
});
