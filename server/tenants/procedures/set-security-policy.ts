import { adminProcedure } from '#server/access/service.ts';
import { securityPolicyRequest, tenantAccount } from '../schema.ts';
import { setSecurityPolicy as setPolicy } from '../service.ts';

export const setSecurityPolicy = adminProcedure
  .meta({
    route: {
      method: 'PATCH',
      path: '/api/tenants/security',
      tag: 'Tenants',
      summary: "Set a tenant's security policy",
      description: 'A toggle that is left out stays as it is. An operator names the tenant with tenant_id.',
      query: ['tenant_id'],
    },
  })
  .input(securityPolicyRequest)
  .output(tenantAccount)
  .mutation(({ ctx, input }) => setPolicy(ctx, ctx.withNamedTenant, input));
