import { beforeEach, describe, expect, test } from 'vitest';
import { registerWithOrganization } from '#server/identity/auth/sso/tenant-choice.ts';
import { holdEvents, waitingOr } from '#test/access/held-transactions.ts';
import {
  administrator,
  apiKey,
  developer,
  founding,
  inviting,
  openTeam,
  operator,
  operatorKey,
  type Person,
  personOf,
  type Team,
} from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows, eventsOf } from '#test/setup/stored-rows.ts';
import { enrolByChallenge, verify } from './mfa.ts';
import { type Answer, me, refresh, sessionCookie, signUp } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });
const dance = dancing(app, provider);
let team: Team;
beforeEach(async () => {
  team = await openTeam(app, { tenant_name: 'The workspace' });
});

const count = async () => (await countRows(openSuperuser(app.superuserUrl), ['tenants']))['tenants'];
/** Returns a workspace from the list of all workspaces, which the operator reads. */
const tenant = async (id: string) => {
  const { body } = await app.json('GET', '/api/tenants', { headers: operator });
  return body.find((row: { id: string }) => row.id === id);
};
const rosterOf = async (headers: Record<string, string>) =>
  (await app.json('GET', '/api/auth/users?include_revoked=true', { headers })).body;
const revoke = ({ userId }: Person, headers = team.admin) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });

