import { describe, expect, test } from 'vitest';
import { postForm } from '#test/auth/sign-in.ts';
import { type Headers, openTeam, operator, operatorKey } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const refused = [401, 'admin credentials required'];

describe('A 5.1 rule 7: no operator key is configured and no tenant exists', () => {
  const open = useTestApp({ env });
  const tenants = (headers = {}) => open.json('GET', '/api/tenants', { headers });

  // In sequence: the first tenant closes it permanently.
  test('the admin gate passes with no credential, until the first tenant is created', async () => {
    const { status, body } = await tenants();
    expect([status, body]).toEqual([200, []]);
    const introspected = await postForm(open, '/api/oauth2/introspect', { token: 'unknown' });
    expect([introspected.status, introspected.body.active]).toEqual([200, false]);
    const revoked = await postForm(open, '/api/oauth2/revoke', { token: 'unknown' });
    expect([revoked.status, revoked.body]).toEqual([200, { revoked: true }]);

    // Routes with other guards stay closed.
    expect((await open.json('GET', '/api/translations')).status).toBe(401);
    expect((await open.json('GET', '/api/auth/me')).status).toBe(401);

    const team = await openTeam(open);
    for (const headers of [
      {},
      { 'x-api-key': '' },
      { authorization: 'Bearer ' },
      { 'x-api-key': 'undefined' },
    ]) {
      const closed = await tenants(headers);
      expect([closed.status, closed.body.detail]).toEqual(refused);
    }
    const asked = await postForm(open, '/api/oauth2/introspect', { token: team.founder.accessToken });
    expect([asked.status, asked.body.detail]).toEqual(refused);
    expect((await tenants(team.admin)).body).toHaveLength(1);
  });
});

describe('A 5.1 rule 7: without an operator key and any tenant', () => {
  const app = useTestApp({ env });

  test('the first tenant is provisioned without a credential and audited without an actor; the second is refused', async () => {
    const empty = await app.json('GET', '/api/tenants');
    expect([empty.status, empty.body]).toEqual([200, []]);
    const first = await app.json('POST', '/api/tenants', { body: { name: 'First' } });
    expect(first.status).toBe(200);
    expect(await eventsOf(app, first.body.id, 'tenant_provisioned')).toEqual([
      expect.objectContaining({ actor: 'anonymous' }),
    ]);
    const second = await app.json('POST', '/api/tenants', { body: { name: 'Second' } });
    expect([second.status, second.body]).toEqual([401, { detail: 'admin credentials required' }]);
    expect((await app.json('GET', '/api/tenants')).status).toBe(401);
  });
});

describe('A 5.1 rule 7: a request that presents a credential is not anonymous', () => {
  // No tenant is ever created, so it stays open.
  const open = useTestApp({ env });

  const wrong: [string, Headers][] = [
    ['an X-API-Key', { 'x-api-key': 'wrong' }],
    ['a bearer', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: 'Basic d3Jvbmc6d3Jvbmc=' }],
    ['an Authorization header that says nothing', { authorization: 'Bearer' }],
    ['a cookie', { cookie: 'll_session=wrong' }],
    ['an X-API-Key beside a bearer', { 'x-api-key': 'wrong', authorization: 'Bearer wrong' }],
  ];
  /** Routes behind the admin guard, with requests that change nothing. */
  const asks = (headers: Headers) => [
    open.json('GET', '/api/tenants', { headers }),
    postForm(open, '/api/oauth2/introspect', { token: 'unknown' }, headers),
    postForm(open, '/api/oauth2/revoke', { token: 'unknown' }, headers),
  ];

  test.each(wrong)('a wrong credential is refused where none would pass: %s', async (_, headers) => {
    const made = await open.json('POST', '/api/tenants', { headers, body: { name: 'x' } });
    for (const { status, body } of [made, ...(await Promise.all(asks(headers)))])
      expect([status, body.detail]).toEqual(refused);
    for (const { status } of await Promise.all(asks({}))) expect(status).toBe(200);
  });
});

describe('A 5.1 rule 7: as soon as an operator key is set', () => {
  const closed = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });

  test('the admin gate is closed, though no tenant exists', async () => {
    for (const headers of [{}, { 'x-api-key': 'wrong' }, { 'x-api-key': '' }]) {
      const { status, body } = await closed.json('GET', '/api/tenants', { headers });
      expect([status, body.detail]).toEqual(refused);
    }
    const made = await closed.json('POST', '/api/tenants', { body: { name: 'x' } });
    expect([made.status, made.body.detail]).toEqual(refused);
    const { status, body } = await closed.json('GET', '/api/tenants', { headers: operator });
    expect([status, body]).toEqual([200, []]);
  });
});
