import { z } from 'zod';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { operatorAtServer } from '#server/identity/audit/audit-log.ts';
import { type Administrators, administratorsOf } from '#server/identity/members/operator-commands.ts';
import { listTenants } from '#server/identity/tenants/accounts.ts';
import {
  deactivateTenant as deactivate,
  reactivateTenant as reactivate,
  setAllowance as set,
} from '#server/identity/tenants/operator-commands.ts';
import { maxMonthlyLimit, type TenantAccount } from '#server/identity/tenants/schema.ts';
import { setStorageCap as setCap } from '#server/storage/usage.ts';
import { defineCommand, tenantId, wholeNumber } from '../command.ts';
import { columns, jsonLine, named } from '../printing.ts';

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
        page.accounts.map(({ id }) => id),
      );
      for (const account of page.accounts)
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
