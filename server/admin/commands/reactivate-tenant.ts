import { z } from 'zod';
import { reactivateTenant as reactivate } from '#server/tenants/service.ts';
import { defineCommand } from '../command.ts';
import { tenantId } from '../inputs.ts';
import { named } from '../tenant-text.ts';

export const reactivateTenant = defineCommand({
  summary: 'Lets a deactivated tenant go on with the key that it had; its members sign in anew.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, changed } = await reactivate(database, tenant_id);
    yield changed
      ? `${named(account)} is active again.`
      : `${named(account)} is active already; nothing was changed.`;
  },
});
