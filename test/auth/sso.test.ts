import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { type Headers, openTeam, personOf } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows } from '#test/setup/stored-rows.ts';
import { me, refresh, sessionCookie } from './sign-in.ts';
import {
  type BroughtBack,
  baseUrl,
  clientSecret,
  dancing,
  openIdentityProvider,
  redirectUri,
} from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const listed = 'https://elsewhere.example/app/callback';
const app = useTestApp({ env: { ...env, OIDC_REDIRECT_URIS: `${listed}, myapp://signed-in` } });
const dance = dancing(app, provider);
afterEach(() => {
  provider.faults = {};
});

const routes: [string, string, object | undefined][] = [
  ['POST', 'authorize', { redirect_uri: redirectUri }],
  ['POST', 'callback', { code: 'x', state: 'x' }],
  ['GET', 'client-config', undefined],
];

/** Expects this error, no cookie, and no new workspace. */
async function expectRefused(
  brought: Pick<BroughtBack, 'code' | 'state'>,
  expected: unknown,
  headers: Headers = {},
) {
  const sql = openSuperuser(app.superuserUrl);
  const before = await countRows(sql, ['tenants', 'tokens']);
  const answer = await dance.callback(brought, headers);
  expect([answer.status, answer.body.detail]).toEqual(expected);
  expect(sessionCookie(answer)?.get('ll_session') || undefined).toBeUndefined();
  expect(await countRows(sql, ['tenants', 'tokens'])).toEqual(before);
}
const badState = [401, 'invalid or expired sign-in state'];
const failed = [401, 'single sign-on failed'];

describe('the provider', () => {
  test('is described by client-config, without a secret', async () => {
    const { status, body } = await app.json('GET', '/api/oauth2/oidc/client-config');
    const scopes = ['openid', 'email', 'profile'];
    const described = { provider: 'oidc', issuer: provider.issuer, client_id: 'lingualoop', scopes };
    expect([status, body]).toEqual([200, described]);
  });

  test.each(['google', '__proto__'])('%s is unknown: 404', async (name) => {
    for (const [method, route, body] of routes)
      expect((await app.json(method, `/api/oauth2/${name}/${route}`, { body })).status, route).toBe(404);
  });

  test('out of reach is 503, when a sign-on begins and when it ends', async () => {
    const begun = await dancing(closed, provider).authorize();
    expect([begun.status, typeof begun.body.detail]).toEqual([503, 'string']);
    expect(JSON.stringify(begun.body)).not.toContain('127.0.0.1');
    const brought = await dance.bring(account().sub);
    provider.faults = { reply: { token: (response: ServerResponse) => response.destroy() } };
    expect((await dance.callback(brought)).status).toBe(503);
  });
  const closed = useTestApp({ env: { ...env, OIDC_ISSUER: 'http://127.0.0.1:9' } });
});

describe('beginning a sign-on', () => {
  test('returns an address at the provider, with a new state, nonce and challenge each time, and no secret', async () => {
    const queries = [];
    for (let i = 0; i < 3; i++) {
      const { status, body } = await dance.authorize();
      expect([status, Object.keys(body).toSorted()]).toEqual([200, ['authorization_url', 'state']]);
      const url = new URL(body.authorization_url);
      expect(url.origin).toBe(provider.issuer);
      const query = Object.fromEntries(url.searchParams);
      expect(query).toEqual({
        response_type: 'code',
        client_id: 'lingualoop',
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: body.state,
        nonce: expect.stringMatching(/.{22}/),
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      });
      expect(body.authorization_url).not.toContain(encodeURIComponent(clientSecret));
      queries.push(query);
    }
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(new Set(queries.map((query) => query[name])).size).toBe(3);
  });

  test.each([`${baseUrl}/app/anything?x=1`, listed, 'myapp://signed-in'])(
    'redirect_uri %s is of BASE_URL’s origin or listed: 200',
    async (address) => {
      const { status, body } = await dance.authorize({ redirect_uri: address });
      expect(status).toBe(200);
      expect(new URL(body.authorization_url).searchParams.get('redirect_uri')).toBe(address);
    },
  );

  test.each([
    'https://evil.example/signin/callback',
    'https://lingualoop.example@evil.example/',
    'http://lingualoop.example/signin/callback',
    `${listed}/more`,
    'javascript:alert(1)//https://lingualoop.example/',
    '',
    'https://lingualoop.example\\@evil.example/',
    'https://lingualoop.example/signin/callback#fragment',
    'https://lingualoop.example\\.evil.example/signin/callback',
    'https://lingualoop.example/signin\\callback',
    'https:\\\\lingualoop.example/signin/callback',
    'https:/lingualoop.example/signin/callback',
    'https://user@lingualoop.example/signin/callback',
    'https://user:word@lingualoop.example/signin/callback',
    'https://@lingualoop.example/signin/callback',
    'https://lingualoop.example/signin\r\n/callback',
    ' https://lingualoop.example/signin/callback',
    'https://lingualoop.example\t/signin/callback',
  ])('redirect_uri %j is 400', async (address) => {
    const { status, headers } = await dance.authorize({ redirect_uri: address });
    expect([status, headers.getSetCookie()]).toEqual([400, []]);
  });
});

