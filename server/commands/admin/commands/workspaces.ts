import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { auditActions, readEvents } from '#server/identity/audit/audit-log.ts';
import { administratorsOf } from '#server/identity/members/operator-commands.ts';
import { listTenants } from '#server/identity/tenants/accounts.ts';
import {
  deactivateTenant,
  reactivateTenant,
  setAllowance,
} from '#server/identity/tenants/operator-commands.ts';
import { maxMonthlyLimit, type TenantAccount, tenantAccount } from '#server/identity/tenants/schema.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { workspaceView } from '#server/operations/schema.ts';
import { viewWorkspace } from '#server/operations/workspace.ts';
import { setStorageCap } from '#server/storage/usage.ts';
import { command, moment, ofTenant, outcome, type Server, tenantId, tenantIdOrNone } from './command.ts';

const pageSize = 100;

async function* allTenants(database: Server['database']): AsyncGenerator<TenantAccount[]> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const query = { limit: pageSize, cursor };
    const page = await listTenants({ database }, (work) => work(serverAdministrator, null), null, query);
    yield page.content;
    cursor = page.nextCursor;
  }
}

const tenantListing = tenantAccount.omit({ metadata: true }).extend({
  administrators: z.array(z.string()),
  administrators_total: z.int(),
});

const tenants = command(
  'Lists the tenants, latest first, with their active administrators (of many, the first 20).',
)
  .output(z.array(tenantListing))
  .query(async ({ ctx: { database } }) => {
    const listed: z.infer<typeof tenantListing>[] = [];
    for await (const page of allTenants(database)) {
      const known = await administratorsOf(
        database,
        page.map(({ id }) => id),
      );
      for (const tenant of page) {
        const { emails = [], total = 0 } = known.get(tenant.id) ?? {};
        listed.push({ ...tenant, administrators: emails, administrators_total: total });
      }
    }
    return listed;
  });

const tenant = command(
  'Shows one tenant: allowance, storage, API key, members with sessions, and the latest failures.',
)
  .input(ofTenant)
  .output(workspaceView)
  .query(async ({ ctx, input: { tenant_id: id } }) => {
    if (!(await isKnown(ctx, id))) throw unknownTenant(id);
    return viewWorkspace(ctx, id);
  });

const isKnown = ({ database }: Server, id: string) =>
  database.inTenant(id, async (tx) => (await readTenant(tx, id)) !== undefined);

const unknownTenant = (id: string) => new AppError('not_found', `unknown tenant: ${id}`);

const capError = 'must be a number of bytes above 0, "none" or "default"';

const storedCap = z
  .union(
    [
      z.literal('default').transform(() => null),
      z.literal('none').transform(() => 0),
      z.int(capError).min(1, capError).max(999_999_999_999_999, capError),
    ],
    { error: capError },
  )
  .describe('Bytes, "none", or "default" for the cap of the deployment.');

const event = z.object({
  recorded_at: z.string(),
  event_id: z.string(),
  tenant_id: z.string().nullable(),
  action: z.string(),
  actor_kind: z.string(),
  actor_id: z.string().nullable(),
  target: z.string().nullable(),
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  details: z.unknown(),
});

const audit = command(
  'Prints the audit log, latest event first: events of all tenants, and those without a tenant.',
)
  .input(
    z.object({
      tenant: tenantIdOrNone.optional().describe("Events of this tenant; '' for those without a tenant."),
      action: z
        .enum(auditActions, { error: 'is not a recorded action' })
        .optional()
        .describe('Only events of this action, such as api_key_rotated.'),
      since: moment.optional().describe('Events since this time: 2026-07-31, or 2026-07-31T09:00:00Z.'),
      until: moment.optional().describe('Events before this time.'),
      limit: z.int().min(1).max(100_000).default(50).describe('Maximum number of events.'),
    }),
  )
  .output(z.array(event))
  .query(async ({ ctx, input: { tenant: id, ...query } }) => {
    const events: z.infer<typeof event>[] = [];
    for await (const row of readEvents(ctx.database, { ...query, tenantId: id }))
      events.push({
        recorded_at: row.recordedAt.toISOString(),
        event_id: row.eventId,
        tenant_id: row.tenantId || null,
        action: row.action,
        actor_kind: row.actorKind,
        actor_id: row.actorId,
        target: row.target,
        address: row.address,
        request_id: row.requestId,
        details: row.details,
      });
    // A mistyped ID must not look like a tenant without events.
    if (events.length === 0 && id && !(await isKnown(ctx, id))) throw unknownTenant(id);
    return events;
  });

export const workspaceCommands = {
  tenants,
  tenant,

  'deactivate-tenant': command(
    'Deactivates a tenant: rejects all its credentials from the next request on, and ends its members’ sessions.',
  )
    .input(ofTenant)
    .output(outcome)
    .mutation(async ({ ctx, input }) => {
      const { account, changed } = await deactivateTenant(ctx.database, input.tenant_id);
      return { ...account, changed };
    }),

  'reactivate-tenant': command(
    'Reactivates a tenant with its previous API key; its members must sign in again.',
  )
    .input(ofTenant)
    .output(outcome)
    .mutation(async ({ ctx, input }) => {
      const { account, changed } = await reactivateTenant(ctx.database, input.tenant_id);
      return { ...account, changed };
    }),

  'set-allowance': command('Sets the monthly allowance of a tenant, in weighted source characters.')
    .input(z.object({ tenant_id: tenantId, characters: z.int().min(1).max(maxMonthlyLimit) }))
    .output(outcome.extend({ monthly_char_limit: z.int(), previous: z.int() }))
    .mutation(async ({ ctx, input: { tenant_id, characters } }) => {
      const { account, from, changed } = await setAllowance(ctx.database, tenant_id, characters);
      return { ...account, changed, previous: from };
    }),

  'set-storage-cap': command('Sets the storage cap of a tenant’s documents.')
    .input(z.object({ tenant_id: tenantId, bytes: storedCap }))
    .output(
      z.object({
        cap_bytes: z.number().nullable().describe('0 for no cap, null for the cap of the deployment.'),
        previous_bytes: z.number().nullable(),
        changed: z.boolean(),
      }),
    )
    .mutation(async ({ ctx, input: { tenant_id, bytes } }) => {
      const from = await setStorageCap(ctx.database, tenant_id, bytes);
      return { cap_bytes: bytes, previous_bytes: from, changed: from !== bytes };
    }),

  audit,
};
