import { describe, expect, test } from 'vitest';
import { founding } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { accounts, signingUpAt } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const { post } = signingUpAt(app);

function cookieAttributes(setCookie: string): Map<string, string> {
  const pairs = setCookie.split(';').map((part) => {
    const [name = '', ...value] = part.trim().split('=');
    return [name.toLowerCase(), value.join('=')] as const;
  });
  return new Map(pairs);
}

describe('A 5.1: the session cookie of a signup', () => {
  const secure = useTestApp({
    env: {
      AUTH_RATE_LIMIT_ENABLED: 'false',
      BASE_URL: 'https://lingua.example.org',
      ACCESS_TOKEN_TTL_SECONDS: '120',
      REFRESH_TOKEN_TTL_SECONDS: '240',
      DEFAULT_MONTHLY_CHAR_LIMIT: '1000',
    },
  });

  test('ll_session holds the access token: HttpOnly, SameSite=Lax, Path=/, Max-Age of the token, not Secure on http', async () => {
    const { headers, body } = await post(founding());
    const [cookie = '', ...others] = headers.getSetCookie();
    expect(others).toEqual([]);
    const attributes = cookieAttributes(cookie);
    expect(attributes.get('ll_session')).toBe(body.token.access_token);
    expect(attributes.has('httponly')).toBe(true);
    expect(attributes.get('samesite')?.toLowerCase()).toBe('lax');
    expect(attributes.get('path')).toBe('/');
    expect(attributes.get('max-age')).toBe('3600');
    expect(attributes.has('domain')).toBe(false);
    expect(attributes.has('secure')).toBe(false);
  });

  test('under an https BASE_URL the cookie is Secure; lives follow the settings', async () => {
    const { headers, body } = await post(founding(), {}, secure);
    const attributes = cookieAttributes(headers.getSetCookie()[0] ?? '');
    expect(attributes.has('secure')).toBe(true);
    expect(attributes.get('max-age')).toBe('120');
    expect(body.token).toMatchObject({ expires_in: 120, refresh_expires_in: 240 });
  });

  test('DEFAULT_MONTHLY_CHAR_LIMIT is default and ceiling of a signup alike', async () => {
    const unsaid = await post(founding(), {}, secure);
    const larger = await post(founding({ monthly_char_limit: 1001 }), {}, secure);
    const smaller = await post(founding({ monthly_char_limit: 999 }), {}, secure);
    const limits = [unsaid, larger, smaller].map(({ body }) => body.account.monthly_char_limit);
    expect(limits).toEqual([1000, 1000, 999]);
  });

  test('C 7: the origin of BASE_URL is no other site', async () => {
    const { status } = await post(founding(), { origin: 'https://lingua.example.org' }, secure);
    expect(status).toBe(200);
  });

  test('C 7: Sec-Fetch-Site: cross-site is refused even beside our own Origin', async () => {
    const headers = { origin: 'https://lingua.example.org', 'sec-fetch-site': 'cross-site' };
    expect((await post(founding(), headers, secure)).status).toBe(403);
  });

  test.each([
    'https://evil.example',
    'https://lingua.example.org.evil.example',
    'https://evil.example/https://lingua.example.org',
  ])('C 7: Origin %s is refused with 403, no cookie, nothing created', async (origin) => {
    const sql = openSuperuser(secure.superuserUrl);
    const before = await accounts(sql);
    const answer = await post(founding(), { origin }, secure);
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toEqual(expect.any(String));
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await accounts(sql)).toEqual(before);
  });
});

describe('C 7: a request that would set the cookie, from another site', () => {
  test('without BASE_URL the own origin is the default one, or the one really served', async () => {
    const answers = [
      await post(founding(), { origin: 'http://127.0.0.1:8080' }),
      await post(founding(), { origin: app.address }),
    ];
    expect(answers.map(({ status }) => status)).toContain(200);
  });

  test.each(['same-origin', 'none'])('Sec-Fetch-Site: %s is accepted', async (site) => {
    expect((await post(founding(), { 'sec-fetch-site': site })).status).toBe(200);
  });

  test.each([
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['a foreign Origin', { origin: 'http://evil.example' }],
    [
      'a foreign Origin beside Sec-Fetch-Site: none',
      { origin: 'http://evil.example', 'sec-fetch-site': 'none' },
    ],
    ['our origin as a prefix of theirs', { origin: 'http://127.0.0.1:8080.evil.example' }],
  ])('%s: 403, no cookie, nothing created', async (_name, headers) => {
    const sql = openSuperuser(app.superuserUrl);
    const before = await accounts(sql);
    const answer = await post(founding(), headers);
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toEqual(expect.any(String));
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await accounts(sql)).toEqual(before);
  });

  test('over tRPC no cookie is set for another site either', async () => {
    const { headers } = await app.json('POST', '/trpc/auth.signUpWithEmail', {
      body: { json: founding() },
      headers: { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
    });
    expect(headers.getSetCookie()).toEqual([]);
  });
});
