import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, cookie, env, found, type Headers, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectCookieCleared, meOf, refresh, sessionCookie, sessionStatus, signIn } from './sign-in.ts';

const path = '/api/auth/signout';
const app = useTestApp({ env });

let ada: Person;
beforeEach(async () => {
  ada = await found(app);
});

async function signOut(body?: unknown, headers: Headers = {}) {
  const answer = await app.json('POST', path, { body, headers });
  expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
  expectCookieCleared(answer);
}

describe('a sign-out', () => {
  test('ends the token of the cookie, and the refresh token that is sent; a second time is the same', async () => {
    const { body: elsewhere } = await signIn(app, ada);
    for (let time = 0; time < 2; time += 1) {
      await signOut({ refresh_token: ada.refreshToken }, cookie(ada.accessToken));
      expect(await sessionStatus(app, ada)).toBe(401);
      expect((await refresh(app, ada.refreshToken)).status).toBe(401);
    }
    // Other sessions of the same member continue.
    expect((await meOf(app, elsewhere.access_token)).status).toBe(200);
    expect((await refresh(app, elsewhere.refresh_token)).status).toBe(200);
  });

  test('succeeds whatever is sent', async () => {
    await signOut();
    for (const refresh_token of ['nonsense', ada.accessToken]) await signOut({ refresh_token });
    for (const headers of [cookie('nonsense'), cookie(ada.refreshToken), bearer('nonsense')])
      await signOut(undefined, headers);
  });

  test.each([
    ['application/json', '{"refresh_token":5}'],
    ['application/json', '{"refresh'],
    ['text/plain', 'refresh_token=nonsense'],
    ['multipart/form-data; boundary=x', '--x--'],
  ])('by the cookie ends the session in spite of a wrong body: %s %.40s', async (type, body) => {
    await signOut(body, { 'content-type': type, ...cookie(ada.accessToken) });
    expect(await sessionStatus(app, ada)).toBe(401);
  });
});

describe('the session cookie (A 5.1)', () => {
  const secure = useTestApp({
    env: {
      ...env,
      BASE_URL: 'https://lingua.example.org',
      ACCESS_TOKEN_TTL_SECONDS: '120',
      REFRESH_TOKEN_TTL_SECONDS: '240',
    },
  });

  test.each<[string, () => typeof app, object, object]>([
    ['http', () => app, { expires_in: 3600, refresh_expires_in: 2_592_000 }, { 'max-age': '3600' }],
    ['https', () => secure, { expires_in: 120, refresh_expires_in: 240 }, { 'max-age': '120', secure: '' }],
  ])('holds the access token and lives as long; under %s', async (_, at, lives, attributes) => {
    const answer = await signIn(at(), await found(at()));
    expect(answer.body).toMatchObject(lives);
    const names = answer.headers.getSetCookie().map((line) => line.split('=')[0]);
    expect(names).toEqual(['ll_session', expect.stringMatching(/ll_device$/)]);
    expect(Object.fromEntries(sessionCookie(answer) ?? [])).toEqual({
      ll_session: answer.body.access_token,
      httponly: '',
      samesite: 'Lax',
      path: '/',
      ...attributes,
    });
  });
});
