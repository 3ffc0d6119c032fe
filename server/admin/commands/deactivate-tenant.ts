import { z } from 'zod';
import { deactivateTenant as deactivate } from '#server/tenants/service.ts';
import { defineCommand } from '../command.ts';
import { tenantId } from '../inputs.ts';
import { named } from '../tenant-text.ts';

export const deactivateTenant = defineCommand({
  summary: 'Refuses every credential of a tenant from the next request on, and signs its members out.',
  parameters: ['tenant_id'],
  options: {},
  input: z.object({ tenant_id: tenantId }),
  async *run({ database }, { tenant_id }) {
    const { account, changed } = await deactivate(database, tenant_id);
    yield changed
      ? `${named(account)} is deactivated: its key is refused, and its members are signed out.`
      : `${named(account)} is deactivated already; nothing was changed.`;
  },
});
