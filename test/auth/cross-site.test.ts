import { beforeEach, describe, expect, test } from 'vitest';
import { isCrossSite, refuseCrossSiteChange } from '#server/http/cookies.ts';
import {
  apiKey,
  bearer,
  cookie,
  env,
  found,
  founding,
  type Headers,
  join,
  type Person,
} from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';
import { totpCode } from '#test/setup/totp.ts';
import { challengeFor, confirm, enrol, enroll, freshCode, mfaGrant, regenerate, verify } from './mfa.ts';
import { type Answer, expectTokens, refresh, revoke, sessionStatus, signIn, signUp } from './sign-in.ts';

const own = 'https://lingua.example.org';
const host = '127.0.0.1:8080';

describe('a request from another site’s page (C 7)', () => {
  test.each<[string, Headers, boolean]>([
    ['a foreign Origin', { origin: 'https://evil.example' }, true],
    ['our name as a prefix of theirs', { origin: `${own}.evil.example` }, true],
    ['an opaque origin', { origin: 'null' }, true],
    ['cross-site, with our Origin', { 'sec-fetch-site': 'cross-site', origin: own }, true],
    ['an opaque origin of a user action', { origin: 'null', 'sec-fetch-site': 'none' }, true],
    ['an opaque origin of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }, true],
    ['an opaque origin of our own page', { origin: 'null', 'sec-fetch-site': 'same-origin' }, false],
    ['a sibling host', { 'sec-fetch-site': 'same-site' }, true],
    ['our Origin', { origin: own, 'sec-fetch-site': 'same-origin' }, false],
    ['the requested host', { origin: `http://${host}` }, false],
    ['no page at all', { 'sec-fetch-site': 'none' }, false],
    ['a plain client', {}, false],
  ])('%s', (_, headers, crossSite) => {
    expect(isCrossSite({ host, ...headers }, own)).toBe(crossSite);
    const session = { host, ...headers, cookie: 'a=b; ll_session=x' };
    const change = () => refuseCrossSiteChange('POST', session, own);
    if (crossSite) expect(change).toThrow('cross-site requests are not allowed here');
    else expect(change).not.toThrow();
    // Requests that only read, and requests without the session cookie, are accepted.
    expect(() => refuseCrossSiteChange('GET', session, own)).not.toThrow();
    expect(() => refuseCrossSiteChange('POST', { host, ...headers, cookie: 'a=b' }, own)).not.toThrow();
  });

  test('without BASE_URL only the requested host is our own', () => {
    expect(isCrossSite({ host, origin: `https://${host}` }, undefined)).toBe(false);
    expect(isCrossSite({ host, origin: own }, undefined)).toBe(true);
  });
});

describe('to the service', () => {
  const app = useTestApp({ env: { ...env, BASE_URL: own } });
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

  let ada: Person;
  beforeEach(async () => {
    ada = await found(app);
  });

  /** Expects a 403 that sets no cookie, and that the database is unchanged. */
  async function expectForbidden(ask: () => Promise<Answer>): Promise<void> {
    // The use of a key is recorded after the response.
    await app.services.backgroundWork.drain(10_000);
    const before = await contentsOf(app);
    const { status, body, headers } = await ask();
    const detail = 'cross-site requests are not allowed here';
    expect([status, body, headers.getSetCookie()]).toEqual([403, refusalOf(detail), []]);
    expect(await contentsOf(app)).toBe(before);
  }

  test('what would set the cookie is refused, though it is right, and uses nothing up', async () => {
    const { secret } = await enrol(app, ada);
    const [id, code] = [await challengeFor(app.database, ada), await freshCode(app, ada, secret)];
    const ben = await found(app);
    const enrolling = await challengeFor(app.database, ben);
    const { body } = await enroll(app, { challenge_id: enrolling });
    const confirmation = { challenge_id: enrolling, mfa_code: totpCode(body.secret) };
    await expectForbidden(() => signUp(app, founding(), foreign));
    await expectForbidden(() => signIn(app, ben, {}, foreign));
    await expectForbidden(() => refresh(app, ben.refreshToken, {}, foreign));
    await expectForbidden(() => verify(app, id, code, foreign));
    await expectForbidden(() => mfaGrant(app, id, code, {}, foreign));
    await expectForbidden(() => confirm(app, confirmation, foreign));
    expectTokens(await verify(app, id, code, { origin: own }), ada);
    expect((await confirm(app, confirmation, { 'sec-fetch-site': 'none' })).status).toBe(200);
  });

  test('a change by the cookie is refused; by a bearer or a key it may come from anywhere', async () => {
    const { userId, accessToken } = await join(app, ada);
    const changes: ((headers: Headers) => Promise<Answer>)[] = [
      (headers) =>
        app.json('PATCH', '/api/tenants/security', { headers, body: { mfa_required_for_sso: true } }),
      (headers) => app.json('DELETE', `/api/auth/users/${userId}`, { headers }),
      (headers) => app.json('POST', '/api/tenants/invites', { headers, body: {} }),
      (headers) => revoke(app, accessToken, headers),
      (headers) =>
        app.json('POST', '/api/translations', { headers, body: { source_text: 'Hello', target_lang: 'fr' } }),
    ];
    const session = cookie(ada.accessToken);
    for (const ask of changes) await expectForbidden(() => ask({ ...session, ...ada.key, ...foreign }));
    for (const ask of [enroll.bind(null, app, {}), regenerate.bind(null, app)])
      await expectForbidden(() => ask({ ...session, ...foreign }));
    for (const ask of changes)
      expect((await ask({ ...bearer(ada.accessToken), ...foreign })).status).toBe(200);
    expect((await changes.at(-1)!({ ...apiKey(ada.apiKey), ...foreign })).status).toBe(200);
  });

  test('a sign-out with the cookie is refused; without it, it sets and clears no cookie', async () => {
    const signOut = (headers: Headers, body?: unknown) =>
      app.json('POST', '/api/auth/signout', { headers, body });
    await expectForbidden(() =>
      signOut({ ...foreign, ...cookie(ada.accessToken) }, { refresh_token: ada.refreshToken }),
    );
    const rest = await signOut(foreign);
    expect([rest.status, rest.body, rest.headers.getSetCookie()]).toEqual([200, { signed_out: true }, []]);
    const rpc = await app.json('POST', '/trpc/auth.signOut', { headers: foreign, body: { json: {} } });
    expect([rpc.status, rpc.headers.getSetCookie()]).toEqual([200, []]);
    expect(await sessionStatus(app, ada)).toBe(200);
    expect((await signOut({ origin: own, ...cookie(ada.accessToken) })).headers.getSetCookie()).toEqual([
      expect.stringMatching(/^ll_session=; .*Max-Age=0/),
    ]);
    expect(await sessionStatus(app, ada)).toBe(401);
  });
});
