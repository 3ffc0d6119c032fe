import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, openTeam, operator, operatorKey, type Person, type Team } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };
const app = useTestApp({ env });

let team: Team;
let member: Person;
beforeEach(async () => {
  team = await openTeam(app);
  member = await team.join();
});

const tenants = (headers: Record<string, string>, at = app) => at.json('GET', '/api/tenants', { headers });
const provision = (headers: Record<string, string>, at = app) =>
  at.json('POST', '/api/tenants', { headers, body: { name: 'x' } });
const ways = [operator, bearer(operatorKey)];

describe('A 5.1: the operator key', () => {
  test('as X-API-Key and as a bearer passes the admin gate and the operator’s', async () => {
    for (const headers of ways) {
      expect((await tenants(headers)).status).toBe(200);
      expect((await provision(headers)).status).toBe(200);
    }
  });

  test('rule 1: a right bearer does not make up for a wrong X-API-Key', async () => {
    const { status } = await tenants({ 'x-api-key': 'wrong', ...bearer(operatorKey) });
    expect(status).toBe(401);
    expect((await tenants({ ...operator, ...bearer('wrong') })).status).toBe(200);
  });

  test('rule 4: a wrong key is rejected like a missing one', async () => {
    const missing = await tenants({});
    expect([missing.status, missing.body]).toEqual([401, { detail: 'admin credentials required' }]);
    const wrong = [
      operatorKey.slice(0, -1),
      `${operatorKey}x`,
      operatorKey.toUpperCase(),
      operatorKey + operatorKey,
      `${operatorKey},${operatorKey}`,
      '',
      'undefined',
      '*',
    ];
    for (const key of wrong)
      for (const headers of [{ 'x-api-key': key }, bearer(key)]) {
        const { status, body } = await tenants(headers);
        expect([status, body]).toEqual([401, missing.body]);
      }
  });

  test('not by another scheme, a cookie or the query', async () => {
    const basic = Buffer.from(`operator:${operatorKey}`).toString('base64');
    const others = [
      { authorization: operatorKey },
      { authorization: `Basic ${basic}` },
      { cookie: `ll_session=${operatorKey}` },
      { 'x-operator-key': operatorKey },
    ];
    for (const headers of others) expect((await tenants(headers)).status).toBe(401);
    for (const name of ['api_key', 'x-api-key', 'access_token'])
      expect((await app.request(`/api/tenants?${name}=${operatorKey}`)).status).toBe(401);
  });

  test('rule 5: alone it resolves to no tenant', async () => {
    for (const headers of ways)
      for (const extra of [{}, { 'x-tenant-id': team.tenantId }]) {
        const { status, body } = await app.json('GET', '/api/translations', {
          headers: { ...headers, ...extra },
        });
        expect([status, body.detail]).toEqual([401, 'missing or invalid tenant credentials']);
      }
  });

  test('A 5.1: is not a session token, and cannot be introspected or revoked', async () => {
    const { status, body } = await app.json('GET', '/api/auth/me', { headers: bearer(operatorKey) });
    expect([status, body.detail]).toEqual([401, 'invalid or expired bearer token']);
    const form = (path: string) =>
      app.request(path, {
        method: 'POST',
        headers: operator,
        body: new URLSearchParams({ token: operatorKey }),
      });
    expect(await (await form('/api/oauth2/introspect')).json()).toMatchObject({ active: false });
    expect(await (await form('/api/oauth2/revoke')).json()).toEqual({ revoked: true });
    expect((await tenants(operator)).status).toBe(200);
  });
});

describe('C 7: the operator key in X-API-Key beside an access token', () => {
  const beside = (person: Person) => ({ ...operator, ...person.bearer });

  test('adds operator access to that call', async () => {
    for (const person of [team.founder, member]) {
      expect((await provision(beside(person))).status).toBe(200);
      const other = await openTeam(app);
      const { body } = await tenants(beside(person));
      const ids = body.map(({ id }: { id: string }) => id);
      expect(ids).toEqual(expect.arrayContaining([team.tenantId, other.tenantId]));
    }
  });

  test('the token still decides the tenant', async () => {
    const { status, body } = await app.json('POST', '/api/translations', {
      headers: beside(member),
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect([status, body.request?.metadata.tenant.id]).toEqual([200, team.tenantId]);
    const { body: mine } = await app.json('GET', '/api/auth/me', { headers: beside(member) });
    expect(mine.user.user_id).toBe(member.userId);
  });

  test('does not outlast that call', async () => {
    await provision(beside(member));
    expect((await provision(member.bearer)).status).toBe(403);
  });

  test('a wrong one adds nothing', async () => {
    const wrong = { 'x-api-key': `${operatorKey}x` };
    const asAdmin = await provision({ ...wrong, ...team.founder.bearer });
    expect([asAdmin.status, asAdmin.body.detail]).toEqual([403, 'tenant provisioning is operator-only']);
    const asMember = await tenants({ ...wrong, ...member.bearer });
    expect([asMember.status, asMember.body.detail]).toEqual([403, 'admin role required']);
  });
});

describe('C 7: an unset OPERATOR_API_KEY', () => {
  const unset = useTestApp({ env: { ...env, OPERATOR_API_KEY: '' } });

  test('never matches anything; an empty key does not either', async () => {
    const own = await openTeam(unset);
    for (const key of ['', ' ', 'undefined', 'null', 'None', 'false', '0', operatorKey])
      for (const headers of [{ 'x-api-key': key }, bearer(key)]) {
        const { status, body } = await tenants(headers, unset);
        expect([status, body.detail], key).toEqual([401, 'admin credentials required']);
        const beside = await provision({ 'x-api-key': key, ...own.admin }, unset);
        expect([beside.status, beside.body.detail]).toEqual([403, 'tenant provisioning is operator-only']);
      }
  });
});
