import { expect, test } from 'vitest';
import { found, type Headers, join as joinTeam } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const message = 'Bring Your Own Storage is not enabled on this service';
const routes: [string, string, unknown?][] = [
  ['GET', '/api/storage/binding'],
  [
    'PUT',
    '/api/storage/binding',
    { account_url: 'https://contoso.dfs.core.windows.net', filesystem: 'files' },
  ],
  ['DELETE', '/api/storage/binding'],
  ['POST', '/api/storage/binding/verify'],
];

test('the binding is 409 while the feature is off, after credentials and role were checked', async () => {
  const owner = await found(app);
  const member = await joinTeam(app, owner);
  for (const [method, path, body] of routes) {
    const ask = (headers: Headers) => app.json(method, path, { headers, body });
    for (const headers of [owner.key, owner.bearer])
      expect(await ask(headers)).toMatchObject({ status: 409, body: { detail: message } });
    for (const headers of [{}, { 'x-api-key': 'unknown' }])
      expect(await ask(headers)).toMatchObject({
        status: 401,
        body: { detail: 'missing or invalid tenant credentials' },
      });
    // All members may read the binding; all other requests are for administrators.
    const { status, body: answer } = await ask(member.bearer);
    if (method === 'GET') expect([status, answer.detail]).toEqual([409, message]);
    else expect([status, answer.detail]).toEqual([403, 'admin role required']);
  }
});

test('the usage of the platform’s storage is there with the feature off', async () => {
  const { key } = await found(app);
  expect(await app.json('GET', '/api/storage/usage', { headers: key })).toMatchObject({
    status: 200,
    body: { provider: 'platform', bytes_used: 0, bytes_allowed: 10_000_000_000, objects: 0 },
  });
});
