import { found, invite, join, type Person, revoke } from '../../factories.ts';
import type { ContractFixture } from '../fixture.ts';
import {
  adminRefusals,
  asAdmin,
  asCookie,
  asForeignPageWithCookie,
  asNobody,
  asOperator,
  type Case,
  type Cases,
  crossSite,
  noContent,
  noId,
  withoutCookie,
} from './case.ts';

const role = 'global_administrator';
const lastAdministrator = 'the last active administrator of a workspace can be neither revoked nor demoted';
const ofMember = ({ member }: ContractFixture) => ({ user_id: member.userId });
const ofNewMember = async ({ app, founder }: ContractFixture) => ({
  user_id: (await join(app, founder)).userId,
});

async function ofRevokedMember({ app, founder }: ContractFixture) {
  const member = await join(app, founder);
  await revoke(app, founder, member);
  return { user_id: member.userId };
}

/** A request of a workspace's only administrator about itself. */
const ofItself =
  (fields: (founder: Person) => Record<string, unknown> = () => ({})) =>
  async ({ app }: ContractFixture) => {
    const founder = await found(app);
    return { input: { user_id: founder.userId, ...fields(founder) }, headers: founder.bearer };
  };

/** What every route about one member returns for an unknown member, and to callers without permission. */
function aboutMember(more: Record<string, unknown> = {}): Case[] {
  const detail = 'user not found';
  return [
    { name: 'there is no such member', status: 404, detail, ask: asAdmin({ user_id: noId, ...more }) },
    {
      name: 'the member is foreign',
      status: 404,
      detail,
      ask: asAdmin(({ neighbour }) => ({ user_id: neighbour.userId, ...more })),
    },
    {
      name: 'the operator finds no such member',
      status: 404,
      detail,
      ask: asOperator({ user_id: noId, ...more }),
    },
    {
      name: 'another site’s page sends it with the member’s cookie',
      status: 403,
      detail: crossSite,
      ask: asForeignPageWithCookie((fixture) => ({ ...ofMember(fixture), ...more })),
    },
    ...adminRefusals((fixture) => ({ ...ofMember(fixture), ...more })),
  ];
}

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

const inviteCases: Cases = {
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

export const memberCases: Cases = {
  ...inviteCases,
  'members.list': [
    { name: 'lists', status: 200, ask: asAdmin() },
    {
      name: 'lists a page, the revoked ones too',
      status: 200,
      ask: asAdmin({ include_revoked: true, limit: 1 }),
    },
    {
      name: 'a foreign tenant is passed over',
      status: 200,
      ask: asAdmin(({ neighbour }) => ({ tenant_id: neighbour.tenantId })),
    },
    {
      name: 'the operator names the tenant',
      status: 200,
      ask: asOperator(({ founder }) => ({ tenant_id: founder.tenantId })),
    },
    {
      name: 'by the cookie',
      status: 200,
      ask: asCookie(),
      rpc: withoutCookie('admin credentials required'),
    },
    {
      name: 'the operator names none',
      status: 400,
      detail: 'tenant_id query parameter is required with API-key access',
      ask: asOperator(),
    },
    {
      name: 'the operator names a tenant that is none',
      status: 404,
      detail: 'tenant not found',
      ask: asOperator({ tenant_id: noId }),
    },
    { name: 'a flag is no boolean', status: 422, ask: asAdmin({ include_revoked: 'perhaps' }) },
    { name: 'the limit is out of range', status: 422, ask: asAdmin({ limit: 0 }) },
    { name: 'the cursor is none', status: 422, ask: asAdmin({ cursor: 'zzz' }) },
    ...adminRefusals(),
  ],
  'members.revoke': [
    { name: 'revokes', status: 200, ask: asAdmin(ofNewMember) },
    { name: 'the operator revokes', status: 200, ask: asOperator(ofNewMember) },
    {
      name: 'by the cookie',
      status: 200,
      ask: asCookie(ofNewMember),
      rpc: withoutCookie('admin credentials required'),
    },
    { name: 'it is the last administrator', status: 409, detail: lastAdministrator, ask: ofItself() },
    ...aboutMember(),
  ],
  'members.restore': [
    { name: 'restores', status: 200, ask: asAdmin(ofRevokedMember) },
    { name: 'there is nothing to restore', status: 200, ask: asAdmin(ofMember) },
    ...aboutMember(),
  ],
  'members.changeRole': [
    {
      name: 'promotes',
      status: 200,
      ask: asAdmin(async (fixture) => ({ ...(await ofNewMember(fixture)), role })),
    },
    {
      name: 'it is the last administrator',
      status: 409,
      detail: lastAdministrator,
      ask: ofItself(() => ({ role: 'agent_id_developer' })),
    },
    {
      name: 'the role is none',
      status: 422,
      ask: asAdmin((fixture) => ({ ...ofMember(fixture), role: 'root' })),
    },
    { name: 'the role is missing', status: 422, ask: asAdmin(ofMember) },
    ...aboutMember({ role }),
  ],
  'members.resetMfa': [
    { name: 'clears', status: 200, ask: asAdmin(ofMember) },
    { name: 'the operator clears', status: 200, ask: asOperator(ofMember) },
    ...aboutMember(),
  ],
  'members.issueResetLink': [
    { name: 'issues', status: 200, ask: asAdmin(ofMember) },
    { name: 'the operator issues', status: 200, ask: asOperator(ofMember) },
    { name: 'the member is revoked', status: 400, ask: asAdmin(ofRevokedMember) },
    ...aboutMember(),
  ],
};
