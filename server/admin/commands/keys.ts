import { z } from 'zod';
import { revokeKey as revoke, rotateKey as rotate } from '#server/tenants/operator-commands.ts';
import { defineCommand, tenantId } from '../command.ts';
import { named } from '../printing.ts';

export const rotateKey = defineCommand({
  summary: 'Gives a tenant a new key, printed this once; the old one is dead at once.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, apiKey } = await rotate(database, tenant_id);
    yield `The key of ${named(account)} is replaced, and the old one refused from now on. The new one, shown this once:`;
    yield apiKey;
  },
});

export const revokeKey = defineCommand({
  summary: 'Takes the key of a tenant away, at once; rotate-key gives it a new one.',
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
