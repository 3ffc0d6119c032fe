import { beforeEach, describe, expect, test } from 'vitest';
import { me, signUp } from '#test/auth/sign-in.ts';
import {
  administrator,
  developer,
  founding,
  freshEmail,
  inviting,
  openTeam,
  operator,
  operatorKey,
  password,
  personOf,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };
const app = useTestApp({ env });

let team: Team;
beforeEach(async () => {
  team = await openTeam(app, { tenant_name: 'The workspace', metadata: { colour: 'blue' } });
});

const join = (invite_token: string, fields: Record<string, unknown> = {}) =>
  signUp(app, founding({ invite_token, ...fields }));
const membersOf = async () =>
  (await app.json('GET', '/api/auth/users?include_revoked=true', { headers: team.admin })).body;
const tenants = async (): Promise<number> =>
  (await app.json('GET', '/api/tenants', { headers: operator })).body.length;

const refused = [400, { detail: 'invalid or expired invite' }];
async function expectRefused(token: string) {
  const { status, body } = await join(token);
  expect([status, body], token).toEqual(refused);
}

describe('A 4.2: joining by an invite', () => {
  test('makes a member of the invite’s workspace, and no workspace', async () => {
    const before = await tenants();
    const { invite_token } = await team.invite();
    const { status, headers, body } = await join(invite_token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ tenant_api_key: null, mfa_required: false });
    expect(body.account).toMatchObject({ id: team.tenantId, name: 'The workspace' });
    expect(headers.getSetCookie().join()).toContain('ll_session=');
    const member = personOf(body.token);
    expect(member.tenantId).toBe(team.tenantId);
    expect((await me(app, member.bearer)).body.user.role).toBe(developer);
    expect(await tenants()).toBe(before);
    expect(await membersOf()).toHaveLength(2);
  });

  test('gives the invite’s role', async () => {
    const member = await team.join({ role: administrator });
    expect((await me(app, member.bearer)).body.user.role).toBe(administrator);
    expect((await app.json('GET', '/api/auth/users', { headers: member.bearer })).status).toBe(200);
  });

  test.each([
    ['an empty name', { tenant_name: '' }],
    ['a name of 201 characters', { tenant_name: 'x'.repeat(201) }],
    ['a limit of 0', { monthly_char_limit: 0 }],
    ['too much metadata', { metadata: { a: 'x'.repeat(20_000) } }],
  ])('ignores them where they would not do for a new workspace: %s', async (_what, fields) => {
    const { invite_token } = await team.invite();
    const { status, body } = await join(invite_token, fields);
    expect([status, body.account?.name]).toEqual([200, 'The workspace']);
  });

  test('ignores tenant_name, monthly_char_limit and metadata', async () => {
    const { invite_token } = await team.invite();
    const { body } = await join(invite_token, {
      tenant_name: 'Another name',
      monthly_char_limit: 7,
      metadata: { colour: 'red' },
    });
    expect(body.account).toMatchObject({
      name: 'The workspace',
      monthly_char_limit: 500_000,
      metadata: { colour: 'blue' },
    });
    const { body: now } = await me(app, team.founder.bearer);
    expect(now.tenant).toMatchObject({ name: 'The workspace', metadata: { colour: 'blue' } });
  });

  test('shows an account without the platform-owned keys, to an administrator too', async () => {
    const owned = {
      pay_tier: 'pro',
      TRIAL_x: 1,
      topup_chars_used: 1,
      sso_x: 1,
      storage_x: 1,
      oidc_org_id: 'x',
    };
    const made = await app.json('POST', '/api/tenants', {
      headers: operator,
      body: { name: 'Provisioned', metadata: { ...owned, invites_x: 1, mfa_x: 1, colour: 'green' } },
    });
    const { invite } = inviting(app, operator, `?tenant_id=${made.body.id}`);
    const { invite_token } = await invite({ role: administrator });
    const { body } = await join(invite_token);
    expect(body.account).toMatchObject({ id: made.body.id, metadata: { colour: 'green' } });
    expect(Object.keys(body.account.metadata)).toEqual(['colour']);
    expect(JSON.stringify(body)).not.toContain(made.body.api_key);
  });

  test('A 3.5: the invite is redeemed, by that member', async () => {
    const { invite_token, invite_id } = await team.invite();
    const { body } = await join(invite_token);
    const [record] = await team.invites();
    expect(record).toMatchObject({ invite_id, status: 'redeemed', redeemed_at: expect.any(String) });
    expect([body.token.user.user_id, body.token.user.email]).toContain(record.redeemed_by);
  });

  test('the same address may be a member of several workspaces', async () => {
    const email = freshEmail();
    const elsewhere = await openTeam(app, { email });
    const member = await team.join({}, email);
    expect(member.userId).not.toBe(elsewhere.founder.userId);
    expect(member.tenantId).toBe(team.tenantId);
  });
});

