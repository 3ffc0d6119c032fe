import { beforeEach, describe, expect, test } from 'vitest';
import {
  administrator,
  developer,
  founding,
  openTeam,
  operator,
  operatorKey,
  personOf,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { me, signUp } from './sign-in.ts';
import { dancing, openIdentityProvider, redirectUri } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });
const dance = dancing(app, provider);
let team: Team;
beforeEach(async () => {
  team = await openTeam(app, { tenant_name: 'The workspace' });
});

/** All tenants, as the operator sees them. */
const tenants = async (): Promise<{ id: string; name: string; metadata: Record<string, unknown> }[]> =>
  (await app.json('GET', '/api/tenants', { headers: operator })).body;
const tenant = async (id: string) => (await tenants()).find((row) => row.id === id);
const rosterOf = async (headers: Record<string, string>) =>
  (await app.json('GET', '/api/auth/users?include_revoked=true', { headers })).body;

/** Signs on and expects success. */
async function signOn(sub: string, fields: Record<string, unknown> = {}) {
  const { status, body } = await dance.signIn(sub, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...personOf(body), key: body.tenant_api_key, role: body.user.role };
}

/** A person who is in the team and also has a workspace. */
async function inTwo() {
  const person = account();
  const own = await signOn(person.sub);
  const { invite_token } = await team.invite();
  const joined = await signOn(person.sub, { invite_token });
  return { ...person, own, joined };
}

