import { z } from 'zod';
import { revokeKey as revoke, rotateKey as rotate } from '#server/identity/tenants/operator-commands.ts';
import { defineCommand, tenantId } from '../command.ts';
import { named } from '../printing.ts';

export const rotateKey = defineCommand({
  summary:
    'Replaces the API key of a tenant and prints the new one, only once. The old key is refused at once.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, apiKey } = await rotate(database, tenant_id);
    yield `The key of ${named(account)} is replaced; the old one is refused from now on. The new key, which is shown only once:`;
    yield apiKey;
  },
});

export const revokeKey = defineCommand({
  summary: 'Removes the API key of a tenant; rotate-key creates a new one.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, changed } = await revoke(database, tenant_id);
    yield changed
      ? `The key of ${named(account)} is revoked.`
      : `${named(account)} has no key; nothing was changed.`;
  },
});
