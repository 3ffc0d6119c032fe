import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { operatorAtServer } from '#server/identity/audit/audit-log.ts';
import {
  type Administrators,
  administratorsOf,
  endSessions as end,
} from '#server/identity/members/operator-commands.ts';
import { listTenants } from '#server/identity/tenants/accounts.ts';
import {
  deactivateTenant as deactivate,
  reactivateTenant as reactivate,
  setAllowance as set,
} from '#server/identity/tenants/operator-commands.ts';
import { maxMonthlyLimit, type TenantAccount } from '#server/identity/tenants/schema.ts';
import type { WorkspaceView } from '#server/operations/schema.ts';
import { viewWorkspace } from '#server/operations/workspace.ts';
import { setStorageCap as setCap } from '#server/storage/usage.ts';
import { defineCommand, emailAddress, Refusal, tenantId, wholeNumber } from '../command.ts';
import { byteSize, columns, facts, jsonLine, named, table } from '../printing.ts';

export const tenant = defineCommand({
  summary: 'Shows one tenant: allowance, storage, API key, members with sessions, and the latest failures.',
  parameters: ['tenant_id'],
  options: { json: { type: 'boolean', summary: 'one JSON object' } },
  input: z.object({ tenant_id: tenantId, json: z.boolean().default(false) }),
  async *run(server, { tenant_id, json }) {
    const view = await viewWorkspace(server, tenant_id).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found')
        throw new Refusal(`unknown tenant: ${tenant_id}`);
      throw error;
    });
    if (json) yield jsonLine(view);
    else yield* [...summaryOf(view), ...membersOf(view), ...failuresOf(view)];
  },
});

function summaryOf(view: WorkspaceView): string[] {
  const { allowance, topup, storage } = view;
  const limit = storage.bytes_allowed === null ? 'no cap' : `of ${byteSize(storage.bytes_allowed)}`;
  const binding = storage.binding_status === null ? '' : `, ${storage.binding_status}`;
  const state = view.active ? 'active' : 'deactivated';
  return facts([
    ['id', view.id],
    ['name', JSON.stringify(view.name)],
    ['created', view.created_at],
    ['state', view.deletion_due_at === null ? state : `${state}, deletion due ${view.deletion_due_at}`],
    ...(view.subscription === null
      ? []
      : ([['plan', `${view.plan ?? 'none'}, subscription ${view.subscription}`]] as const)),
    [
      'allowance',
      `${allowance.limit} characters: ${allowance.used} used, ${allowance.reserved} reserved, ${allowance.remaining} remaining`,
    ],
    ['top-up', `${topup.purchased} characters bought, ${topup.balance} remaining`],
    [
      'storage',
      `${storage.provider}${binding}: ${byteSize(storage.bytes_used)} ${limit}, ${storage.objects} files`,
    ],
    [
      'workspace key',
      view.api_key_prefix === null
        ? 'none'
        : `${view.api_key_prefix}…${view.api_key_since === null ? '' : ` since ${view.api_key_since}`}`,
    ],
  ]);
}

