import { beforeEach, describe, expect, test } from 'vitest';
import {
  developer,
  openTeam,
  operator,
  operatorKey,
  type Person,
  password,
  personOf,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { enrol, mfaGrant, REFUSED_CHALLENGE, verify } from './mfa.ts';
import { me, passwordGrant, postForm, REFUSED_REFRESH, refresh } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

let team: Team;
let member: Person;
beforeEach(async () => {
  team = await openTeam(app);
  member = await team.join();
});

const revoke = (userId: string, headers = team.admin) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });
const restore = (userId: string, headers = team.admin) =>
  app.json('POST', `/api/auth/users/${userId}/restore`, { headers });

const refusedBearer = [401, 'invalid or expired bearer token'];
const refusedRefresh = [401, REFUSED_REFRESH];
const refusedChallenge = [401, REFUSED_CHALLENGE];

/** The responses to the person's tokens. */
async function tokensOf(person: Person) {
  const translations = await app.json('GET', '/api/translations', { headers: person.bearer });
  const bearer = await me(app, person.bearer);
  const refreshed = await refresh(app, person.refreshToken);
  return {
    translations: translations.status,
    bearer: [bearer.status, bearer.body.detail],
    refresh: [refreshed.status, refreshed.body.detail],
  };
}
const signedOut = { translations: 401, bearer: refusedBearer, refresh: refusedRefresh };

describe('A 3.2: a member who is revoked', () => {
  test('C 2: the response is the row, revoked', async () => {
    const { status, body } = await revoke(member.userId);
    expect(status).toBe(200);
    expect(body).toEqual({
      user_id: member.userId,
      email: member.email,
      provider: 'email',
      role: developer,
      active: false,
      created_at: expect.any(String),
      totp_enrolled: false,
    });
  });

  test('is signed out everywhere at once: every access token and every refresh token', async () => {
    const sessions = [member, await sessionOf(member), await sessionOf(member)];
    for (const session of sessions) expect((await me(app, session.bearer)).status).toBe(200);
    await revoke(member.userId);
    for (const session of sessions) expect(await tokensOf(session)).toEqual(signedOut);
    const { status } = await app.json('GET', '/api/auth/users', { headers: member.cookie });
    expect(status).toBe(401);
  });

  test('a session of the cookie is over too: enrolling returns 401 authentication required', async () => {
    await revoke(member.userId);
    const { status, body } = await app.json('POST', '/api/auth/mfa/enroll', {
      headers: member.cookie,
      body: {},
    });
    expect([status, body.detail]).toEqual([401, 'authentication required']);
  });

  test('a sign-in that waits for its code is over: the right code is refused', async () => {
    const { recoveryCodes } = await enrol(app, member);
    const waiting = [await challengeOf(member), await challengeOf(member)] as const;
    await revoke(member.userId);
    const verified = await verify(app, waiting[0], recoveryCodes[0] ?? '');
    expect([verified.status, verified.body.detail]).toEqual(refusedChallenge);
    const granted = await mfaGrant(app, waiting[1], recoveryCodes[1] ?? '');
    expect([granted.status, granted.body.detail]).toEqual(refusedChallenge);
  });

  test('a sign-in that waits for its enrollment is over', async () => {
    await app.json('PATCH', '/api/tenants/security', { headers: team.admin, body: { mfa_required: true } });
    const challenge = await challengeOf(member);
    await revoke(member.userId);
    const { status, body } = await app.json('POST', '/api/auth/mfa/enroll', {
      body: { challenge_id: challenge },
    });
    expect([status, body.detail]).toEqual([401, 'authentication required']);
  });

  test('cannot sign in, and gets the response to a wrong password', async () => {
    const wrong = await passwordGrant(app, member, { password: 'not the right passphrase' });
    await revoke(member.userId);
    const right = await passwordGrant(app, member);
    expect(right.status).toBe(401);
    expect(right.body).toEqual(wrong.body);
    expect(right.headers.getSetCookie()).toEqual([]);
    const unpinned = await postForm(app, '/api/oauth2/token', {
      grant_type: 'password',
      username: member.email,
      password: password,
    });
    expect([unpinned.status, unpinned.body]).toEqual([401, wrong.body]);
  });

  test('stays a member of other workspaces', async () => {
    const elsewhere = await openTeam(app, { email: member.email });
    await revoke(member.userId);
    expect((await me(app, elsewhere.founder.bearer)).status).toBe(200);
    expect((await passwordGrant(app, elsewhere.founder)).status).toBe(200);
  });

  test('the others of the workspace stay signed in', async () => {
    const colleague = await team.join();
    await revoke(member.userId);
    for (const person of [team.founder, colleague]) expect((await me(app, person.bearer)).status).toBe(200);
  });

  test('their tokens are inactive for introspection', async () => {
    await revoke(member.userId);
    for (const token of [member.accessToken, member.refreshToken]) {
      const { body } = await postForm(app, '/api/oauth2/introspect', { token }, team.admin);
      expect(body).toMatchObject({ active: false });
    }
  });

  test('A 4.1: gets no reset link: 400', async () => {
    await revoke(member.userId);
    const { status, body } = await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, {
      headers: team.admin,
    });
    expect([status, typeof body.detail, body.reset_token]).toEqual([400, 'string', undefined]);
  });

  test('cannot come back by a reset link from before', async () => {
    const link = await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, {
      headers: team.admin,
    });
    await revoke(member.userId);
    await app.json('POST', '/api/auth/password-reset', {
      body: { reset_token: link.body.reset_token, new_password: 'another long passphrase' },
    });
    expect((await passwordGrant(app, member, { password: 'another long passphrase' })).status).toBe(401);
    expect((await passwordGrant(app, member)).status).toBe(401);
  });

  test('is refused at the next request even with many requests in flight', async () => {
    const asking = Promise.all(Array.from({ length: 10 }, () => me(app, member.bearer)));
    await revoke(member.userId);
    expect((await me(app, member.bearer)).status).toBe(401);
    for (const { status } of await asking) expect([200, 401]).toContain(status);
  });
});

