import { z } from 'zod';
import { revokeKey as revoke } from '#server/tenants/service.ts';
import { defineCommand } from '../command.ts';
import { tenantId } from '../inputs.ts';
import { named } from '../tenant-text.ts';

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
