import { z } from 'zod';
import { largestLimit, setAllowance as set } from '#server/tenants/service.ts';
import { defineCommand } from '../command.ts';
import { tenantId, wholeNumber } from '../inputs.ts';
import { named } from '../tenant-text.ts';

export const setAllowance = defineCommand({
  summary: 'Sets how many weighted source characters a tenant may use in a month.',
  parameters: ['tenant_id', 'characters'],
  options: {},
  input: z.object({ tenant_id: tenantId, characters: wholeNumber(1, largestLimit) }),
  async *run({ database }, { tenant_id, characters }) {
    const { account, from, changed } = await set(database, tenant_id, characters);
    yield changed
      ? `The monthly allowance of ${named(account)} is ${characters} characters; it was ${from}.`
      : `The monthly allowance of ${named(account)} is ${from} characters already; nothing was changed.`;
  },
});