describe('A 3.2: a member who is restored', () => {
  test('C 2: the response is the row, active; signing in works as before', async () => {
    await revoke(member.userId);
    const { status, body } = await restore(member.userId);
    expect([status, body.user_id, body.active, body.role]).toEqual([200, member.userId, true, developer]);
    const session = await passwordGrant(app, member);
    expect(session.status).toBe(200);
    expect(session.body.user).toMatchObject({ user_id: member.userId, tenant_id: team.tenantId });
  });

  test('sessions that were ended stay ended', async () => {
    const { recoveryCodes } = await enrol(app, member);
    const challenge = await challengeOf(member);
    await revoke(member.userId);
    await restore(member.userId);
    expect(await tokensOf(member)).toEqual(signedOut);
    const { status, body } = await verify(app, challenge, recoveryCodes[0] ?? '');
    expect([status, body.detail]).toEqual(refusedChallenge);
  });

  test('keeps the authenticator', async () => {
    const { recoveryCodes } = await enrol(app, member);
    await revoke(member.userId);
    expect((await restore(member.userId)).body.totp_enrolled).toBe(true);
    const { status } = await verify(app, await challengeOf(member), recoveryCodes[0] ?? '');
    expect(status).toBe(200);
  });
});

describe('C 2: POST /api/auth/users/{user_id}/mfa/reset', () => {
  const reset = (headers = team.admin) =>
    app.json('POST', `/api/auth/users/${member.userId}/mfa/reset`, { headers });

  test.each([
    ['an administrator', () => team.admin],
    ['the operator key', () => operator],
  ])('by %s: the authenticator is gone, the password is enough', async (_, headers) => {
    await enrol(app, member);
    expect((await passwordGrant(app, member)).body.mfa_required).toBe(true);
    const { status, body } = await reset(headers());
    expect(status).toBe(200);
    expect(body).toEqual({ mfa_reset: true, user_id: member.userId });
    const session = await passwordGrant(app, member);
    expect(session.body.access_token).toEqual(expect.any(String));
    const row = await app.json('GET', '/api/auth/users', { headers: team.admin });
    const rows: { user_id: string; totp_enrolled: boolean }[] = row.body;
    expect(rows.find(({ user_id }) => user_id === member.userId)?.totp_enrolled).toBe(false);
  });

  test('removes the recovery codes too', async () => {
    const { recoveryCodes } = await enrol(app, member);
    await reset();
    const again = await sessionOf(member);
    const second = await enrol(app, again);
    const challenge = await challengeOf(member);
    expect((await verify(app, challenge, recoveryCodes[0] ?? '')).status).toBe(401);
    expect((await verify(app, challenge, second.recoveryCodes[0] ?? '')).status).toBe(200);
  });
});

/** Another session of a person without an authenticator. */
async function sessionOf(person: Person): Promise<Person> {
  const { status, body } = await passwordGrant(app, person);
  if (status !== 200 || !body.access_token) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return personOf(body);
}

/** The challenge of a sign-in that needs a code. */
async function challengeOf(person: Person): Promise<string> {
  const { body } = await passwordGrant(app, person);
  expect(body).toMatchObject({ mfa_required: true, mfa_challenge: { challenge_id: expect.any(String) } });
  return body.mfa_challenge.challenge_id;
}