function membersOf({ members, members_total: total }: WorkspaceView): string[] {
  if (members.length === 0) return ['', 'No members.'];
  const rows = members.map(({ email, role, active, sessions, last_used_at: used }) => [
    email,
    role,
    active ? 'active' : 'revoked',
    sessions,
    used ?? '-',
  ]);
  const more = total - members.length;
  return [
    '',
    ...table(['member', 'role', 'state', 'sessions', 'last_used'], rows),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function failuresOf({ failures }: WorkspaceView): string[] {
  if (failures.length === 0) return ['', 'No failed texts or documents.'];
  const rows = failures.map(({ failed_at: at, kind, id, reason }) => [at, kind, id, reason ?? '-']);
  return ['', ...table(['failed_at', 'kind', 'id', 'reason'], rows)];
}

export const endSessions = defineCommand({
  summary: 'Ends all sessions of a tenant’s members, or of one member. They can sign in again.',
  parameters: ['tenant_id'],
  options: { email: { type: 'string', value: 'address', summary: 'only the sessions of this member' } },
  input: z.object({ tenant_id: tenantId, email: emailAddress.optional() }),
  async *run({ database }, { tenant_id, email }) {
    const { account, sessions } = await end(database, tenant_id, email, operatorAtServer);
    yield `${sessions} ${sessions === 1 ? 'session' : 'sessions'} of ${email ?? 'all members'} in ${named(account)} ended.`;
  },
});

const titles = [
  'id',
  'name',
  'active',
  'key_prefix',
  'monthly_char_limit',
  'administrators',
  'created_at',
] as const;

const pageSize = 100;

export const tenants = defineCommand({
  summary: 'Lists the tenants, latest first, with their active administrators (of many, the first 20).',
  parameters: [],
  options: { json: { type: 'boolean', summary: 'one JSON object per line' } },
  input: z.object({ json: z.boolean().default(false) }),
  async *run({ database }, { json }) {
    if (!json) yield columns(titles);
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const page = await listTenants({ database }, (work) => work(serverAdministrator, null), null, {
        limit: pageSize,
        cursor,
      });
      const administrators = await administratorsOf(
        database,
        page.content.map(({ id }) => id),
      );
      for (const account of page.content)
        yield (json ? asJson : asColumns)(
          account,
          administrators.get(account.id) ?? { emails: [], total: 0 },
        );
      cursor = page.nextCursor;
    }
  },
});

function asJson(account: TenantAccount, { emails, total }: Administrators): string {
  const { metadata: _metadata, ...shown } = account;
  return jsonLine({ ...shown, administrators: emails, administrators_total: total });
}

function asColumns(account: TenantAccount, { emails, total }: Administrators): string {
  const { id, name, active, api_key_prefix, monthly_char_limit, created_at } = account;
  const more = total > emails.length ? [`and ${total - emails.length} more`] : [];
  const administrators = [...emails, ...more].join(', ') || '-';
  return columns([id, name, active, api_key_prefix || '-', monthly_char_limit, administrators, created_at]);
}

export const deactivateTenant = defineCommand({
  summary:
    'Deactivates a tenant: rejects all its credentials from the next request on, and ends its members’ sessions.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, changed } = await deactivate(database, tenant_id, operatorAtServer);
    yield changed
      ? `${named(account)} is deactivated: its API key is rejected, and its members are signed out.`
      : `${named(account)} is already deactivated; nothing was changed.`;
  },
});

export const reactivateTenant = defineCommand({
  summary: 'Reactivates a tenant with its previous API key; its members must sign in again.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, changed } = await reactivate(database, tenant_id, operatorAtServer);
    yield changed
      ? `${named(account)} is active again.`
      : `${named(account)} is already active; nothing was changed.`;
  },
});

export const setAllowance = defineCommand({
  summary: 'Sets the monthly allowance of a tenant, in weighted source characters.',
  parameters: ['tenant_id', 'characters'],
  options: {},
  input: z.object({ tenant_id: tenantId, characters: wholeNumber(1, maxMonthlyLimit) }),
  async *run({ database }, { tenant_id, characters }) {
    const { account, from, changed } = await set(database, tenant_id, characters, operatorAtServer);
    yield changed
      ? `The monthly allowance of ${named(account)} is ${characters} characters; it was ${from}.`
      : `The monthly allowance of ${named(account)} is already ${from} characters; nothing was changed.`;
  },
});

const storedCap = z
  .string()
  .regex(/^(default|none|[1-9]\d{0,14})$/, 'must be a number of bytes above 0, "none" or "default"')
  .transform((given) => (given === 'default' ? null : given === 'none' ? 0 : Number(given)));

const capInWords = (cap: number | null) =>
  cap === null ? 'the cap of the deployment' : cap === 0 ? 'no cap' : `${cap} bytes`;

export const setStorageCap = defineCommand({
  summary:
    'Sets the storage cap of a tenant’s documents: a number of bytes, "none", or "default" for the deployment’s cap.',
  parameters: ['tenant_id', 'bytes'],
  options: {},
  input: z.object({ tenant_id: tenantId, bytes: storedCap }),
  async *run({ database }, { tenant_id, bytes }) {
    const from = await setCap(database, tenant_id, bytes, operatorAtServer);
    yield from === bytes
      ? `Tenant ${tenant_id} already has ${capInWords(from)}; nothing was changed.`
      : `Tenant ${tenant_id} now has ${capInWords(bytes)}; it had ${capInWords(from)}.`;
  },
});
