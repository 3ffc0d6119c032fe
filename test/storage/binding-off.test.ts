import { expect, test } from 'vitest';
import { found, join as joinTeam } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const message = 'Bring Your Own Storage is not enabled on this service';
const routes: [string, string, unknown?][] = [
  ['GET', '/api/storage/binding'],
  [
    'PUT',
    '/api/storage/binding',
    {
      account_url: 'https://contoso.dfs.core.windows.net',
      filesystem: 'files',
      auth_mode: 'managed_identity',
    },
  ],
  ['PUT', '/api/storage/binding', { provider: 'platform' }],
  ['DELETE', '/api/storage/binding'],
  ['POST', '/api/storage/binding/verify'],
];

test.each(routes)(
  'B 4.6: %s %s is 409 while the feature is off, with this message',
  async (method, path, body) => {
    const { key, bearer } = await found(app);
    for (const headers of [key, bearer])
      expect(await app.json(method, path, { headers, body })).toMatchObject({
        status: 409,
        body: { detail: message },
      });
  },
);

test.each(routes)('C 7: %s %s asks for credentials first', async (method, path, body) => {
  for (const headers of [{}, { 'x-api-key': 'unknown' }])
    expect(await app.json(method, path, { headers, body })).toMatchObject({
      status: 401,
      body: { detail: 'missing or invalid tenant credentials' },
    });
  const member = await joinTeam(app, await found(app));
  const { status, body: said } = await app.json(method, path, { headers: member.bearer, body });
  // Any member may read it; the rest is for administrators.
  if (method === 'GET') expect([status, said.detail]).toEqual([409, message]);
  else expect([status, said.detail]).toEqual([403, 'admin role required']);
});

test('the usage of the platform’s storage is there with the feature off', async () => {
  const { key } = await found(app);
  expect(await app.json('GET', '/api/storage/usage', { headers: key })).toMatchObject({
    status: 200,
    body: { provider: 'platform', bytes_used: 0, bytes_allowed: 10_000_000_000, objects: 0 },
  });
});