describe('A 4.2: an invite that is bound to an address', () => {
  test('another address is 400, and the link stays usable', async () => {
    const { invite_token } = await team.invite({ email: 'ada@example.org' });
    const { status, body } = await join(invite_token);
    expect([status, body.detail]).toEqual([400, 'this invite was issued for a different email address']);
    expect(await membersOf()).toHaveLength(1);
    expect((await join(invite_token, { email: 'ADA@Example.org' })).status).toBe(200);
  });

  test('a used-up one does not reveal that it was bound', async () => {
    const { invite_token } = await team.invite({ email: 'bob@example.org' });
    await join(invite_token, { email: 'bob@example.org' });
    await expectRefused(invite_token);
  });
});

describe('A 4.2: refusals', () => {
  test('a redeemed token, also a moment later', async () => {
    const { invite_token } = await team.invite();
    await join(invite_token);
    await expectRefused(invite_token);
  });

  test('an expired one', async () => {
    const { invite_token } = await team.invite();
    await openSuperuser(app.superuserUrl)`
      update invites set expires_at = now() - interval '1 second' where tenant_id = ${team.tenantId}`;
    await expectRefused(invite_token);
  });

  test('a withdrawn one', async () => {
    const { invite_token, invite_id } = await team.invite();
    await app.json('DELETE', `/api/tenants/invites/${invite_id}`, { headers: team.admin });
    await expectRefused(invite_token);
  });

  test('an invalid one founds no workspace instead', async () => {
    const { invite_token } = await team.invite();
    const before = await tenants();
    const other = await openTeam(app);
    const secret = invite_token.slice(team.tenantId.length + 1);
    const forged = ['nonsense', 'a.b', `${other.tenantId}.${secret}`, `${invite_token}A`, `nobody.${secret}`];
    for (const token of forged) await expectRefused(token);
    expect(await tenants()).toBe(before + 1);
    expect(await membersOf()).toHaveLength(1);
  });

  test('an address that is a member already: 400, and the invite stays', async () => {
    const { invite_token } = await team.invite();
    const { status, body } = await join(invite_token, { email: team.founder.email });
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect(body.detail).not.toBe('invalid or expired invite');
    expect((await join(invite_token)).status).toBe(200);
  });

  test('a revoked member, who cannot come back by an invite', async () => {
    const member = await team.join();
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: team.admin });
    const { invite_token } = await team.invite();
    expect((await join(invite_token, { email: member.email })).status).toBe(400);
    const rows: { user_id: string; active: boolean }[] = await membersOf();
    expect(rows.find(({ user_id }) => user_id === member.userId)?.active).toBe(false);
    expect(rows).toHaveLength(2);
  });

  test('rule 1: a password that the policy refuses: 400, and the invite stays', async () => {
    const { invite_token } = await team.invite();
    expect((await join(invite_token, { password: 'password1234' })).status).toBe(400);
    expect((await join(invite_token, { password: 'short' })).status).toBe(422);
    expect(await membersOf()).toHaveLength(1);
    expect((await join(invite_token)).status).toBe(200);
  });

  test('two invites and one address: one member', async () => {
    const tokens = [await team.invite(), await team.invite()].map(({ invite_token }) => invite_token);
    const email = freshEmail();
    const answers = await Promise.all(tokens.map((token) => join(token, { email })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
    expect(await membersOf()).toHaveLength(2);
  });
});

describe('A 4.2: one invite and many at the same time', () => {
  test('of 20 who redeem it exactly one becomes a member', async () => {
    const { invite_token } = await team.invite();
    const answers = await Promise.all(Array.from({ length: 20 }, () => join(invite_token)));
    const losers = answers.filter(({ status }) => status !== 200);
    expect(losers.map(({ status, body }) => [status, body])).toEqual(Array(19).fill(refused));
    expect(await membersOf()).toHaveLength(2);
  });

  test('either it is withdrawn or redeemed, never both', async () => {
    for (let round = 0; round < 4; round++) {
      const { invite_token, invite_id } = await team.invite();
      const [joined, withdrawn] = await Promise.all([
        join(invite_token),
        app.json('DELETE', `/api/tenants/invites/${invite_id}`, { headers: team.admin }),
      ]);
      expect([
        [200, 404],
        [400, 204],
      ]).toContainEqual([joined.status, withdrawn.status]);
    }
  });
});

describe('A 4.2 rule 4: with email signup switched off', () => {
  const closed = useTestApp({ env: { ...env, EMAIL_SIGNUP_ENABLED: 'false' } });

  test('joins are 403 email signup is disabled too, and the invite stays', async () => {
    const { body: tenant } = await closed.json('POST', '/api/tenants', {
      headers: operator,
      body: { name: 'Provisioned' },
    });
    const { invite, invites } = inviting(closed, operator, `?tenant_id=${tenant.id}`);
    const { invite_token } = await invite();
    for (const fields of [{ invite_token }, { invite_token: 'nonsense' }, {}]) {
      const { status, body } = await signUp(closed, founding({ ...fields, password: password }));
      expect([status, body]).toEqual([403, { detail: 'email signup is disabled' }]);
    }
    expect((await invites())[0].status).toBe('pending');
  });
});
