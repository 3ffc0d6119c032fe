import { describe, expect, test } from 'vitest';
import { introspect, revoke } from '#test/auth/sign-in.ts';
import { found, type Headers, operator, operatorKey } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const env = { AUTH_RATE_LIMIT_ENABLED: 'false' };
const refused = [401, 'admin credentials required'];

describe('without an operator key and any workspace (A 5.1 rule 7)', () => {
  const app = useTestApp({ env, ownDatabase: 'the first workspace ends the open mode permanently' });
  const provision = (headers: Headers = {}) =>
    app.json('POST', '/api/tenants', { headers, body: { name: 'First' } });
  /** Requests to administrators' routes that change nothing. */
  const asks = (headers: Headers) =>
    Promise.all([
      app.json('GET', '/api/tenants', { headers }),
      introspect(app, 'unknown', headers),
      revoke(app, 'unknown', headers),
    ]);
  const answersTo = async (headers: Headers) =>
    (await asks(headers)).map(({ status, body }) => [status, body.detail]);

  // The tests run in this order, because the first workspace ends the open mode permanently.
  test('administrators’ routes need no credential, until there is a workspace', async () => {
    // A request that has credentials is not anonymous.
    const wrong: Headers[] = [
      { 'x-api-key': 'wrong' },
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic d3Jvbmc6d3Jvbmc=' },
      { authorization: 'Bearer' },
      { cookie: 'll_session=wrong' },
    ];
    for (const headers of wrong) {
      expect(await answersTo(headers)).toEqual(Array(3).fill(refused));
      expect((await provision(headers)).status).toBe(401);
    }
    expect((await asks({})).map(({ status }) => status)).toEqual([200, 200, 200]);
    // Routes with other guards still require credentials.
    for (const path of ['/api/translations', '/api/auth/me'])
      expect((await app.json('GET', path)).status).toBe(401);

    const first = await provision();
    expect(first.status).toBe(200);
    expect(await eventsOf(app, first.body.id, 'tenant_provisioned')).toEqual([
      expect.objectContaining({ actor: 'anonymous' }),
    ]);
    for (const headers of [
      {},
      { 'x-api-key': '' },
      { authorization: 'Bearer ' },
      { 'x-api-key': 'undefined' },
    ])
      expect(await answersTo(headers)).toEqual(Array(3).fill(refused));
    expect((await provision()).body.detail).toBe('admin credentials required');
    const founder = await found(app);
    expect((await app.json('GET', '/api/tenants', { headers: founder.bearer })).body).toHaveLength(1);
  });
});

describe('as soon as an operator key is set', () => {
  const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });

  test('administrators’ routes are closed also without a workspace', async () => {
    for (const headers of [{}, { 'x-api-key': '' }]) {
      const { status, body } = await app.json('GET', '/api/tenants', { headers });
      expect([status, body.detail]).toEqual(refused);
    }
    expect((await app.json('POST', '/api/tenants', { body: { name: 'x' } })).status).toBe(401);
    expect((await app.json('GET', '/api/tenants', { headers: operator })).body).toEqual([]);
  });
});
