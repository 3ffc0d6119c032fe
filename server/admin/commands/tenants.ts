import { z } from 'zod';
import { serverAdministrator } from '#server/access/service.ts';
import { type Administrators, administratorsOf } from '#server/members/service.ts';
import { listTenants, type TenantAccount } from '#server/tenants/service.ts';
import { defineCommand } from '../command.ts';
import { columns, jsonLine } from '../printing.ts';

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
  summary: 'Lists the tenants, newest first, with their active administrators (of many, the first 20).',
  parameters: [],
  options: { json: { type: 'boolean', summary: 'one JSON object a line' } },
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
