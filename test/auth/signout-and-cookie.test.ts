import { beforeEach, describe, expect, test } from 'vitest';
import { apiKey, bearer, cookie, found, type Headers, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import {
  expectCookieCleared,
  expectRefused,
  introspect,
  me,
  meOf,
  postForm,
  REFUSED_REFRESH,
  refresh,
  signIn,
} from './sign-in.ts';

const SIGNOUT = '/api/auth/signout';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let ada: Person;
beforeEach(async () => {
  ada = await found(app);
});

const byJson = (body?: unknown, headers: Headers = {}) => app.json('POST', SIGNOUT, { body, headers });

const expectDead = async (refreshToken: string) =>
  expectRefused(await refresh(app, refreshToken), 401, REFUSED_REFRESH);

describe('A 4.1: signout', () => {
  test('without a credential: 200 {signed_out: true}, and the cookie is cleared', async () => {
    const answer = await byJson();
    expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
    expectCookieCleared(answer);
  });

  test('A 3.3: the access token of the cookie is revoked', async () => {
    const answer = await byJson(undefined, cookie(ada.accessToken));
    expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
    expectCookieCleared(answer);
    expect((await meOf(app, ada.accessToken)).status).toBe(401);
    expectRefused(await introspect(app, 'nobody', cookie(ada.accessToken)), 401);
  });

  test('A 3.3: a refresh token is revoked when sent, as a form field', async () => {
    const answer = await postForm(app, SIGNOUT, { refresh_token: ada.refreshToken }, cookie(ada.accessToken));
    expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
    expect((await meOf(app, ada.accessToken)).status).toBe(401);
    await expectDead(ada.refreshToken);
  });

  test('A 3.3: or as a JSON property, without a cookie too', async () => {
    expect((await byJson({ refresh_token: ada.refreshToken })).body).toEqual({ signed_out: true });
    await expectDead(ada.refreshToken);
  });

  test('any input: always 200', async () => {
    const sent: [unknown, Headers][] = [
      [{}, {}],
      [{ refresh_token: 'nonsense' }, {}],
      [{ refresh_token: ada.accessToken }, {}],
      [undefined, cookie('nonsense')],
      [undefined, cookie(ada.refreshToken)],
      [undefined, cookie('')],
      [undefined, { cookie: 'other=1' }],
      [undefined, bearer('nonsense')],
    ];
    for (const [body, headers] of sent) {
      const answer = await byJson(body, headers);
      expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
    }
  });

  test.each([
    ['a token of another type', { 'content-type': 'application/json' }, '{"refresh_token":5}'],
    ['a token with a NUL', { 'content-type': 'application/json' }, '{"refresh_token":"\\u0000"}'],
    [
      'a token that is too long',
      { 'content-type': 'application/json' },
      JSON.stringify({ refresh_token: 'x'.repeat(16_385) }),
    ],
    ['no object', { 'content-type': 'application/json' }, '[]'],
    ['cut off JSON', { 'content-type': 'application/json' }, '{"refresh'],
    ['text', { 'content-type': 'text/plain' }, 'refresh_token=nonsense'],
    ['no content type at all', { 'content-type': 'nonsense' }, 'refresh_token=nonsense'],
    ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }, '--x--'],
    [
      'a field given twice',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'refresh_token=a&refresh_token=b',
    ],
  ])('%s counts as no refresh token, and the session of the cookie ends', async (_what, type, body) => {
    const headers = { ...type, ...cookie(ada.accessToken) };
    const answer = await app.json('POST', SIGNOUT, { headers, body });
    expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
    expectCookieCleared(answer);
    expect((await meOf(app, ada.accessToken)).status).toBe(401);
  });

  test('a second time is the same response', async () => {
    for (let i = 0; i < 2; i += 1) {
      const answer = await byJson({ refresh_token: ada.refreshToken }, cookie(ada.accessToken));
      expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
    }
  });

  test('other sessions stay alive, of the same person and of others', async () => {
    const [{ body: elsewhere }, ben] = [await signIn(app, ada), await found(app)];
    await byJson({ refresh_token: ada.refreshToken }, cookie(ada.accessToken));
    for (const token of [elsewhere.access_token, ben.accessToken])
      expect((await meOf(app, token)).status).toBe(200);
    for (const token of [elsewhere.refresh_token, ben.refreshToken])
      expect((await refresh(app, token)).status).toBe(200);
  });
});

describe('C 7: where the cookie is accepted', () => {
  test('on a route guarded by Admin, among other cookies too', async () => {
    for (const headers of [
      cookie(ada.accessToken),
      { cookie: `a=b; ll_session=${ada.accessToken}; c=d` },
      { cookie: `a="x;y";ll_session=${ada.accessToken}` },
    ])
      expect((await introspect(app, 'nobody', headers)).status).toBe(200);
  });

  test('not under another name', async () => {
    for (const name of ['session', 'LL_SESSION', 'xll_session', 'll_session2'])
      expectRefused(await introspect(app, 'nobody', { cookie: `${name}=${ada.accessToken}` }), 401);
  });

  test('not on me', async () => {
    expectRefused(await me(app, cookie(ada.accessToken)), 401, 'missing bearer token');
  });

  test('not on tenant routes', async () => {
    const headers = cookie(ada.accessToken);
    expectRefused(await app.json('GET', '/api/translations', { headers }), 401);
    const body = { source_text: 'Hello', target_lang: 'fr' };
    expectRefused(await app.json('POST', '/api/translations', { headers, body }), 401);
  });

  test('not on /trpc', async () => {
    const answer = await app.json('GET', '/trpc/translations.list', { headers: cookie(ada.accessToken) });
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });

  test('neither a refresh token nor the tenant’s key is a session there', async () => {
    for (const value of [ada.refreshToken, ada.apiKey])
      expectRefused(await introspect(app, 'nobody', cookie(value)), 401, 'admin credentials required');
  });

  test('with the key beside it, the key still decides the tenant', async () => {
    const ben = await found(app);
    const headers = { ...cookie(ada.accessToken), ...apiKey(ben.apiKey) };
    const { body } = await app.json('POST', '/api/translations', {
      headers,
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect(body.request.metadata.tenant.id).toBe(ben.tenantId);
  });
});
