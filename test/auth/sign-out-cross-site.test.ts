import { beforeEach, describe, expect, test } from 'vitest';
import { env, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { refresh, sessionStatus } from './sign-in.ts';

const own = 'https://lingualoop.example';
const app = useTestApp({ env: { ...env, BASE_URL: own } });

let person: Person;
beforeEach(async () => {
  person = await found(app);
});

const signOut = (headers: Record<string, string>, body?: unknown) =>
  app.json('POST', '/api/auth/signout', { headers, body });

const elsewhere: [string, Record<string, string>][] = [
  ['a foreign Origin', { origin: 'https://elsewhere.example' }],
  ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ['a sibling host', { 'sec-fetch-site': 'same-site', origin: 'https://other.example' }],
  ['an opaque origin', { origin: 'null' }],
];

describe.each(elsewhere)('C 7: signing out, from %s', (_, headers) => {
  test('with the cookie: 403; the session and the cookie stay', async () => {
    const cookie = `ll_session=${person.accessToken}`;
    const answer = await signOut({ ...headers, cookie });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
    expect(await sessionStatus(app, person)).toBe(200);
    // A refresh token in the request is not revoked either.
    expect((await signOut({ ...headers, cookie }, { refresh_token: person.refreshToken })).status).toBe(403);
    expect((await refresh(app, person.refreshToken)).status).toBe(200);
  });

  test('without it: 200, as always, and no cookie is set or cleared', async () => {
    const answer = await signOut(headers);
    expect([answer.status, answer.body, answer.headers.getSetCookie()]).toEqual([
      200,
      { signed_out: true },
      [],
    ]);
    expect(await sessionStatus(app, person)).toBe(200);
  });

  test('on /trpc: it clears no cookie either', async () => {
    const answer = await app.json('POST', '/trpc/auth.signOut', { headers, body: { json: {} } });
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([200, []]);
  });
});

test.each([
  ['our Origin', { origin: own }],
  ['our Origin, same-origin', { origin: own, 'sec-fetch-site': 'same-origin' }],
  ['no page at all', { 'sec-fetch-site': 'none' }],
  ['a plain client', {}],
])('A 4.1: signing out, from %s, clears the cookie, with it and without', async (_, headers) => {
  for (const cookie of [{}, { cookie: `ll_session=${person.accessToken}` }]) {
    const answer = await signOut({ ...headers, ...cookie });
    expect([answer.status, answer.body]).toEqual([200, { signed_out: true }]);
    expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^ll_session=; .*Max-Age=0/)]);
  }
  expect(await sessionStatus(app, person)).toBe(401);
});
