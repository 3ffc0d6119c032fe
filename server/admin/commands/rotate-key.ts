import { z } from 'zod';
import { rotateKey as rotate } from '#server/tenants/service.ts';
import { defineCommand } from '../command.ts';
import { tenantId } from '../inputs.ts';
import { named } from '../tenant-text.ts';

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