describe('C 2 rule 4: a new person', () => {
  test('founds a workspace, is its administrator, and gets its key once', async () => {
    const { sub } = account();
    const before = (await tenants()).length;
    const first = await signOn(sub);
    expect(await tenants()).toHaveLength(before + 1);
    // A 2.3: tokens of the callback carry the resolved role.
    expect(first.role).toBe(administrator);
    expect((await me(app, first.bearer)).body.user.role).toBe(administrator);
    const job = await app.json('POST', '/api/translations', {
      headers: { 'x-api-key': first.key },
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect([job.status, job.body.request?.metadata.tenant.id]).toEqual([200, first.tenantId]);
    expect((await signOn(sub)).key).toBeNull();
  });

  test('A 2.2: is oauth2 in tokens and oidc in the listing, without their subject', async () => {
    const { sub, email } = account();
    const founder = await signOn(sub);
    expect((await me(app, founder.bearer)).body.user.provider).toBe('oauth2');
    const rows = await rosterOf(founder.bearer);
    expect(rows).toMatchObject([{ email, provider: 'oidc', role: administrator, active: true }]);
    expect(JSON.stringify(rows)).not.toContain(sub);
  });

  test('a person with the address of a member with a password is somebody else', async () => {
    const { sub } = account({ email: team.founder.email });
    const person = await signOn(sub);
    expect(person.tenantId).not.toBe(team.tenantId);
    expect(person.userId).not.toBe(team.founder.userId);
    expect(await rosterOf(team.admin)).toHaveLength(1);
  });

  test('a person with the address of another subject is somebody else too', async () => {
    const one = account();
    const two = account({ email: one.email });
    const [first, second] = [await signOn(one.sub), await signOn(two.sub)];
    expect(second.tenantId).not.toBe(first.tenantId);
  });

  test('a person who changed their address is the same: the subject decides', async () => {
    const person = account();
    const first = await signOn(person.sub);
    person.email = 'changed@example.org';
    const second = await signOn(person.sub);
    expect([second.tenantId, second.userId]).toEqual([first.tenantId, first.userId]);
  });

  test('two sign-ons of one new person at the same time found one workspace, or the later joins none', async () => {
    const { sub } = account();
    const brought = [await dance.bring(sub), await dance.bring(sub)];
    const answers = await Promise.all(brought.map((each) => dance.callback(each)));
    const keys = answers.filter(({ body }) => body.tenant_api_key);
    expect(keys).toHaveLength(1);
    const again = await dance.signIn(sub);
    expect(again.body.tenant_selection_required).toBeUndefined();
  });
});

describe('C 2 rules 3 and 4: the organization claim', () => {
  test('is kept by the workspace it founds, in platform-owned metadata', async () => {
    const founder = await signOn(account({ org_id: 'org-kept' }).sub);
    expect((await tenant(founder.tenantId))?.metadata).toMatchObject({ oidc_org_id: 'org-kept' });
    // A 2.1: an administrator sees it, other members never do.
    expect((await me(app, founder.bearer)).body.tenant.metadata).toMatchObject({ oidc_org_id: 'org-kept' });
    const { body: invite } = await app.json('POST', '/api/tenants/invites', {
      headers: founder.bearer,
      body: {},
    });
    const { body } = await signUp(app, founding({ invite_token: invite.invite_token }));
    const member = personOf(body.token);
    expect(body.account.metadata).not.toHaveProperty('oidc_org_id');
    expect((await me(app, member.bearer)).body.tenant.metadata).not.toHaveProperty('oidc_org_id');
  });

  test('a new person of the same organization gets 403 invitation required', async () => {
    const founder = await signOn(account({ org_id: 'org-closed' }).sub);
    const before = (await tenants()).length;
    const { status, headers, body } = await dance.signIn(account({ org_id: 'org-closed' }).sub);
    expect([status, body]).toEqual([403, { detail: 'invitation required' }]);
    expect(headers.getSetCookie().join()).not.toMatch(/ll_session=[^;]/);
    expect(await tenants()).toHaveLength(before);
    expect(await rosterOf(founder.bearer)).toHaveLength(1);
  });

  test('with an invite they join: the invite takes precedence', async () => {
    const founder = await signOn(account({ org_id: 'org-inviting' }).sub);
    const { body: invite } = await app.json('POST', '/api/tenants/invites', {
      headers: founder.bearer,
      body: {},
    });
    const invited = account({ org_id: 'org-inviting' });
    const joined = await signOn(invited.sub, { invite_token: invite.invite_token });
    expect(joined.tenantId).toBe(founder.tenantId);
    expect((await signOn(invited.sub)).tenantId).toBe(founder.tenantId);
  });

  test('a known person still signs in: the subject takes precedence over the organization', async () => {
    const { sub } = account({ org_id: 'org-known' });
    const first = await signOn(sub);
    expect((await signOn(sub)).tenantId).toBe(first.tenantId);
  });

  test('another organization founds another workspace', async () => {
    const first = await signOn(account({ org_id: 'org-a' }).sub);
    const second = await signOn(account({ org_id: 'org-A' }).sub);
    expect(second.tenantId).not.toBe(first.tenantId);
  });

  test('a key that the operator provisioned counts; one that a signup claims does not', async () => {
    await app.json('POST', '/api/tenants', {
      headers: operator,
      body: { name: 'x', metadata: { oidc_org_id: 'org-provisioned' } },
    });
    expect((await dance.signIn(account({ org_id: 'org-provisioned' }).sub)).status).toBe(403);
    const squatter = await openTeam(app, { metadata: { oidc_org_id: 'org-squatted' } });
    expect((await tenant(squatter.tenantId))?.metadata).toEqual({});
    expect((await signOn(account({ org_id: 'org-squatted' }).sub)).role).toBe(administrator);
  });
});

describe('C 2 rule 1: an invite', () => {
  test('admits to its tenant, with its role, without a key; it is redeemed', async () => {
    for (const role of [developer, administrator]) {
      const { invite_token, invite_id } = await team.invite({ role });
      const joined = await signOn(account().sub, { invite_token });
      expect(joined).toMatchObject({ tenantId: team.tenantId, key: null, role });
      expect((await me(app, joined.bearer)).body.user.role).toBe(role);
      const invites: { invite_id: string; status: string }[] = await team.invites();
      expect(invites.find((row) => row.invite_id === invite_id)?.status).toBe('redeemed');
    }
  });

  test('a known subject joins a second tenant by it', async () => {
    const { own, joined } = await inTwo();
    expect(joined.tenantId).toBe(team.tenantId);
    expect(joined.tenantId).not.toBe(own.tenantId);
  });

  test('bound to another address admits nobody, and stays usable', async () => {
    const bound = account();
    const { invite_token } = await team.invite({ email: bound.email });
    const before = (await tenants()).length;
    await expectNotIn(account().sub, invite_token);
    expect(await tenants()).toHaveLength(before);
    expect((await signOn(bound.sub, { invite_token })).tenantId).toBe(team.tenantId);
  });

  test('used up, withdrawn or forged admits nobody, and founds nothing', async () => {
    const used = await team.invite();
    await signOn(account().sub, { invite_token: used.invite_token });
    const withdrawn = await team.invite();
    await app.json('DELETE', `/api/tenants/invites/${withdrawn.invite_id}`, { headers: team.admin });
    const before = (await tenants()).length;
    for (const token of [used.invite_token, withdrawn.invite_token, `${team.tenantId}.forged`, 'nonsense'])
      await expectNotIn(account().sub, token);
    expect(await tenants()).toHaveLength(before);
    expect(await rosterOf(team.admin)).toHaveLength(2);
  });

  test('withdrawn while the person is at the provider admits nobody', async () => {
    const { invite_token, invite_id } = await team.invite();
    const brought = await dance.bring(account().sub, { invite_token });
    await app.json('DELETE', `/api/tenants/invites/${invite_id}`, { headers: team.admin });
    const { status, body } = await dance.callback(brought);
    expect([status < 500 && status >= 400, body.access_token]).toEqual([true, undefined]);
    expect(await rosterOf(team.admin)).toHaveLength(1);
  });

  test('of ten sign-ons with one invite exactly one joins', async () => {
    const { invite_token } = await team.invite();
    const brought = [];
    for (let i = 0; i < 10; i++) brought.push(await dance.bring(account().sub, { invite_token }));
    const before = (await tenants()).length;
    const answers = await Promise.all(brought.map((each) => dance.callback(each)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await rosterOf(team.admin)).toHaveLength(2);
    expect(await tenants()).toHaveLength(before);
  });
});

describe('C 2 rule 2: a known subject', () => {
  test('in one tenant: signs in there', async () => {
    const { sub } = account();
    const { invite_token } = await team.invite();
    const joined = await signOn(sub, { invite_token });
    const again = await signOn(sub);
    expect(again).toMatchObject({
      tenantId: team.tenantId,
      userId: joined.userId,
      key: null,
      role: developer,
    });
  });

  test('A 2.3: the role in the token is the present one', async () => {
    const { sub } = account();
    const { invite_token } = await team.invite();
    const { userId } = await signOn(sub, { invite_token });
    await app.json('PATCH', `/api/auth/users/${userId}/role`, {
      headers: team.admin,
      body: { role: administrator },
    });
    expect((await signOn(sub)).role).toBe(administrator);
  });

  test('in several: the workspace-selection response, and no token, challenge or cookie', async () => {
    const { sub, own } = await inTwo();
    const { status, headers, body } = await dance.signIn(sub);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['next', 'tenant_selection_required', 'tenants']);
    expect(body.tenant_selection_required).toBe(true);
    expect(body.tenants).toHaveLength(2);
    expect(body.tenants).toEqual(
      expect.arrayContaining([
        { tenant_id: team.tenantId, tenant_name: 'The workspace' },
        { tenant_id: own.tenantId, tenant_name: (await tenant(own.tenantId))?.name },
      ]),
    );
    expect(headers.getSetCookie().join()).not.toMatch(/ll_session=[^;]/);
  });

  test('in several, with the tenant_id of authorize: signs in there', async () => {
    const { sub, own, joined } = await inTwo();
    expect(await signOn(sub, { tenant_id: own.tenantId })).toMatchObject({ userId: own.userId, key: null });
    expect(await signOn(sub, { tenant_id: team.tenantId })).toMatchObject({ userId: joined.userId });
  });

  test('a tenant_id of a workspace where they are no member is refused', async () => {
    const { sub } = await inTwo();
    const other = await openTeam(app);
    const before = (await tenants()).length;
    const begun = await dance.authorize({ tenant_id: other.tenantId, redirect_uri: redirectUri });
    if (begun.status === 200) {
      const { body } = await dance.callback(await provider.signIn(begun.body.authorization_url, sub));
      expect(body.user?.tenant_id).not.toBe(other.tenantId);
    }
    expect(await rosterOf(other.admin)).toHaveLength(1);
    expect(await tenants()).toHaveLength(before);
  });
});

/** Refused, at whichever step, with a response below 500 and without a token. */
async function expectNotIn(sub: string, invite_token: string): Promise<void> {
  const begun = await dance.authorize({ invite_token });
  const answer =
    begun.status === 200
      ? await dance.callback(await provider.signIn(begun.body.authorization_url, sub))
      : begun;
  expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body.access_token).toBeUndefined();
}