test('a completed sign-on returns tokens and the key of a new workspace, and sets the cookie', async () => {
  const ada = account({ email: 'Mixed.Case@Example.ORG' });
  // The route is public, so other credentials have no effect.
  const team = await openTeam(app);
  const answer = await dance.callback(await dance.bring(ada.sub), team.admin);
  const { body } = answer;
  expect([answer.status, body]).toMatchObject([
    200,
    {
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'translate:jobs',
      refresh_expires_in: 2_592_000,
      user: { email: 'mixed.case@example.org', provider: 'oauth2' },
      tenant_api_key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    },
  ]);
  expect(body.user.tenant_id).not.toBe(team.tenantId);
  expect(sessionCookie(answer)?.get('ll_session')).toBe(body.access_token);
  const refreshed = await refresh(app, body.refresh_token);
  expect((await me(app, personOf(refreshed.body).bearer)).body.user.user_id).toBe(body.user.user_id);
});

describe('the state of a sign-on', () => {
  test('works once, also of ten concurrent uses', async () => {
    const brought = await dance.bring(account().sub);
    const answers = await Promise.all(Array.from({ length: 10 }, () => dance.callback(brought)));
    const outcomes = answers.map(({ status, body }) => [status, body.detail]);
    expect(outcomes.toSorted()).toEqual([[200, undefined], ...Array(9).fill(badState)]);
    await expectRefused(brought, badState);
  });

  test('lasts 10 minutes', async () => {
    const brought = await dance.bring(account().sub);
    const sql = openSuperuser(app.superuserUrl);
    const [row] = await sql`
      select extract(epoch from max(expires_at) - now())::float as left from sso_states`;
    expect(Math.abs(row?.['left'] - 600)).toBeLessThan(10);
    await sql`update sso_states set expires_at = now() - interval '1 second'`;
    await expectRefused(brought, badState);
  });

  test('that was never issued is refused, and uses none up', async () => {
    const { code, state } = await dance.bring(account().sub);
    for (const forged of [`${state}A`, state.slice(0, -1), 'unknown', '😀'])
      await expectRefused({ code, state: forged }, badState);
    expect((await dance.callback({ code, state })).status).toBe(200);
  });
});

describe('the browser that began the sign-on', () => {
  const own = { origin: baseUrl };

  test.each<Headers>([own, { 'sec-fetch-site': 'same-origin' }])(
    'must bring the cookie of authorize: %j',
    async (headers) => {
      await expectRefused(await dance.bring(account().sub), badState, headers);
      const [mine, theirs] = [await dance.bring(account().sub), await dance.bring(account().sub)];
      await expectRefused(theirs, badState, { ...headers, ...mine.cookie });
      expect((await dance.callback(mine, { ...headers, ...mine.cookie })).status).toBe(200);
    },
  );

  test('gets a cookie that is HttpOnly, short-lived, and reveals neither state nor nonce', async () => {
    const { headers, body } = await dance.authorize();
    const [line = '', ...others] = headers.getSetCookie();
    expect(others).toEqual([]);
    // The cookie must cover the callback, which is served below /api/oauth2 and /signin.
    for (const attribute of [/; *HttpOnly/i, /; *SameSite=Lax/i, /; *Secure/i, /; *Path=\/;/i])
      expect(line).toMatch(attribute);
    expect(Number(/Max-Age=(\d+)/i.exec(line)?.[1])).toBe(600);
    for (const secret of [body.state, new URL(body.authorization_url).searchParams.get('nonce')])
      expect(line.split(';')[0]?.split('=')[1]).not.toContain(secret);
  });
});

test('a code that was never issued, and one of another sign-on, are 401', async () => {
  const [mine, theirs] = [await dance.bring(account().sub), await dance.bring(account().sub)];
  await expectRefused({ code: 'unknown', state: mine.state }, failed);
  const own = await dance.bring(account().sub);
  await expectRefused({ code: theirs.code, state: own.state }, failed);
});
