import { expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({
  env: {
    TRUST_PROXY: '1',
    OIDC_ENABLED: 'true',
    // An unused address: none of these requests reaches the provider.
    OIDC_ISSUER: 'http://127.0.0.1:9',
    OIDC_CLIENT_ID: 'lingualoop',
  },
});

const from = (address: string) => ({ 'x-forwarded-for': address });
type Headers = ReturnType<typeof from>;

/** The three routes, each with the cheapest request that is not limited. */
const legs: [name: string, unlimited: number, knock: (headers: Headers) => ReturnType<typeof app.json>][] = [
  [
    'authorize',
    400,
    (headers) =>
      app.json('POST', '/api/oauth2/oidc/authorize', {
        headers,
        body: { redirect_uri: 'https://elsewhere.example/' },
      }),
  ],
  [
    'callback',
    401,
    (headers) =>
      app.json('POST', '/api/oauth2/oidc/callback', { headers, body: { code: 'x', state: 'nobody' } }),
  ],
  ['client-config', 200, (headers) => app.json('GET', '/api/oauth2/oidc/client-config', { headers })],
];

test('A 5.4: each step of a single sign-on allows 30 attempts a minute per address, counted apart', async () => {
  const here = from('198.18.0.1');
  for (const [name, unlimited, knock] of legs) {
    for (let attempt = 0; attempt < 30; attempt += 1)
      expect((await knock(here)).status, name).toBe(unlimited);
    const refused = await knock(here);
    expect([refused.status, refused.body], name).toEqual([429, { detail: expect.any(String) }]);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.getSetCookie()).toEqual([]);
  }
  for (const [name, unlimited, knock] of legs) {
    expect((await knock(here)).status, name).toBe(429);
    expect((await knock(from('198.18.0.2'))).status, name).toBe(unlimited);
  }
});

test('A 5.4: an invalid request counts like a valid one', async () => {
  const headers = from('198.18.0.3');
  for (const path of ['authorize', 'callback']) {
    const knock = () => app.json('POST', `/api/oauth2/oidc/${path}`, { headers, body: {} });
    for (let attempt = 0; attempt < 30; attempt += 1) expect((await knock()).status, path).toBe(422);
    expect((await knock()).status, path).toBe(429);
  }
});
