import { beforeEach, describe, expect, test } from 'vitest';
import {
  administrator,
  bearer,
  developer,
  openTeam,
  operator,
  operatorKey,
  type Person,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });

const rowKeys = ['active', 'created_at', 'email', 'provider', 'role', 'totp_enrolled', 'user_id'];

let team: Team;
let other: Team;
let member: Person;
beforeEach(async () => {
  team = await openTeam(app);
  other = await openTeam(app);
  member = await team.join();
});

const list = (headers: Record<string, string>, query = '') =>
  app.json('GET', `/api/auth/users${query}`, { headers });
const revoke = (userId: string, headers = team.admin) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });

type Row = { user_id: string; active: boolean };
const ids = (rows: Row[]) => rows.map((row) => row.user_id).toSorted();
const idsOf = (...people: Person[]) => people.map((person) => person.userId).toSorted();

describe('A 2.2: GET /api/auth/users', () => {
  test('a row has the seven fields, and no secret', async () => {
    const { status, body } = await list(team.admin);
    expect(status).toBe(200);
    for (const row of body) expect(Object.keys(row).toSorted()).toEqual(rowKeys);
    const rows = Object.fromEntries(body.map((row: Row) => [row.user_id, row]));
    expect(rows[team.founder.userId]).toEqual({
      user_id: team.founder.userId,
      email: team.founder.email,
      provider: 'email',
      role: administrator,
      active: true,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/),
      totp_enrolled: false,
    });
    expect(rows[member.userId]).toMatchObject({ email: member.email, role: developer, active: true });
    expect(JSON.stringify(body)).not.toContain('argon2');
  });

  test('A 5.2: only the own members, by bearer and by cookie', async () => {
    for (const headers of [team.admin, team.founder.cookie]) {
      const { body } = await list(headers);
      expect(ids(body)).toEqual(idsOf(team.founder, member));
    }
  });

  test('A 4.1: revoked members are listed only with include_revoked', async () => {
    await revoke(member.userId);
    expect(ids((await list(team.admin)).body)).toEqual(idsOf(team.founder));
    expect(ids((await list(team.admin, '?include_revoked=false')).body)).toEqual(idsOf(team.founder));
    const { body } = await list(team.admin, '?include_revoked=true');
    expect(ids(body)).toEqual(idsOf(team.founder, member));
    expect(body.find((row: Row) => row.user_id === member.userId)).toMatchObject({ active: false });
  });

  test('C 7: an include_revoked that is not a boolean is 422', async () => {
    const { status, body } = await list(team.admin, '?include_revoked=perhaps');
    expect(status).toBe(422);
    expect(body.detail).toEqual(expect.any(Array));
  });

  test('A 4.1: the operator key must name the tenant', async () => {
    for (const headers of [operator, bearer(operatorKey)]) {
      const nameless = await list(headers);
      expect([nameless.status, nameless.body]).toEqual([
        400,
        { detail: 'tenant_id query parameter is required with API-key access' },
      ]);
      for (const { tenantId, founder } of [team, other]) {
        const { status, body } = await list(headers, `?tenant_id=${tenantId}`);
        expect(status).toBe(200);
        expect(ids(body)).toContain(founder.userId);
      }
    }
    const { body } = await list(operator, `?tenant_id=${other.tenantId}`);
    expect(ids(body)).toEqual(idsOf(other.founder));
  });

  test('A 4.1: an ordinary administrator’s foreign tenant_id is ignored', async () => {
    for (const tenantId of [other.tenantId, team.tenantId, 'nobody', '*']) {
      const { status, body } = await list(team.admin, `?tenant_id=${tenantId}`);
      expect(status).toBe(200);
      expect(ids(body)).toEqual(idsOf(team.founder, member));
    }
  });
});

/** Each of the routes on one member, with a body that it takes. */
const routes = (userId: string): [string, string, object | undefined][] => [
  ['DELETE', `/api/auth/users/${userId}`, undefined],
  ['POST', `/api/auth/users/${userId}/restore`, undefined],
  ['PATCH', `/api/auth/users/${userId}/role`, { role: administrator }],
  ['POST', `/api/auth/users/${userId}/mfa/reset`, undefined],
  ['POST', `/api/auth/users/${userId}/password-reset-link`, undefined],
];

async function walk(userId: string, headers: Record<string, string>) {
  const answers: unknown[] = [];
  for (const [method, path, body] of routes(userId)) {
    const answer = await app.json(method, path, { headers, body });
    answers.push([method, path, answer.status, answer.body?.detail]);
  }
  return answers;
}

describe('A 5.2: who may change a member', () => {
  const unchanged = async () => {
    const { body } = await list(operator, `?tenant_id=${team.tenantId}&include_revoked=true`);
    expect(body.find((row: Row) => row.user_id === member.userId)).toMatchObject({
      role: developer,
      active: true,
    });
    expect((await app.json('GET', '/api/auth/me', { headers: member.bearer })).status).toBe(200);
  };

  test('an administrator of another tenant gets 404, as for an unknown id', async () => {
    const foreign = await walk(member.userId, other.admin);
    const unknown = await walk('nobody', other.admin);
    for (const answers of [foreign, unknown])
      for (const answer of answers) expect(answer).toEqual(expect.arrayContaining([404]));
    const details = (answers: unknown[]) => answers.map((answer) => (answer as unknown[])[3]);
    expect(details(foreign)).toEqual(details(unknown));
    await unchanged();
  });

  test('a plain member gets 403 admin role required, for others and for themselves', async () => {
    const colleague = await team.join();
    for (const headers of [colleague.bearer, member.bearer])
      for (const answer of await walk(member.userId, headers))
        expect(answer).toEqual(expect.arrayContaining([403, 'admin role required']));
    expect([(await list(member.bearer)).status, (await list(member.cookie)).status]).toEqual([403, 403]);
    await unchanged();
  });

  test('a tenant API key, a wrong key and no credential get 401 admin credentials required', async () => {
    const ways = [{ 'x-api-key': team.apiKey }, bearer(team.apiKey), bearer('wrong'), {}];
    for (const headers of ways) {
      for (const answer of await walk(member.userId, headers))
        expect(answer).toEqual(expect.arrayContaining([401, 'admin credentials required']));
      expect((await list(headers)).status).toBe(401);
    }
    await unchanged();
  });

  test('the operator key alone reaches a member of any tenant', async () => {
    const colleague = await other.join();
    for (const person of [member, colleague]) {
      const { status, body } = await app.json('DELETE', `/api/auth/users/${person.userId}`, {
        headers: operator,
      });
      expect([status, body.user_id, body.active]).toEqual([200, person.userId, false]);
    }
  });
});
