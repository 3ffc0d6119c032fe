import { noStore, operatorProcedure } from '#server/access/service.ts';
import { provisionedTenant, tenantAccountCreate } from '../schema.ts';
import { provisionTenant } from '../service.ts';

export const create = operatorProcedure('tenant provisioning is operator-only')
  .meta({
    route: {
      method: 'POST',
      path: '/api/tenants',
      tag: 'Tenants',
      summary: 'Provision a tenant',
      description: 'For platform operators. The answer carries the tenant API key, this once.',
    },
  })
  .use(noStore)
  .input(tenantAccountCreate)
  .output(provisionedTenant)
  .mutation(async ({ ctx, input }) => provisionTenant(ctx.services, ctx, await ctx.asOperator(), input));
