import { describe, expect, test } from 'vitest';
import { bearer, openTeam, operator, operatorKey } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const serviceKey = 'a-service-key-of-some-length-0123456789abc';
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey, SERVICE_API_KEY: serviceKey };
const PATH = '/api/translations';

const ways = (key: string) => [{ 'x-api-key': key }, bearer(key)];
const mismatch = [401, 'missing or invalid API key'];
const wrongKeys = [
  serviceKey.slice(0, -1),
  `${serviceKey}x`,
  serviceKey.toUpperCase(),
  'undefined',
  operatorKey,
];

describe('A 5.1 rule 6: a deployment with no tenant accounts', () => {
  const app = useTestApp({ env });
  const text = { source_text: 'Hello', target_lang: 'fr' };
  const list = (headers: Record<string, string>) => app.json('GET', PATH, { headers });

  // One after the other: the first tenant ends it.
  test('checks the service key instead of a tenant’s, until the first tenant exists', async () => {
    for (const headers of ways(serviceKey)) {
      expect([(await list(headers)).status, (await list(headers)).body]).toEqual([200, []]);
    }
    for (const key of wrongKeys)
      for (const headers of ways(key)) {
        const { status, body } = await list(headers);
        expect([status, body.detail]).toEqual(mismatch);
      }
    const nobody = await list({});
    expect([nobody.status, nobody.body.detail]).toEqual(mismatch);
    const refused = await app.json('POST', PATH, { headers: { 'x-api-key': 'wrong' }, body: text });
    expect([refused.status, refused.body.detail]).toEqual(mismatch);

    // It is no administrator and no operator.
    for (const headers of ways(serviceKey)) {
      const { status, body } = await app.json('GET', '/api/tenants', { headers });
      expect([status, body.detail]).toEqual([401, 'admin credentials required']);
    }
    for (const headers of ways(serviceKey))
      expect((await app.json('GET', '/api/auth/me', { headers })).status).toBe(401);

    const team = await openTeam(app);
    for (const headers of ways(serviceKey)) {
      const { status, body } = await list(headers);
      expect([status, body.detail]).toEqual([401, 'missing or invalid tenant credentials']);
    }
    expect((await list({ 'x-api-key': team.apiKey })).status).toBe(200);
  });
});

describe('A 5.1 rule 6: what is translated with the service key', () => {
  const app = useTestApp({ env });

  test('is a job that the service key reads again, and no tenant afterwards', async () => {
    const headers = { 'x-api-key': serviceKey };
    const made = await app.json('POST', PATH, {
      headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect(made.status).toBe(200);
    const read = await app.json('GET', `${PATH}/${made.body.id}`, { headers });
    expect([read.status, read.body]).toEqual([200, made.body]);
    // It founds no tenant account.
    expect((await app.json('GET', '/api/tenants', { headers: operator })).body).toEqual([]);
    const team = await openTeam(app);
    const foreign = await app.json('GET', `${PATH}/${made.body.id}`, { headers: team.admin });
    expect(foreign.status).toBe(404);
  });
});

describe('C 7: an unset SERVICE_API_KEY', () => {
  const unset = useTestApp({ env: { ...env, SERVICE_API_KEY: '' } });

  test('never matches anything', async () => {
    for (const key of ['', 'undefined', 'null', 'default', serviceKey])
      for (const headers of ways(key)) expect((await unset.json('GET', PATH, { headers })).status).toBe(401);
    expect((await unset.json('GET', PATH)).status).toBe(401);
  });
});
