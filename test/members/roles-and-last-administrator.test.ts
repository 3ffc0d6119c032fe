import { beforeEach, describe, expect, test } from 'vitest';
import { me, postForm, refresh } from '#test/auth/sign-in.ts';
import {
  administrator,
  developer,
  openTeam,
  operator,
  operatorKey,
  type Person,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

let team: Team;
let member: Person;
beforeEach(async () => {
  team = await openTeam(app);
  member = await team.join();
});

const setRole = (userId: string, role: unknown, headers = team.admin) =>
  app.json('PATCH', `/api/auth/users/${userId}/role`, { headers, body: { role } });
const revoke = (userId: string, headers = team.admin) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });
const administers = async ({ bearer }: Person) =>
  (await app.json('GET', '/api/auth/users', { headers: bearer })).status;

/** The ids of the team's active administrators. */
async function administrators(): Promise<string[]> {
  const { body } = await app.json('GET', `/api/auth/users?tenant_id=${team.tenantId}`, { headers: operator });
  const rows: { user_id: string; role: string; active: boolean }[] = body;
  return rows.filter(({ role, active }) => active && role === administrator).map(({ user_id }) => user_id);
}

describe('C 2: PATCH /api/auth/users/{user_id}/role', () => {
  test('returns the row with its new role', async () => {
    const { status, body } = await setRole(member.userId, administrator);
    expect(status).toBe(200);
    expect(body).toEqual({
      user_id: member.userId,
      email: member.email,
      provider: 'email',
      role: administrator,
      active: true,
      created_at: expect.any(String),
      totp_enrolled: false,
    });
  });

  test('C 7: the same token has the new role at the next request, up and down', async () => {
    expect(await administers(member)).toBe(403);
    await setRole(member.userId, administrator);
    expect(await administers(member)).toBe(200);
    expect((await me(app, member.bearer)).body.user.role).toBe(administrator);
    await setRole(member.userId, developer);
    expect(await administers(member)).toBe(403);
    expect((await me(app, member.bearer)).body.user.role).toBe(developer);
  });

  test('C 7: by the cookie too', async () => {
    const knock = async () => (await app.json('GET', '/api/auth/users', { headers: member.cookie })).status;
    expect(await knock()).toBe(403);
    await setRole(member.userId, administrator);
    expect(await knock()).toBe(200);
  });

  test('A 2.4: introspection still shows the role at issuance', async () => {
    await setRole(member.userId, administrator);
    const { body } = await postForm(app, '/api/oauth2/introspect', { token: member.accessToken }, team.admin);
    expect(body).toMatchObject({ active: true, sub: member.userId, role: developer });
    const fresh = await refresh(app, member.refreshToken);
    const now = await postForm(app, '/api/oauth2/introspect', { token: fresh.body.access_token }, team.admin);
    expect(now.body.role).toBe(administrator);
  });

  test.each([
    ['owner'],
    ['Global_Administrator'],
    ['operator'],
    [''],
    [null],
    [1],
    [['global_administrator']],
  ])('C 2: %j is not a role: 422', async (role) => {
    const { status, body } = await setRole(member.userId, role);
    expect(status).toBe(422);
    expect(body.detail).toEqual(expect.any(Array));
    expect((await me(app, member.bearer)).body.user.role).toBe(developer);
  });

  test('C 7: a missing role is 422', async () => {
    const { status } = await app.json('PATCH', `/api/auth/users/${member.userId}/role`, {
      headers: team.admin,
      body: {},
    });
    expect(status).toBe(422);
  });

  test('a member cannot make an administrator of themselves', async () => {
    expect((await setRole(member.userId, administrator, member.bearer)).status).toBe(403);
    expect(await administers(member)).toBe(403);
  });
});

describe('C 2: the last active administrator', () => {
  test.each([
    ['themselves', () => team.admin],
    ['the operator key', () => operator],
  ])('is neither revoked nor demoted by %s: 409', async (_, headers) => {
    const answers = [
      await revoke(team.founder.userId, headers()),
      await setRole(team.founder.userId, developer, headers()),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(409);
      expect(body.detail).toEqual(expect.any(String));
    }
    expect(await administers(team.founder)).toBe(200);
  });

  test('keeping the role is not a demotion', async () => {
    expect((await setRole(team.founder.userId, administrator)).status).toBe(200);
  });

  test('a revoked administrator beside them does not count', async () => {
    await setRole(member.userId, administrator);
    await revoke(member.userId);
    expect((await setRole(team.founder.userId, developer)).status).toBe(409);
    expect((await revoke(team.founder.userId)).status).toBe(409);
  });

  test('an administrator of another tenant does not count either', async () => {
    await openTeam(app, { email: team.founder.email });
    expect((await revoke(team.founder.userId)).status).toBe(409);
  });

  test('with a second one there, the first may be revoked or demoted', async () => {
    await setRole(member.userId, administrator);
    expect((await setRole(team.founder.userId, developer)).status).toBe(200);
    expect(await administers(team.founder)).toBe(403);
    expect((await revoke(team.founder.userId, member.bearer)).status).toBe(200);
    expect((await revoke(member.userId, member.bearer)).status).toBe(409);
  });

  test('a plain member can be revoked however few administrators there are', async () => {
    expect((await revoke(member.userId)).status).toBe(200);
  });
});

describe('C 2: two administrators at the same time', () => {
  const rounds = [1, 2, 3];
  beforeEach(async () => {
    await setRole(member.userId, administrator);
  });

  test.each(rounds)('who demote each other: one stays (%i)', async () => {
    const answers = await Promise.all([
      setRole(member.userId, developer, team.admin),
      setRole(team.founder.userId, developer, member.bearer),
    ]);
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses[0]).toBe(200);
    expect([403, 409]).toContain(statuses[1]);
    expect(await administrators()).toHaveLength(1);
  });

  test.each(rounds)('who revoke each other: one stays (%i)', async () => {
    const answers = await Promise.all([
      revoke(member.userId, team.admin),
      revoke(team.founder.userId, member.bearer),
    ]);
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses[0]).toBe(200);
    expect([401, 403, 409]).toContain(statuses[1]);
    expect(await administrators()).toHaveLength(1);
  });

  test.each(rounds)('one revoked while the other is demoted, by the operator: one stays (%i)', async () => {
    const answers = await Promise.all([
      revoke(member.userId, operator),
      setRole(team.founder.userId, developer, operator),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await administrators()).toHaveLength(1);
  });
});
