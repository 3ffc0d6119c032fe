import { beforeEach, describe, expect, test } from 'vitest';
import { me, signUp } from '#test/auth/sign-in.ts';
import {
  administrator,
  developer,
  env,
  founding,
  inviting,
  openTeam,
  operator,
  personOf,
  type Team,
} from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let team: Team;
beforeEach(async () => {
  team = await openTeam(app, { tenant_name: 'The workspace', metadata: { color: 'blue' } });
});

const join = (invite_token: string, fields: Record<string, unknown> = {}) =>
  signUp(app, founding({ invite_token, ...fields }));
const membersOf = async () =>
  (await app.json('GET', '/api/auth/users?include_revoked=true', { headers: team.admin })).body;
const tenants = async (): Promise<number> =>
  (await app.json('GET', '/api/tenants', { headers: operator })).body.length;
const withdraw = (inviteId: string) =>
  app.json('DELETE', `/api/tenants/invites/${inviteId}`, { headers: team.admin });

const refused = [400, refusalOf('invalid or expired invite')];
async function expectRefused(token: string, fields = {}) {
  const { status, body } = await join(token, fields);
  expect([status, body], token).toEqual(refused);
}

describe('joining by an invite (A 4.2)', () => {
  test.each([developer, administrator])(
    'makes a member of its workspace as %s, without a key or a new workspace; the invite is redeemed',
    async (role) => {
      const before = await tenants();
      const { invite_token, invite_id } = await team.invite({ role });
      const { status, headers, body } = await join(invite_token);
      expect(status).toBe(200);
      expect(body).toMatchObject({ tenant_api_key: null, mfa_required: false });
      expect(body.account).toMatchObject({ id: team.tenantId, name: 'The workspace' });
      expect(headers.getSetCookie().join()).toContain('ll_session=');
      const member = personOf(body.token);
      expect((await me(app, member.bearer)).body).toMatchObject({
        user: { role },
        tenant: { id: team.tenantId },
      });
      expect(await tenants()).toBe(before);
      expect(await membersOf()).toHaveLength(2);
      expect(await team.invites()).toMatchObject([
        { invite_id, status: 'redeemed', redeemed_at: expect.any(String), redeemed_by: member.userId },
      ]);
    },
  );

  test('ignores tenant_name, monthly_char_limit and metadata, valid or not', async () => {
    const account = { name: 'The workspace', monthly_char_limit: 500_000, metadata: { color: 'blue' } };
    const invalid = { tenant_name: '', monthly_char_limit: 0, metadata: { a: 'x'.repeat(20_000) } };
    for (const fields of [{ tenant_name: 'Another', metadata: { color: 'red' } }, invalid]) {
      const { status, body } = await join((await team.invite()).invite_token, fields);
      expect([status, body.account]).toMatchObject([200, account]);
    }
  });

  test('shows an account without the platform-owned keys, to an administrator too', async () => {
    const owned = { pay_tier: 'pro', TRIAL_x: 1, topup_x: 1, sso_x: 1, storage_x: 1, oidc_org_id: 'x' };
    const made = await app.json('POST', '/api/tenants', {
      headers: operator,
      body: { name: 'Provisioned', metadata: { ...owned, invites_x: 1, mfa_x: 1, color: 'green' } },
    });
    const { invite } = inviting(app, operator, `?tenant_id=${made.body.id}`);
    const { invite_token } = await invite({ role: administrator });
    const { body } = await join(invite_token);
    expect(body.account).toMatchObject({ id: made.body.id });
    expect(body.account.metadata).toEqual({ color: 'green' });
    expect(JSON.stringify(body)).not.toContain(made.body.api_key);
  });
});

describe('refused', () => {
  test('another address than the invite’s: 400, and the invite stays; once used, it does not reveal that', async () => {
    const { invite_token } = await team.invite({ email: 'ada@example.org' });
    const { status, body } = await join(invite_token);
    expect([status, body.detail]).toEqual([400, 'this invite was issued for a different email address']);
    expect(await membersOf()).toHaveLength(1);
    expect((await join(invite_token, { email: 'ADA@Example.org' })).status).toBe(200);
    await expectRefused(invite_token);
  });

  test('an unusable token: forged, expired, withdrawn; no workspace is created instead', async () => {
    const [withdrawn, expired] = [await team.invite(), await team.invite()];
    await withdraw(withdrawn.invite_id);
    await openSuperuser(app.superuserUrl)`
      update invites set expires_at = now() - interval '1 second' where invite_id = ${expired.invite_id}`;
    const { invite_token } = await team.invite();
    const other = await openTeam(app);
    const before = await tenants();
    const secret = invite_token.slice(team.tenantId.length + 1);
    const forged = ['', 'a.\0', `${other.tenantId}.${secret}`, `${invite_token}A`, `${team.tenantId}.wrong`];
    for (const token of [...forged, withdrawn.invite_token, expired.invite_token]) await expectRefused(token);
    expect(await tenants()).toBe(before);
    expect(await membersOf()).toHaveLength(1);
  });

  test('an address that is a member’s already, revoked or not: 400, and the invite stays', async () => {
    const revoked = await team.join();
    await app.json('DELETE', `/api/auth/users/${revoked.userId}`, { headers: team.admin });
    const { invite_token } = await team.invite();
    for (const { email } of [team.founder, revoked]) {
      const { status, body } = await join(invite_token, { email });
      expect([status, body.detail]).toEqual([400, 'email already registered for tenant']);
    }
    const rows: { active: boolean }[] = await membersOf();
    expect(rows.map(({ active }) => active)).toEqual([true, false]);
    expect((await join(invite_token)).status).toBe(200);
  });
});

describe('at the same time', () => {
  test('of 12 who redeem one invite, exactly one becomes a member', async () => {
    const { invite_token } = await team.invite();
    const answers = await Promise.all(Array.from({ length: 12 }, () => join(invite_token)));
    const losers = answers.filter(({ status }) => status !== 200);
    expect(losers.map(({ status, body }) => [status, body])).toEqual(Array(11).fill(refused));
    expect(await membersOf()).toHaveLength(2);
  });
});

describe('with email signup switched off', () => {
  const closed = useTestApp({ env: { ...env, EMAIL_SIGNUP_ENABLED: 'false' } });

  test('joining and founding are 403, and the invite stays', async () => {
    const { body: tenant } = await closed.json('POST', '/api/tenants', {
      headers: operator,
      body: { name: 'Provisioned' },
    });
    const { invite, invites } = inviting(closed, operator, `?tenant_id=${tenant.id}`);
    const { invite_token } = await invite();
    for (const fields of [{ invite_token }, { invite_token: 'nonsense' }, {}]) {
      const { status, headers, body } = await signUp(closed, founding(fields));
      expect([status, body]).toEqual([403, refusalOf('email signup is disabled')]);
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect((await invites())[0].status).toBe('pending');
    expect((await closed.json('GET', '/api/tenants', { headers: operator })).body).toHaveLength(1);
  });
});
