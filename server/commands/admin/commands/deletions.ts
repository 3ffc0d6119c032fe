import { z } from 'zod';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import type { TenantDeletion } from '#server/retention/deletion-run.ts';
import { deletionView, stateOf } from '#server/retention/schema.ts';
import {
  cancelDeletion as cancel,
  listDeletions,
  scheduleDeletion,
} from '#server/retention/tenant-deletions.ts';
import { countRows } from '#server/retention/tenant-tables.ts';
import { defineCommand, Refusal, type Server, tenantId, wholeNumber } from '../command.ts';
import { columns, jsonLine, named } from '../printing.ts';

/** Days of the waiting period, unless the command has another number. */
const defaultDays = 30;

export const deleteTenant = defineCommand({
  summary:
    'Locks a tenant, and schedules the deletion of all its data; until then, cancel-deletion restores the tenant.',
  parameters: ['tenant_id'],
  options: {
    'after-days': {
      type: 'string',
      value: 'n',
      summary: `waiting period in days; ${defaultDays} by default`,
    },
    'dry-run': { type: 'boolean', summary: 'only counts what would be deleted' },
  },
  input: z.object({
    tenant_id: tenantId,
    'after-days': wholeNumber(0, 3650).default(defaultDays),
    'dry-run': z.boolean().default(false),
  }),
  async *run(server, { tenant_id, 'after-days': days, 'dry-run': isDry }) {
    if (isDry) {
      yield* countOf(server, tenant_id);
      return;
    }
    const { account, dueAt } = await scheduleDeletion(server.database, tenant_id, days);
    yield `${named(account)} is locked: its API key is rejected, and its members are signed out.`;
    yield `All its data will be deleted after ${dueAt.toISOString()}. Until then, cancel-deletion ${tenant_id} restores it.`;
  },
});

/** Counts what the deletion of a tenant would delete. Objects in the tenant's own account are not counted. */
async function* countOf({ database, settings }: Server, id: string): AsyncGenerator<string> {
  const rows = await database.inTenant(id, async (tx) => {
    if (!(await readTenant(tx, id))) throw new Refusal(`unknown tenant: ${id}`);
    return countRows(tx, id);
  });
  let files = 0;
  for await (const _path of openPlatformStore(settings).walk(id)) files++;
  yield columns(['what', 'count']);
  for (const [table, count] of Object.entries(rows)) yield columns([table, count]);
  yield columns(['files in platform storage', files]);
  yield 'Nothing was changed.';
}

export const cancelDeletion = defineCommand({
  summary: 'Cancels the scheduled deletion of a tenant. Its members must sign in again.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const account = await cancel(database, tenant_id);
    yield account.active
      ? `The deletion of ${named(account)} is canceled, and the tenant is active again.`
      : `The deletion of ${named(account)} is canceled. The tenant is deactivated, as it was before.`;
  },
});

export const deletions = defineCommand({
  summary: 'Lists the scheduled, running and finished deletions of tenants, latest first.',
  parameters: [],
  options: {
    json: { type: 'boolean', summary: 'one JSON object per line, with the number of rows of each table' },
  },
  input: z.object({ json: z.boolean().default(false) }),
  async *run({ database }, { json }) {
    const found = await listDeletions(database);
    if (!json && found.length > 0)
      yield columns(['id', 'state', 'due_at', 'finished_at', 'rows', 'files', 'left_in_account']);
    for (const deletion of found) yield json ? asJson(deletion) : asColumns(deletion);
    if (!json && found.length === 0) yield 'No deletions.';
  },
});

function asJson(deletion: TenantDeletion): string {
  const { name: _, ...view } = deletionView(deletion, null);
  return jsonLine(view);
}

function asColumns(deletion: TenantDeletion): string {
  const { tenantId, dueAt, finishedAt, progress } = deletion;
  const rows = Object.values(progress.rows).reduce((sum, count) => sum + count, 0);
  return columns([
    tenantId,
    stateOf(deletion),
    dueAt.toISOString(),
    finishedAt?.toISOString() ?? '-',
    rows,
    progress.objects + progress.accountObjects,
    progress.leftInAccount,
  ]);
}
