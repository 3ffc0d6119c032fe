import { found, invite } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import {
  adminRefusals,
  asAdmin,
  asCookie,
  asForeignPageWithCookie,
  asNobody,
  asOperator,
  type Cases,
  crossSite,
  noContent,
  noId,
  withoutCookie,
} from './case.ts';

const missing = 'tenant_id query parameter is required with API-key access';
const named = ({ founder }: ContractFixture) => ({ tenant_id: founder.tenantId });
const foreign = ({ neighbour }: ContractFixture) => ({ tenant_id: neighbour.tenantId });
const pending = async ({ app, founder }: ContractFixture) => ({
  invite_id: (await invite(app, founder)).invite_id,
});

/** A workspace that holds all the invites it may. */
async function fullWorkspace({ app }: ContractFixture) {
  const founder = await found(app);
  for (let count = 0; count < 20; count++) await invite(app, founder);
  return { input: {}, headers: founder.bearer };
}

export const inviteCases: Cases = {
  'members.createInvite': [
    { name: 'invites', status: 200, ask: asAdmin() },
    {
      name: 'invites somebody as something for some days',
      status: 200,
      ask: asAdmin({ email: 'Ida@Example.org', role: 'global_administrator', expires_in_days: 30 }),
    },
    { name: 'the operator names the tenant', status: 200, ask: asOperator(named) },
    {
      name: 'by the cookie',
      status: 200,
      ask: asCookie(),
      rpc: withoutCookie('admin credentials required'),
    },
    { name: 'the operator names none', status: 400, detail: missing, ask: asOperator() },
    { name: 'the tenant is foreign', status: 404, detail: 'tenant not found', ask: asAdmin(foreign) },
    {
      name: 'the tenant is none',
      status: 404,
      detail: 'tenant not found',
      ask: asOperator({ tenant_id: noId }),
    },
    { name: '20 are pending', status: 409, ask: fullWorkspace },
    { name: 'the role is none', status: 422, ask: asAdmin({ role: 'root' }) },
    { name: 'the address is none', status: 422, ask: asAdmin({ email: 'nobody' }) },
    { name: 'the days are too many', status: 422, ask: asAdmin({ expires_in_days: 31 }) },
    {
      name: 'another site’s page sends it with the member’s cookie',
      status: 403,
      detail: crossSite,
      ask: asForeignPageWithCookie(),
    },
    ...adminRefusals(),
  ],
  'members.listInvites': [
    { name: 'lists a page', status: 200, ask: asAdmin({ limit: 1 }) },
    { name: 'the operator names the tenant', status: 200, ask: asOperator(named) },
    { name: 'the operator names none', status: 400, detail: missing, ask: asOperator() },
    { name: 'the tenant is foreign', status: 404, detail: 'tenant not found', ask: asAdmin(foreign) },
    { name: 'the limit is out of range', status: 422, ask: asAdmin({ limit: 1001 }) },
    { name: 'the cursor is none', status: 422, ask: asAdmin({ cursor: 'zzz' }) },
    ...adminRefusals(),
  ],
  'members.withdrawInvite': [
    { name: 'withdraws', status: 204, ask: asAdmin(pending), rpc: noContent },
    {
      name: 'the operator names the tenant',
      status: 204,
      ask: asOperator(async (fixture) => ({ ...named(fixture), ...(await pending(fixture)) })),
      rpc: noContent,
    },
    {
      name: 'the operator names none',
      status: 400,
      detail: missing,
      ask: asOperator({ invite_id: noId }),
    },
    { name: 'there is no such invite', status: 404, ask: asAdmin({ invite_id: noId }) },
    {
      name: 'the invite is foreign',
      status: 404,
      detail: 'invite not found',
      ask: async (fixture) => ({ input: await pending(fixture), headers: fixture.neighbour.bearer }),
    },
    ...adminRefusals({ invite_id: noId }),
  ],
  'members.previewInvite': [
    {
      name: 'is usable',
      status: 200,
      ask: asNobody(async ({ app, founder }) => ({
        invite_token: (await invite(app, founder)).invite_token,
      })),
    },
    { name: 'is not usable', status: 200, ask: asNobody({ invite_token: 'x.y' }) },
    { name: 'there is none', status: 422, ask: asNobody() },
    { name: 'it is no text', status: 422, ask: asNobody({ invite_token: 5 }) },
  ],
};