/** Signs on, which must succeed. */
async function signOn(sub: string, fields: Record<string, unknown> = {}) {
  const { status, body } = await dance.signIn(sub, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  return { ...personOf(body), key: body.tenant_api_key, role: body.user.role };
}

/** Adds a member to a workspace. */
async function joinTeam(of: Team = team, sub = account().sub) {
  const { invite_token } = await of.invite();
  return { sub, ...(await signOn(sub, { invite_token })) };
}

/** Creates a person who has their own workspace and is a member of the team. */
async function inTwo() {
  const own = await signOn(account().sub);
  const { sub } = account();
  return { sub, own: await signOn(sub), joined: await joinTeam(team, sub), other: own };
}

/** Expects that a sign-on fails, at any step, and creates no session, workspace or member. */
async function expectNotIn(sub: string, fields: Record<string, unknown> = {}): Promise<Answer> {
  const sql = openSuperuser(app.superuserUrl);
  const before = await countRows(sql, ['tenants', 'users']);
  const begun = await dance.authorize(fields);
  const answer =
    begun.status === 200
      ? await dance.callback(await provider.signIn(begun.body.authorization_url, sub))
      : begun;
  expect([400, 401, 403]).toContain(answer.status);
  expect(answer.body.access_token).toBeUndefined();
  expect(sessionCookie(answer)?.get('ll_session') || undefined).toBeUndefined();
  expect(await countRows(sql, ['tenants', 'users'])).toEqual(before);
  return answer;
}

/**
 * Expects that the service rejects a person whom the provider has authenticated, and that the log contains the event.
 */
async function expectDenied(sub: string, email: string, reason: string, fields = {}): Promise<void> {
  const events = () => eventsOf(app, '', 'sign_in_failed');
  const before = (await events()).length;
  const { status, body } = await expectNotIn(sub, fields);
  expect([status, body]).toEqual([403, refusalOf(reason)]);
  const details = { way: 'sso', reason };
  expect((await events()).slice(before)).toMatchObject([{ actor: 'anonymous', target: email, details }]);
}
const revoked = 'access to this workspace was revoked';

describe('a new person', () => {
  test('creates a workspace, is its administrator, and gets its key once', async () => {
    const { sub, email } = account();
    const before = await count();
    const first = await signOn(sub);
    expect(await count()).toBe(Number(before) + 1);
    // The tokens of the callback contain the effective role.
    expect(first.role).toBe(administrator);
    expect((await app.json('GET', '/api/translations', { headers: apiKey(first.key) })).status).toBe(200);
    expect((await signOn(sub)).key).toBeNull();
    // The provider is `oauth2` in tokens, and `oidc` in the list of members, which does not contain the subject.
    const { user } = (await me(app, first.bearer)).body;
    expect(user).toMatchObject({ provider: 'oauth2', role: administrator });
    const rows = await rosterOf(first.bearer);
    expect(rows).toMatchObject([{ email, provider: 'oidc', role: administrator, active: true }]);
    expect(JSON.stringify(rows)).not.toContain(sub);
  });

  test('is told apart by the subject: not by the address, which may be another’s and may change', async () => {
    const one = account({ email: team.founder.email });
    const two = account({ email: one.email });
    const [first, second] = [await signOn(one.sub), await signOn(two.sub)];
    expect(new Set([first.tenantId, second.tenantId, team.tenantId]).size).toBe(3);
    expect(await rosterOf(team.admin)).toHaveLength(1);
    one.email = 'changed@example.org';
    expect((await signOn(one.sub)).userId).toBe(first.userId);
  });

  test.each([false, undefined])('needs a verified address; email_verified is %j', async (verified) => {
    const email = 'Not.Verified@Example.org';
    const { sub } = account({ email, email_verified: verified as boolean });
    const reason = 'the identity provider has not verified this email address';
    await expectDenied(sub, email.toLowerCase(), reason);
  });
});

describe('an address is checked as that of a sign-up is', () => {
  const doors: [string, (email: string) => Promise<Answer>][] = [
    ['sign-up', (email) => signUp(app, founding({ email }))],
    [
      'sign-up by an invite',
      async (email) => signUp(app, founding({ email, invite_token: (await team.invite()).invite_token })),
    ],
    ['invite', (email) => app.json('POST', '/api/tenants/invites', { headers: team.admin, body: { email } })],
    ['single sign-on', (email) => dance.signIn(account({ email }).sub)],
    [
      'single sign-on by an invite',
      async (email) =>
        dance.signIn(account({ email }).sub, { invite_token: (await team.invite()).invite_token }),
    ],
  ];
  const addresses = [
    'eve\n@victim.example',
    'eve@example.org\nvictim.example',
    'a@example.org, b@example.org',
    'mi\u212ae@example.org',
    'eve@example.org\u2028',
    '\u00a0eve@example.org',
  ];
  const others = ['Eve <eve@example.org>', 'eve@example.org\0', 'eve', `${'e'.repeat(330)}@example.org`];
  const bySso = (door: string) => door.startsWith('single sign-on');
  test.each(doors)('%s', async (door, enter) => {
    for (const email of [...addresses, ...others]) {
      const sql = openSuperuser(app.superuserUrl);
      const before = await countRows(sql, ['tenants', 'users', 'tokens']);
      const { status } = await enter(email);
      expect(bySso(door) ? [401, 403] : [400, 422], JSON.stringify(email)).toContain(status);
      expect(await countRows(sql, ['tenants', 'users', 'tokens'])).toEqual(before);
    }
    const good = `Good.${door.replaceAll(/\W/g, '')}@Example.org`;
    // A person may type spaces around an address; a provider has verified exactly what it sends.
    expect((await enter(` ${good}\n`)).status).toBe(bySso(door) ? 403 : 200);
    expect((await enter(good.replace('@', '2@'))).status).toBe(200);
  });
});

describe('the organization claim', () => {
  test('is kept by the workspace it creates, visible to administrators only', async () => {
    const founder = await signOn(account({ org_id: 'org-kept' }).sub);
    const kept = { oidc_org_id: 'org-kept' };
    expect((await me(app, founder.bearer)).body.tenant.metadata).toMatchObject(kept);
    const { invite_token } = await inviting(app, founder.bearer).invite();
    const { body } = await signUp(app, founding({ invite_token }));
    expect(body.account.metadata).toEqual({});
    expect((await me(app, personOf(body.token).bearer)).body.tenant.metadata).toEqual({});
  });

  test('another person of the same organization needs an invite; a known one signs in', async () => {
    const { sub } = account({ org_id: 'org-closed' });
    const founder = await signOn(sub);
    const another = account({ org_id: 'org-closed' });
    await expectDenied(another.sub, another.email, 'invitation required');
    expect((await signOn(sub)).tenantId).toBe(founder.tenantId);
    const { invite_token } = await inviting(app, founder.bearer).invite();
    for (const fields of [{ invite_token }, {}])
      expect((await signOn(another.sub, fields)).tenantId).toBe(founder.tenantId);
    // The organization's ID must match exactly.
    expect((await signOn(account({ org_id: 'Org-Closed' }).sub)).tenantId).not.toBe(founder.tenantId);
  });

  test('counts if the operator provisioned it, and not if a signup claims it', async () => {
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

describe('an invite', () => {
  test('admits to its workspace, with its role, without a key; it is redeemed', async () => {
    for (const role of [developer, administrator]) {
      const { invite_token, invite_id } = await team.invite({ role });
      const joined = await signOn(account().sub, { invite_token });
      expect(joined).toMatchObject({ tenantId: team.tenantId, key: null, role });
      const invites: { invite_id: string; status: string }[] = await team.invites();
      expect(invites.find((row) => row.invite_id === invite_id)?.status).toBe('redeemed');
    }
  });

  test('used, withdrawn or forged admits no one; nor withdrawn while the person is at the provider', async () => {
    const used = await team.invite();
    await signOn(account().sub, { invite_token: used.invite_token });
    const withdrawn = await team.invite();
    const { sub } = account();
    const brought = await dance.bring(sub, { invite_token: withdrawn.invite_token });
    await app.json('DELETE', `/api/tenants/invites/${withdrawn.invite_id}`, { headers: team.admin });
    for (const invite_token of [used.invite_token, withdrawn.invite_token, `${team.tenantId}.forged`])
      await expectNotIn(sub, { invite_token });
    const { status, body } = await dance.callback(brought);
    expect([status, body.detail]).toEqual([400, 'invalid or expired invite']);
    expect(await rosterOf(team.admin)).toHaveLength(2);
  });
});

describe('a known person', () => {
  test('in several chooses: without a token, challenge or cookie; authorize may name one', async () => {
    const { sub, own, joined, other } = await inTwo();
    for (const fields of [{}, { tenant_id: other.tenantId }]) {
      const answer = await dance.signIn(sub, fields);
      const { tenants, ...rest } = answer.body;
      expect([answer.status, rest]).toEqual([
        200,
        { tenant_selection_required: true, next: { sso_authorize: '/api/oauth2/oidc/authorize' } },
      ]);
      expect(tenants).toHaveLength(2);
      expect(tenants).toEqual(
        expect.arrayContaining([
          { tenant_id: team.tenantId, tenant_name: 'The workspace' },
          { tenant_id: own.tenantId, tenant_name: (await tenant(own.tenantId))?.name },
        ]),
      );
      expect(sessionCookie(answer)?.get('ll_session') || undefined).toBeUndefined();
    }
    for (const chosen of [own, joined])
      expect(await signOn(sub, { tenant_id: chosen.tenantId })).toMatchObject({
        userId: chosen.userId,
        key: null,
      });
  });

  test('is not offered an inactive workspace', async () => {
    const { sub, own, joined } = await inTwo();
    const sql = openSuperuser(app.superuserUrl);
    await sql`update tenants set active = false where tenant_id = ${own.tenantId}`;
    for (const fields of [{}, { tenant_id: own.tenantId }])
      expect((await signOn(sub, fields)).userId).toBe(joined.userId);
    await sql`update tenants set active = false where tenant_id = ${joined.tenantId}`;
    await expectNotIn(sub);
  });

  test('who was revoked cannot come back, and creates no workspace; restored, signs in as before', async () => {
    const { sub, email } = account();
    const member = await joinTeam(team, sub);
    const brought = await dance.bring(sub);
    await revoke(member);
    const { invite_token } = await team.invite();
    for (const fields of [{}, { tenant_id: team.tenantId }, { invite_token }])
      await expectDenied(sub, email, revoked, fields);
    expect((await dance.callback(brought)).status).toBe(403);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    // The person is still a member of another workspace.
    const elsewhere = await openTeam(app);
    const other = await joinTeam(elsewhere, sub);
    expect((await signOn(sub)).userId).toBe(other.userId);
    await revoke(other, elsewhere.admin);
    await app.json('POST', `/api/auth/users/${member.userId}/restore`, { headers: team.admin });
    expect((await signOn(sub)).userId).toBe(member.userId);
  });
});

describe('a second factor at a single sign-on', () => {
  const policy = (body: object) => app.json('PATCH', '/api/tenants/security', { headers: team.admin, body });

  test('is required only by both policies: a challenge, without a token or cookie', async () => {
    const { sub, userId } = await joinTeam();
    await policy({ mfa_required: true });
    expect((await signOn(sub)).userId).toBe(userId);
    await policy({ mfa_required_for_sso: true });
    const asked = await dance.signIn(sub);
    expect(asked.body).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp_enroll' } });
    expect(Object.keys(asked.body).toSorted()).toEqual(['mfa_challenge', 'mfa_required', 'next']);
    expect(sessionCookie(asked)?.get('ll_session') || undefined).toBeUndefined();
    const { answer, recoveryCodes } = await enrolByChallenge(app, asked.body.mfa_challenge.challenge_id);
    expect(personOf(answer.body.token).userId).toBe(userId);
    // From now on, the member signs in with the authenticator.
    const { mfa_challenge } = (await dance.signIn(sub)).body;
    expect(mfa_challenge.method).toBe('totp');
    const verified = await verify(app, mfa_challenge.challenge_id, recoveryCodes[0] ?? '');
    expect(verified.body.user?.user_id).toBe(userId);
    // The policy also applies to a person who joins with an invite.
    const { invite_token } = await team.invite();
    expect((await dance.signIn(account().sub, { invite_token })).body.mfa_required).toBe(true);
  });
});

/** Sends two callbacks at the same time. The first transaction commits only when the second one waits for it. */
async function bothAtOnce(one: string, other: string) {
  const brought = [await dance.bring(one), await dance.bring(other)];
  const release = await holdEvents(app, 'tenant_founded');
  const answers = Promise.all(brought.map((each) => dance.callback(each)));
  await waitingOr(app, 2, answers);
  await release();
  return (await answers).toSorted((a, b) => a.status - b.status);
}

describe('concurrent sign-ons (C 2 rule 4)', () => {
  test('two people of one organization at once create one workspace; the other needs an invite', async () => {
    const org_id = 'an organization of two';
    const before = await count();
    const [founded, refused] = await bothAtOnce(account({ org_id }).sub, account({ org_id }).sub);
    expect([founded?.status, founded?.body.tenant_api_key]).toEqual([200, expect.any(String)]);
    expect([refused?.status, refused?.body]).toEqual([403, refusalOf('invitation required')]);
    expect(refused?.headers.getSetCookie()).toEqual([]);
    expect(await count()).toBe(Number(before) + 1);
    const kept = await openSuperuser(app.superuserUrl)`
      select tenant_id from tenants where metadata ->> 'oidc_org_id' = ${org_id}`;
    expect(kept.map((row) => row['tenant_id'])).toEqual([founded?.body.user.tenant_id]);
  });

  test('two concurrent sign-ons of one person create one workspace', async () => {
    const { sub } = account();
    const before = await count();
    const [founded, later] = await bothAtOnce(sub, sub);
    expect(founded?.status).toBe(200);
    expect(later?.status).toBe(409);
    expect(await count()).toBe(Number(before) + 1);
  });

  test('and so do they if the provider names another organization each time', async () => {
    const origin = { requestId: 'both', clientAddress: null };
    const person = { subject: 'issuer somebody', email: 'somebody@example.org', secondFactor: false };
    const before = await count();
    const release = await holdEvents(app, 'tenant_founded');
    const both = Promise.allSettled(
      ['this one', 'that one'].map((organization) =>
        registerWithOrganization(app.services, origin, { ...person, organization }),
      ),
    );
    await waitingOr(app, 2, both);
    await release();
    expect((await both).map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await count()).toBe(Number(before) + 1);
  });
});
