import { z } from 'zod';
import { operatorAtServer } from '#server/identity/audit/audit-log.ts';
import {
  listKeys,
  revokeKeys,
  revokeOneKey,
  rotateKey as rotate,
} from '#server/identity/tenants/operator-commands.ts';
import { defineCommand, tenantId } from '../command.ts';
import { columns, named } from '../printing.ts';

const titles = ['id', 'name', 'scopes', 'prefix', 'created_at', 'last_used_at', 'expires_at'] as const;

export const apiKeys = defineCommand({
  summary: 'Lists the API keys of a tenant that are not revoked.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    yield columns(titles);
    for (const key of await listKeys(database, tenant_id))
      yield columns([
        key.keyId,
        key.name,
        key.scope,
        key.prefix,
        key.createdAt.toISOString(),
        key.lastUsedAt?.toISOString() ?? '',
        key.expiresAt?.toISOString() ?? '',
      ]);
  },
});

export const rotateKey = defineCommand({
  summary:
    'Rotates the workspace key of a tenant and prints the new one, only once. The old key stops working immediately.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, apiKey } = await rotate(database, tenant_id, operatorAtServer);
    yield `API key of ${named(account)} rotated; the old one no longer works. The new key, shown only once:`;
    yield apiKey;
  },
});

export const revokeKey = defineCommand({
  summary: 'Revokes all API keys of a tenant, or one of them; rotate-key creates a new workspace key.',
  parameters: ['tenant_id'],
  options: { key: { type: 'string', value: 'key_id', summary: 'only this key; api-keys lists the IDs' } },
  input: z.object({ tenant_id: tenantId, key: z.string().min(1).max(64).optional() }),
  async *run({ database }, { tenant_id, key }) {
    if (key !== undefined) {
      const { account, revoked } = await revokeOneKey(database, tenant_id, key, operatorAtServer);
      yield `API key ${JSON.stringify(revoked.name)} (${revoked.prefix}) of ${named(account)} revoked.`;
      return;
    }
    const { account, changed } = await revokeKeys(database, tenant_id, operatorAtServer);
    yield changed
      ? `All API keys of ${named(account)} revoked.`
      : `${named(account)} has no API key; nothing was changed.`;
  },
});
