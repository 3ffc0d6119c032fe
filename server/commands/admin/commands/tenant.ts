import { z } from 'zod';
import { AppError } from '#server/errors.ts';
import { operatorAtServer } from '#server/identity/audit/audit-log.ts';
import { endSessions as end } from '#server/identity/members/operator-commands.ts';
import type { WorkspaceView } from '#server/operations/schema.ts';
import { viewWorkspace } from '#server/operations/workspace.ts';
import { defineCommand, emailAddress, Refusal, tenantId } from '../command.ts';
import { byteSize, facts, jsonLine, named, table } from '../printing.ts';

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
