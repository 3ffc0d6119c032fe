import { z } from 'zod';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { openPlatformStore } from '#server/platform/stores/platform-store.ts';
import type { TenantDeletion } from '#server/retention/deletion-run.ts';
import {
  policyOf,
  policyOfDeployment,
  type RetentionPolicy,
  retained,
  setRetention as set,
} from '#server/retention/retention-policy.ts';
import { deletionView, stateOf } from '#server/retention/schema.ts';
import {
  cancelDeletion as cancel,
  listDeletions,
  scheduleDeletion,
} from '#server/retention/tenant-deletions.ts';
import { countRows } from '#server/retention/tenant-tables.ts';
import { maxRetentionDays, minUsageDays, minUsageDaysReason } from '#server/setting-kinds.ts';
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

const days = z
  .union([z.literal('default').transform(() => null), wholeNumber(1, maxRetentionDays)], {
    error: `must be "default" or a number of days from 1 to ${maxRetentionDays}`,
  })
  .optional();

const usageDays = days.refine((value) => typeof value !== 'number' || value >= minUsageDays, {
  error: minUsageDaysReason,
});

const option = (what: string) =>
  ({ type: 'string', value: 'days', summary: `deletes ${what} after this time, or "default"` }) as const;

export const setRetention = defineCommand({
  summary:
    'Sets how long the data of a tenant is kept: shorter than in the deployment, or longer by a legal hold.',
  parameters: ['tenant_id'],
  options: {
    jobs: option('finished text jobs'),
    documents: option('finished documents'),
    audit: option('audit events'),
    usage: option('usage records'),
    invites: option('invites that were used, withdrawn or expired'),
    hold: { type: 'boolean', summary: 'legal hold: nothing of the tenant is deleted by age' },
    release: { type: 'boolean', summary: 'ends the legal hold' },
  },
  input: z.object({
    tenant_id: tenantId,
    jobs: days,
    documents: days,
    audit: days,
    usage: usageDays,
    invites: days,
    hold: z.boolean().optional(),
    release: z.boolean().optional(),
  }),
  async *run({ database, settings }, { tenant_id, jobs, documents, audit, usage, invites, hold, release }) {
    if (hold && release) throw new Refusal('--hold and --release exclude each other');
    const { account, retention } = await set(database, tenant_id, {
      ...(jobs !== undefined && { jobsDays: jobs }),
      ...(documents !== undefined && { documentsDays: documents }),
      ...(audit !== undefined && { auditDays: audit }),
      ...(usage !== undefined && { usageDays: usage }),
      ...(invites !== undefined && { invitesDays: invites }),
      ...((hold || release) && { hold: hold === true }),
    });
    yield `${named(account)} ${retention.hold ? 'has a legal hold: nothing is deleted by age.' : 'has no legal hold.'}`;
    const [deployment, own] = [policyOfDeployment(settings), policyOf(settings, retention)];
    yield columns(['data', 'deployment', 'this tenant']);
    for (const kind of retained) yield columns([kind, inWords(deployment, kind), inWords(own, kind)]);
  },
});

function inWords(policy: RetentionPolicy, kind: keyof RetentionPolicy): string {
  return policy[kind] === null ? 'kept' : `${policy[kind]} days`;
}
