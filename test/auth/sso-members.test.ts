import { beforeEach, describe, expect, test } from 'vitest';
import { openTeam, type Person, personOf, type Team } from '#test/factories.ts';
import { type TestApp, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { enrol, enrolByChallenge, verify } from './mfa.ts';
import { grant, me, passwordGrant, refresh, sessionCookie } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env });

const dance = dancing(app, provider);
let team: Team;
let sub: string;
/** A member of the team by single sign-on. */
let member: Person;
beforeEach(async () => {
  team = await openTeam(app);
  sub = account().sub;
  const { invite_token } = await team.invite();
  member = personOf((await dance.signIn(sub, { invite_token })).body);
});

const policy = (body: object) => app.json('PATCH', '/api/tenants/security', { headers: team.admin, body });
const revoke = (userId = member.userId) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers: team.admin });
const tenants = async (at: TestApp): Promise<number> => {
  const [row] = await openSuperuser(at.superuserUrl)`select count(*)::int as n from tenants`;
  return row?.['n'];
};

const challenge = (method: string) => ({
  mfa_required: true,
  mfa_challenge: { challenge_id: expect.any(String), method, expires_in: expect.any(Number) },
  next: expect.any(Object),
});

describe('A 5.3 rule 1: MFA and single sign-on', () => {
  test('mfa_required asks for a code with a password, not at a completed single sign-on', async () => {
    await policy({ mfa_required: true });
    expect((await passwordGrant(app, team.founder)).body.mfa_required).toBe(true);
    const { status, body } = await dance.signIn(sub);
    expect([status, body.user?.user_id]).toEqual([200, member.userId]);
  });

  test('with mfa_required_for_sso as well: the password grant’s challenge, no token and no cookie', async () => {
    await policy({ mfa_required: true, mfa_required_for_sso: true });
    const { status, headers, body } = await dance.signIn(sub);
    expect(status).toBe(200);
    expect(body).toEqual(challenge('totp_enroll'));
    expect(sessionCookie({ headers })?.get('ll_session') || undefined).toBeUndefined();
    const { answer, recoveryCodes } = await enrolByChallenge(app, body.mfa_challenge.challenge_id);
    expect(personOf(answer.body.token).userId).toBe(member.userId);
    // From now on, with the authenticator.
    const again = await dance.signIn(sub);
    expect(again.body).toEqual(challenge('totp'));
    const done = await verify(app, again.body.mfa_challenge.challenge_id, recoveryCodes[0] ?? '');
    expect([done.status, done.body.user?.user_id]).toEqual([200, member.userId]);
  });

  test('C 7: mfa_required_for_sso has an effect only where MFA is required anyway', async () => {
    await policy({ mfa_required_for_sso: true });
    expect((await dance.signIn(sub)).body.access_token).toEqual(expect.any(String));
  });

  test('a person who joins by an invite follows the policy of that tenant', async () => {
    await policy({ mfa_required: true, mfa_required_for_sso: true });
    const { invite_token } = await team.invite();
    const { body } = await dance.signIn(account().sub, { invite_token });
    expect(body).toMatchObject(challenge('totp_enroll'));
    expect(body.access_token).toBeUndefined();
  });

  test('an authenticator that a member enrolled by choice is not asked for at a single sign-on', async () => {
    await enrol(app, member);
    expect((await dance.signIn(sub)).body.access_token).toEqual(expect.any(String));
    expect((await me(app, member.bearer)).body.user.totp_enrolled).toBe(true);
  });

  const strict = useTestApp({ env: { ...env, MFA_REQUIRED: 'true' } });

  test('the platform’s requirement exempts a single sign-on as well, even one that founds', async () => {
    const { sub: founder } = account();
    const at = dancing(strict, provider);
    const { status, body } = await at.signIn(founder);
    expect([status, typeof body.access_token, typeof body.tenant_api_key]).toEqual([200, 'string', 'string']);
    await strict.json('PATCH', '/api/tenants/security', {
      headers: personOf(body).bearer,
      body: { mfa_required_for_sso: true },
    });
    expect((await at.signIn(founder)).body).toEqual(challenge('totp_enroll'));
  });
});

describe('A 3.2: a revoked member', () => {
  test('cannot come back by single sign-on, and founds no workspace', async () => {
    await revoke();
    const before = await tenants(app);
    const { status, headers, body } = await dance.signIn(sub);
    expect([401, 403]).toContain(status);
    expect([typeof body.detail, body.access_token]).toEqual(['string', undefined]);
    expect(sessionCookie({ headers })?.get('ll_session') || undefined).toBeUndefined();
    expect(await tenants(app)).toBe(before);
    expect((await me(app, member.bearer)).status).toBe(401);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
  });

  test('even if the tenant is named', async () => {
    await revoke();
    const { status } = await dance.signIn(sub, { tenant_id: team.tenantId });
    expect([401, 403]).toContain(status);
  });

  test('even if they were at the provider meanwhile', async () => {
    const brought = await dance.bring(sub);
    await revoke();
    const before = await tenants(app);
    expect([401, 403]).toContain((await dance.callback(brought)).status);
    expect(await tenants(app)).toBe(before);
  });

  test('can still sign in to the other workspace', async () => {
    const other = await openTeam(app);
    const { invite_token } = await other.invite();
    await dance.signIn(sub, { invite_token });
    await revoke();
    const { status, body } = await dance.signIn(sub);
    expect([status, body.user?.tenant_id]).toEqual([200, other.tenantId]);
  });

  test('restored, signs in as before', async () => {
    await revoke();
    await app.json('POST', `/api/auth/users/${member.userId}/restore`, { headers: team.admin });
    const { status, body } = await dance.signIn(sub);
    expect([status, body.user?.user_id]).toEqual([200, member.userId]);
  });
});

describe('A 4.1: passwords and a member of an identity provider', () => {
  test('a reset link is 400', async () => {
    const { status, body } = await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, {
      headers: team.admin,
    });
    expect([status, typeof body.detail]).toEqual([400, 'string']);
  });

  test('the password grant does not find them', async () => {
    const unknown = await grant(app, {
      grant_type: 'password',
      username: 'nobody@example.org',
      password: 'x',
    });
    for (const password of ['', 'null', 'x']) {
      const { status, body } = await passwordGrant(app, member, { password: password });
      if (password === '') expect([401, 422]).toContain(status);
      else expect([status, body]).toEqual([401, unknown.body]);
    }
  });

  test('A 2.3: a refreshed token still says oauth2', async () => {
    const { status, body } = await refresh(app, member.refreshToken);
    expect([status, body.user?.provider]).toEqual([200, 'oauth2']);
  });

  test('PASSWORD_SIGNIN_ENABLED=false switches off only the password grant', async () => {
    const at = dancing(sso, provider);
    expect((await at.signIn(account().sub)).status).toBe(200);
    const { status } = await grant(sso, { grant_type: 'password', username: 'a@example.org', password: 'x' });
    expect(status).toBe(403);
  });
  const sso = useTestApp({ env: { ...env, PASSWORD_SIGNIN_ENABLED: 'false' } });
});
