import { createWriteStream } from 'node:fs';
import { lstat, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { atTheServer } from '#server/identity/audit/audit-log.ts';
import { lockAccount } from '#server/identity/tenants/operator-commands.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import { deletionRecord, deletionView } from '#server/retention/deletion-run.ts';
import { policyOf, policyOfDeployment, retained, setRetention } from '#server/retention/retention-policy.ts';
import { cancelDeletion, listDeletions, scheduleDeletion } from '#server/retention/tenant-deletions.ts';
import { countRows } from '#server/retention/tenant-tables.ts';
import { maxRetentionDays, minUsageDays, minUsageDaysReason } from '#server/settings/kinds.ts';
import { exportRecord, exportView } from '#server/workspace-export/schema.ts';
import { listExports, readZip, startExport, takeExport } from '#server/workspace-export/tenant-exports.ts';
import { account, command, ofTenant, type Server, tenantId } from './command.ts';

/** Counts what the deletion of a tenant would delete. Objects in the tenant's own account are not counted. */
async function countDeletion({ database, settings }: Server, id: string) {
  const counted = await database.inTenant(id, async (tx) => {
    const tenant = await readTenant(tx, id);
    if (!tenant) throw new AppError('not_found', `unknown tenant: ${id}`);
    return { id, name: tenant.name, active: tenant.active, rows: await countRows(tx, id) };
  });
  let files = 0;
  for await (const _path of openPlatformStore(settings).walk(id)) files++;
  return { ...counted, due_at: null, files };
}

const days = z
  .union([z.literal('default').transform(() => null), z.int().min(1).max(maxRetentionDays)], {
    error: `must be "default" or a number of days from 1 to ${maxRetentionDays}`,
  })
  .optional();

const usageDays = days.refine((value) => typeof value !== 'number' || value >= minUsageDays, {
  error: minUsageDaysReason,
});

const kept = (what: string) => `Deletes ${what} after this number of days, or "default".`;

const retentionRequest = z
  .object({
    tenant_id: tenantId,
    jobs: days.describe(kept('finished text jobs')),
    documents: days.describe(kept('finished documents')),
    audit: days.describe(kept('audit events')),
    usage: usageDays.describe(kept('usage records')),
    invites: days.describe(kept('invites that were used, withdrawn or expired')),
    hold: z.boolean().optional().describe('Legal hold: nothing of the tenant is deleted by age.'),
    release: z.boolean().optional().describe('Ends the legal hold.'),
  })
  .refine(({ hold, release }) => !hold || !release, {
    error: 'and --release exclude each other',
    path: ['hold'],
  });

const retentionView = account.extend({
  hold: z.boolean(),
  retention: z.array(
    z.object({
      data: z.string(),
      deployment_days: z.int().nullable().describe('Null for data that is kept.'),
      tenant_days: z.int().nullable(),
    }),
  ),
});

/**
 * Saves the zip of an export. The file appears only when it is complete.
 * @throws AppError 409 for a device or a link, such as /dev/stdout, which the file would replace
 */
async function saveExport({ database, settings }: Server, tenantId: string, exportId: string, file: string) {
  if ((await lstat(file).catch(() => undefined))?.isFile() === false)
    throw new AppError('state_conflict', `${file} is not a file; choose another name`);
  const row = await database.inTenant(tenantId, async (tx) => {
    await lockAccount(tx, tenantId);
    return takeExport(tx, atTheServer, { tenantId, exportId, userId: null });
  });
  const partial = `${file}.unfinished-${process.pid}`;
  try {
    const output = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(readZip(openPlatformStore(settings), row), output);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw new AppError('state_conflict', `the export cannot be saved: ${(error as Error).message}`);
  }
}

export const dataCommands = {
  'delete-tenant': command(
    'Locks a tenant, and schedules the deletion of all its data; until then, cancel-deletion restores the tenant.',
  )
    .input(
      ofTenant.extend({
        after_days: z.int().min(0).max(3650).default(30).describe('The waiting period in days.'),
        dry_run: z.boolean().default(false).describe('Only counts what would be deleted.'),
      }),
    )
    .output(
      account.extend({
        due_at: z.string().nullable().describe('The end of the waiting period; null if nothing was changed.'),
        rows: z.record(z.string(), z.int()).optional().describe('Numbers of rows by table.'),
        files: z.int().optional().describe('Files in platform storage.'),
      }),
    )
    .mutation(async ({ ctx, input: { tenant_id, after_days: days, dry_run: isDry } }) => {
      if (isDry) return countDeletion(ctx, tenant_id);
      const { account, dueAt } = await scheduleDeletion(ctx.database, tenant_id, days);
      return { ...account, active: false, due_at: dueAt.toISOString() };
    }),

  'cancel-deletion': command(
    'Cancels the scheduled deletion of a tenant, which is active again if it was before. Its members must sign in again.',
  )
    .input(ofTenant)
    .output(account)
    .mutation(({ ctx, input }) => cancelDeletion(ctx.database, input.tenant_id)),

  deletions: command('Lists the scheduled, running and finished deletions of tenants, latest first.')
    .output(z.array(deletionRecord))
    .query(async ({ ctx }) => (await listDeletions(ctx.database)).map(deletionView)),

  'export-tenant': command(
    'Starts the export of all data of a tenant. A worker makes the zip; save-export saves it.',
  )
    .input(ofTenant)
    .output(z.object({ export_id: z.string() }))
    .mutation(async ({ ctx, input: { tenant_id: tenantId } }) => {
      const { exportId } = await ctx.database.inTenant(tenantId, (tx) =>
        startExport(tx, atTheServer, { tenantId, userId: null }),
      );
      return { export_id: exportId };
    }),

  exports: command('Lists the exports of a tenant, latest first.')
    .input(ofTenant)
    .output(z.array(exportRecord))
    .query(({ ctx, input: { tenant_id } }) =>
      ctx.database.inTenant(tenant_id, async (tx) => {
        await lockAccount(tx, tenant_id);
        return (await listExports(tx, tenant_id)).map(exportView);
      }),
    ),

  'save-export': command('Saves the zip of a finished export to a file.')
    .input(ofTenant.extend({ export_id: z.string(), file: z.string() }))
    .output(z.object({ file: z.string() }))
    .mutation(async ({ ctx, input: { tenant_id, export_id, file } }) => {
      await saveExport(ctx, tenant_id, export_id, file);
      return { file };
    }),

  'set-retention': command(
    'Sets how long the data of a tenant is kept: shorter than in the deployment, or longer by a legal hold.',
  )
    .input(retentionRequest)
    .output(retentionView)
    .mutation(async ({ ctx, input }) => {
      const { tenant_id, jobs, documents, audit, usage, invites, hold, release } = input;
      const { account, retention } = await setRetention(ctx.database, tenant_id, {
        ...(jobs !== undefined && { jobsDays: jobs }),
        ...(documents !== undefined && { documentsDays: documents }),
        ...(audit !== undefined && { auditDays: audit }),
        ...(usage !== undefined && { usageDays: usage }),
        ...(invites !== undefined && { invitesDays: invites }),
        ...((hold || release) && { hold: hold === true }),
      });
      const [deployment, own] = [policyOfDeployment(ctx.settings), policyOf(ctx.settings, retention)];
      return {
        ...account,
        hold: retention.hold,
        retention: retained.map((data) => ({
          data,
          deployment_days: deployment[data],
          tenant_days: own[data],
        })),
      };
    }),
};
