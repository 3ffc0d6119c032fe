import { z } from 'zod';
import { sendPage } from '#server/http/paging.ts';
import {
  adminProcedure,
  operatorProcedure,
  provedAdminProcedure,
} from '#server/identity/access/guards/admin.ts';
import { administratorSessionProcedure } from '#server/identity/access/guards/session.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { rotateOwnKey } from '#server/identity/auth/key-rotation.ts';
import { router } from '#server/trpc.ts';
import { listTenants, provisionTenant } from './accounts.ts';
import { generalSettingsProcedures } from './general-settings.ts';
import {
  keyRotationRequest,
  listPage,
  provisionedTenant,
  rotatedKey,
  securityPolicyRequest,
  tenantAccount,
  tenantAccountCreate,
} from './schema.ts';
import { setSecurityPolicy } from './security-policy.ts';

export const tenantsRouter = router({
  ...generalSettingsProcedures,
  create: operatorProcedure('tenant provisioning is operator-only', { needsProof: true })
    .meta({
      route: {
        method: 'POST',
        path: '/api/tenants',
        tag: 'Tenants',
        summary: 'Provision a tenant',
        description:
          'Only platform operators can create a tenant this way. Only this response contains the API key of the tenant.',
      },
    })
    .input(tenantAccountCreate)
    .output(provisionedTenant)
    .mutation(async ({ ctx, input }) => provisionTenant(ctx.services, ctx, await ctx.asOperator(), input)),

  list: adminProcedure
    .meta({
      route: {
        method: 'GET',
        path: '/api/tenants',
        tag: 'Tenants',
        summary: 'List tenants',
        paged: true,
        description:
          'Operators get all tenants, administrators only their own. Tenants are sorted by creation time, latest first. If there are more, X-Next-Cursor has the cursor of the next page.',
      },
    })
    .input(z.object(listPage))
    .output(z.array(tenantAccount))
    .query(async ({ ctx, input }) => {
      const { services, credentials, asAdministrator, response } = ctx;
      return sendPage(response, await listTenants(services, asAdministrator, credentials.tenantId, input));
    }),

  setSecurityPolicy: provedAdminProcedure
    .meta({
      route: {
        method: 'PATCH',
        path: '/api/tenants/security',
        tag: 'Tenants',
        summary: "Set a tenant's security policy",
        description: 'A setting that is omitted does not change. Operators name the tenant in tenant_id.',
        query: ['tenant_id'],
      },
    })
    .input(securityPolicyRequest)
    .output(tenantAccount)
    .mutation(({ ctx, input }) => setSecurityPolicy(ctx, ctx.withNamedTenant, input)),

  rotateKey: administratorSessionProcedure
    .use(rateLimited('key_rotation'))
    .input(keyRotationRequest)
    .output(rotatedKey)
    .mutation(({ ctx, input: { password, mfa_code = '' } }) => {
      const proof = password === undefined ? { mfaCode: mfa_code } : { password };
      return rotateOwnKey(ctx.services, ctx, ctx.asAdministrator, proof);
    }),
});
