import { beforeEach, describe, expect, test } from 'vitest';
import { enrolByChallenge } from '#test/auth/mfa.ts';
import { me, passwordGrant, signUp } from '#test/auth/sign-in.ts';
import {
  bearer,
  founding,
  openTeam,
  operator,
  operatorKey,
  type Person,
  personOf,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

let team: Team;
let member: Person;
beforeEach(async () => {
  team = await openTeam(app, { metadata: { colour: 'blue' } });
  member = await team.join();
});

const set = (body: unknown, headers = team.admin, query = '') =>
  app.json('PATCH', `/api/tenants/security${query}`, { headers, body });
const policy = async () => {
  const { metadata } = (await me(app, team.founder.bearer)).body.tenant;
  return [metadata.mfa_required ?? false, metadata.mfa_required_for_sso ?? false];
};

const challenge = {
  mfa_required: true,
  mfa_challenge: { challenge_id: expect.any(String), method: 'totp_enroll', expires_in: expect.any(Number) },
  next: expect.objectContaining({
    mfa_enroll: '/api/auth/mfa/enroll',
    mfa_confirm: '/api/auth/mfa/confirm',
    oauth2_token: '/api/oauth2/token',
  }),
};

describe('A 4.4, C 3: PATCH /api/tenants/security', () => {
  test('returns the TenantAccount with the policy in its metadata', async () => {
    const { status, body } = await set({ mfa_required: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: team.tenantId,
      name: team.account.name,
      api_key_prefix: team.account.api_key_prefix,
      monthly_char_limit: 500_000,
      active: true,
      created_at: team.account.created_at,
      metadata: { colour: 'blue', mfa_required: true },
    });
    expect(JSON.stringify(body)).not.toContain(team.apiKey);
  });

  test('each toggle is set apart from the other, on and off', async () => {
    expect(await policy()).toEqual([false, false]);
    await set({ mfa_required: true });
    expect(await policy()).toEqual([true, false]);
    await set({ mfa_required_for_sso: true });
    expect(await policy()).toEqual([true, true]);
    await set({ mfa_required: false });
    expect(await policy()).toEqual([false, true]);
    await set({ mfa_required: true, mfa_required_for_sso: false });
    expect(await policy()).toEqual([true, false]);
  });

  test('two administrators at once do not undo each other', async () => {
    await Promise.all([set({ mfa_required: true }), set({ mfa_required_for_sso: true })]);
    expect(await policy()).toEqual([true, true]);
  });

  test('nothing else of the tenant can be changed by it', async () => {
    await set({ mfa_required: true, metadata: { pay_tier: 'studio' }, monthly_char_limit: 1, name: 'x' });
    const { tenant } = (await me(app, team.founder.bearer)).body;
    expect(tenant).toMatchObject({ name: team.account.name, monthly_char_limit: 500_000 });
    expect(tenant.metadata).not.toHaveProperty('pay_tier');
  });

  test.each([[{ mfa_required: 'yes' }], [{ mfa_required_for_sso: 1 }]])('C 7: %j is 422', async (body) => {
    const answer = await set(body);
    expect([answer.status, Array.isArray(answer.body.detail)]).toEqual([422, true]);
    expect(await policy()).toEqual([false, false]);
  });

  test('A 2.1: plain members never see it', async () => {
    await set({ mfa_required: true, mfa_required_for_sso: true });
    expect((await me(app, member.bearer)).body.tenant.metadata).toEqual({ colour: 'blue' });
  });
});

describe('A 5.3 rule 1: the effect of mfa_required', () => {
  test('the password is answered with a challenge to enrol, and no token', async () => {
    await set({ mfa_required: true });
    const answer = await passwordGrant(app, member);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(challenge);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });

  test('rule 2: enrolling and confirming completes the sign-in', async () => {
    await set({ mfa_required: true });
    const { mfa_challenge } = (await passwordGrant(app, member)).body;
    const { token } = (await enrolByChallenge(app, mfa_challenge.challenge_id)).answer.body;
    expect((await me(app, personOf(token).bearer)).body.user).toMatchObject({
      user_id: member.userId,
      totp_enrolled: true,
    });
  });

  test('A 4.2 rule 3: a join is asked to enrol too', async () => {
    await set({ mfa_required: true });
    const { invite_token } = await team.invite();
    const { status, headers, body } = await signUp(app, founding({ invite_token }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...challenge, tenant_api_key: null, account: { id: team.tenantId } });
    expect(body).not.toHaveProperty('token');
    expect(headers.getSetCookie()).toEqual([]);
    const { token } = (await enrolByChallenge(app, body.mfa_challenge.challenge_id)).answer.body;
    expect(personOf(token).tenantId).toBe(team.tenantId);
  });

  test('another tenant is not asked, nor a founding signup', async () => {
    await set({ mfa_required: true });
    const other = await openTeam(app);
    expect((await passwordGrant(app, other.founder)).body.access_token).toEqual(expect.any(String));
  });

  test('switched off again, the password is enough', async () => {
    await set({ mfa_required: true });
    await set({ mfa_required: false });
    expect((await passwordGrant(app, member)).body.access_token).toEqual(expect.any(String));
  });

  test('mfa_required_for_sso alone asks nobody with a password', async () => {
    await set({ mfa_required_for_sso: true });
    expect((await passwordGrant(app, member)).body.access_token).toEqual(expect.any(String));
  });
});

describe('A 4.4: the callers and the tenant', () => {
  test('the operator key must name the tenant', async () => {
    for (const headers of [operator, bearer(operatorKey)]) {
      const { status, body } = await set({ mfa_required: true }, headers);
      expect([status, typeof body.detail]).toEqual([400, 'string']);
    }
    expect(await policy()).toEqual([false, false]);
    const { status, body } = await set({ mfa_required: true }, operator, `?tenant_id=${team.tenantId}`);
    expect([status, body.id]).toEqual([200, team.tenantId]);
    expect(await policy()).toEqual([true, false]);
    expect((await set({ mfa_required: true }, operator, '?tenant_id=nobody')).status).toBe(404);
  });

  test('an administrator who names another tenant gets 404, who names their own is served', async () => {
    const other = await openTeam(app);
    const query = `?tenant_id=${team.tenantId}`;
    for (const headers of [other.admin, other.founder.cookie])
      expect((await set({ mfa_required: true }, headers, query)).status).toBe(404);
    expect((await set({ mfa_required: true }, team.admin, '?tenant_id=nobody')).status).toBe(404);
    expect(await policy()).toEqual([false, false]);
    expect((await set({ mfa_required: true }, team.admin, query)).status).toBe(200);
  });

  test('not a plain member (403), a tenant API key (401) or no credential (401)', async () => {
    for (const headers of [member.bearer, member.cookie]) {
      const { status, body } = await set({ mfa_required: true }, headers);
      expect([status, body.detail]).toEqual([403, 'admin role required']);
    }
    for (const headers of [{ 'x-api-key': team.apiKey }, bearer(team.apiKey), {}]) {
      const { status, body } = await set({ mfa_required: true }, headers);
      expect([status, body.detail]).toEqual([401, 'admin credentials required']);
    }
    expect(await policy()).toEqual([false, false]);
  });
});
