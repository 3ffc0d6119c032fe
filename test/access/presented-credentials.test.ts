import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openWorkspace, type Workspace } from '#test/translations/workspace.ts';

const operatorKey = 'an-operator-key-of-some-length-0123456789';
const serviceKey = 'a-service-key-of-some-length-0123456789abc';
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey, SERVICE_API_KEY: serviceKey };
const app = useTestApp({ env });
/** A deployment without tenants, where the service key is valid. */
const bare = useTestApp({ env });

type Headers = Record<string, string>;
const schemes = ['Bearer', 'bearer', 'BEARER', 'bEaReR'];

let mine: Workspace;
beforeEach(async () => {
  mine = await openWorkspace(app);
});

/** Where each key is valid, and a request that it authorizes. */
const keys: [string, () => string, (headers: Headers) => ReturnType<typeof app.json>][] = [
  ['the operator key', () => operatorKey, (headers) => app.json('GET', '/api/tenants', { headers })],
  ['the service key', () => serviceKey, (headers) => bare.json('GET', '/api/translations', { headers })],
  ['a tenant’s key', () => mine.apiKey, (headers) => app.json('GET', '/api/translations', { headers })],
];

describe.each(keys)('A 5.1 rule 1: %s', (_, keyOf, ask) => {
  test('counts in X-API-Key, whatever the bearer is', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: 'Basic wrong' }])
      expect((await ask({ 'x-api-key': keyOf(), ...headers })).status).toBe(200);
  });

  test.each(schemes)('counts as the bearer, %s, where there is no X-API-Key', async (scheme) => {
    expect((await ask({ authorization: `${scheme} ${keyOf()}` })).status).toBe(200);
  });

  test('does not count as the bearer beside another X-API-Key', async () => {
    const authorization = `Bearer ${keyOf()}`;
    for (const other of ['wrong', `${keyOf()}x`])
      expect((await ask({ 'x-api-key': other, authorization })).status).toBe(401);
  });
});

test.each(schemes)('RFC 9110 11.1: a session counts as %s, in any letter case', async (scheme) => {
  const headers = { authorization: `${scheme} ${mine.accessToken}` };
  for (const path of ['/api/auth/me', '/api/tenants', '/api/translations'])
    expect((await app.json('GET', path, { headers })).status, path).toBe(200);
});

describe('B 5: the golden download accepts the session cookie if no other credential is presented', () => {
  test('alone', async () => {
    const { id } = await mine.job();
    expect((await mine.golden(id, 'txt', mine.cookie)).status).toBe(200);
  });

  const others: [string, Headers][] = [
    ['an X-API-Key', { 'x-api-key': 'garbage' }],
    ['a bearer', { authorization: 'Bearer garbage' }],
    ['another scheme', { authorization: 'Basic garbage' }],
    ['a bearer of two words', { authorization: 'Bearer gar bage' }],
    ['the operator key', { 'x-api-key': operatorKey }],
  ];

  test.each(others)(
    '%s that is not a tenant’s is refused, not ignored, beside a good cookie',
    async (_, headers) => {
      const { id } = await mine.job();
      expect((await mine.golden(id, 'txt', { ...mine.cookie, ...headers })).status).toBe(401);
    },
  );

  test('another tenant’s key beside it decides the tenant', async () => {
    const { id } = await mine.job();
    const other = await openWorkspace(app);
    expect((await mine.golden(id, 'txt', { ...mine.cookie, ...other.headers })).status).toBe(404);
  });
});
