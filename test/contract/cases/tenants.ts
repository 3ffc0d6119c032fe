import { found, password } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import {
  adminRefusals,
  asAdmin,
  asCookie,
  asForeignPageWithCookie,
  asKey,
  asMember,
  asNobody,
  asOperator,
  type Cases,
  crossSite,
  noId,
  withoutCookie,
} from './case.ts';

const named = ({ founder }: ContractFixture) => ({ tenant_id: founder.tenantId });
const nowhere = { tenant_id: noId };
const noPolicy = { mfa_required: false };

export const tenantCases: Cases = {
  'tenants.create': [
    {
      name: 'provisions',
      status: 200,
      ask: asOperator({ name: 'New', monthly_char_limit: 900_000, metadata: { pay_tier: 'pro', own: 1 } }),
    },
    { name: 'the name is missing', status: 422, ask: asOperator() },
    { name: 'the limit is none', status: 422, ask: asOperator({ name: 'New', monthly_char_limit: 0 }) },
    ...adminRefusals({ name: 'New' }),
    {
      name: 'an administrator asks',
      status: 403,
      detail: 'tenant provisioning is operator-only',
      ask: asAdmin({ name: 'New' }),
    },
  ],
  'tenants.list': [
    { name: 'an administrator sees its own', status: 200, ask: asAdmin() },
    { name: 'the operator sees all, a page at a time', status: 200, ask: asOperator({ limit: 1 }) },
    {
      name: 'by the cookie',
      status: 200,
      ask: asCookie(),
      rpc: withoutCookie('admin credentials required'),
    },
    { name: 'the limit is out of range', status: 422, ask: asAdmin({ limit: 0 }) },
    { name: 'the cursor is none', status: 422, ask: asAdmin({ cursor: 'zzz' }) },
    ...adminRefusals(),
  ],
  'tenants.setSecurityPolicy': [
    {
      name: 'sets a toggle',
      status: 200,
      ask: async ({ app }) => ({
        input: { mfa_required_for_sso: true },
        headers: (await found(app)).bearer,
      }),
    },
    {
      name: 'the operator names the tenant',
      status: 200,
      ask: asOperator((fixture) => ({ ...named(fixture), ...noPolicy })),
    },
    {
      name: 'the operator names none',
      status: 400,
      detail: 'tenant_id query parameter is required for operators',
      ask: asOperator(noPolicy),
    },
    {
      name: 'the operator names a tenant that is none',
      status: 404,
      detail: 'tenant not found',
      ask: asOperator({ ...nowhere, ...noPolicy }),
    },
    {
      name: 'an administrator names a foreign tenant',
      status: 404,
      detail: 'tenant not found',
      ask: asAdmin(({ neighbour }) => ({ tenant_id: neighbour.tenantId, ...noPolicy })),
    },
    { name: 'it says nothing', status: 422, ask: asAdmin() },
    { name: 'a toggle is mistyped', status: 422, ask: asAdmin({ ...noPolicy, mfa_requird: true }) },
    { name: 'a toggle is no boolean', status: 422, ask: asAdmin({ mfa_required: 'yes' }) },
    {
      name: 'another site’s page sends it with the member’s cookie',
      status: 403,
      detail: crossSite,
      ask: asForeignPageWithCookie(noPolicy),
    },
    ...adminRefusals(noPolicy),
    {
      name: 'nobody names a tenant',
      status: 401,
      ask: asNobody((fixture) => ({ ...named(fixture), ...noPolicy })),
    },
  ],
  'tenants.rotateKey': [
    {
      name: 'replaces the key',
      status: 200,
      ask: async ({ app }) => ({ input: { password }, headers: (await found(app)).bearer }),
    },
    { name: 'the password is wrong', status: 403, detail: 'wrong password', ask: asAdmin({ password: 'x' }) },
    {
      name: 'there is no authenticator',
      status: 409,
      detail: 'no authenticator is enrolled',
      ask: asAdmin({ mfa_code: '123456' }),
    },
    { name: 'it says nothing', status: 422, ask: asAdmin() },
    { name: 'a member asks', status: 403, detail: 'admin role required', ask: asMember({ password }) },
    { name: 'a key asks', status: 401, detail: 'missing bearer token', ask: asKey({ password }) },
    {
      name: 'the operator key asks',
      status: 401,
      detail: 'missing bearer token',
      ask: asOperator({ password }),
    },
    { name: 'nobody asks', status: 401, detail: 'missing bearer token', ask: asNobody({ password }) },
  ],
};
