import { z } from 'zod';
import { operatorAtServer } from '#server/identity/audit/audit-log.ts';
import { revokeKey as revoke, rotateKey as rotate } from '#server/identity/tenants/operator-commands.ts';
import { defineCommand, tenantId } from '../command.ts';
import { named } from '../printing.ts';

export const rotateKey = defineCommand({
  summary:
    'Rotates the API key of a tenant and prints the new one, only once. The old key stops working immediately.',
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
  summary: 'Revokes the API key of a tenant; rotate-key creates a new one.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, changed } = await revoke(database, tenant_id, operatorAtServer);
    yield changed
      ? `API key of ${named(account)} revoked.`
      : `${named(account)} has no API key; nothing was changed.`;
  },
});
