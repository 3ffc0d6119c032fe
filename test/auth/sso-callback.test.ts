import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { sessionCookie } from './sign-in.ts';
import { type BroughtBack, baseUrl, dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env });
const dance = dancing(app, provider);
afterEach(() => {
  provider.faults = {};
});

const badState = [401, { detail: 'invalid or expired sign-in state' }];
const failed = [401, { detail: 'single sign-on failed' }];
const tenants = async (): Promise<number> => {
  const [row] = await openSuperuser(app.superuserUrl)`select count(*)::int as n from tenants`;
  return row?.['n'];
};

/** Expects exactly that refusal, no cookie, and no new tenant. */
async function expectRefused(
  brought: Pick<BroughtBack, 'code' | 'state'>,
  expected: unknown,
  headers: Record<string, string> = {},
) {
  const before = await tenants();
  const answer = await dance.callback(brought, headers);
  expect([answer.status, answer.body]).toEqual(expected);
  expect(sessionCookie(answer)?.get('ll_session') || undefined).toBeUndefined();
  expect(await tenants()).toBe(before);
}

describe('C 2: the state', () => {
  test('works once', async () => {
    const brought = await dance.bring(account().sub);
    expect((await dance.callback(brought)).status).toBe(200);
    await expectRefused(brought, badState);
  });

  test('of ten concurrent uses one succeeds, and one workspace is founded', async () => {
    const brought = await dance.bring(account().sub);
    const before = await tenants();
    const answers = await Promise.all(Array.from({ length: 10 }, () => dance.callback(brought)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200))
      expect([status, body]).toEqual(badState);
    expect(await tenants()).toBe(before + 1);
  });

  test('lasts 10 minutes', async () => {
    const brought = await dance.bring(account().sub);
    const sql = openSuperuser(app.superuserUrl);
    const [row] = await sql`
      select extract(epoch from max(expires_at) - now())::float as left from sso_states`;
    expect(row?.['left']).toBeGreaterThan(590);
    expect(row?.['left']).toBeLessThanOrEqual(601);
    await sql`update sso_states set expires_at = now() - interval '1 second'`;
    await expectRefused(brought, badState);
  });

  test('that was never issued is refused', async () => {
    const { code, state } = await dance.bring(account().sub);
    for (const forged of [`${state}A`, state.slice(0, -1), 'unknown', '😀'])
      await expectRefused({ code, state: forged }, badState);
    // A malformed state may get another response.
    for (const odd of ['', '\u0000', 'x'.repeat(2000)])
      expect([401, 422]).toContain((await dance.callback({ code, state: odd })).status);
    // None of them used it up.
    expect((await dance.callback({ code, state })).status).toBe(200);
  });

  test('cannot be read in the database, nor can its nonce and verifier', async () => {
    const { body } = await dance.authorize();
    const nonce = new URL(body.authorization_url).searchParams.get('nonce') ?? '';
    const rows = await openSuperuser(app.superuserUrl)`select t::text as row from sso_states t`;
    for (const { row } of rows)
      for (const secret of [body.state, nonce])
        for (const form of [secret, Buffer.from(secret).toString('hex')]) expect(row).not.toContain(form);
  });
});

describe('C 7: the browser that began the sign-on', () => {
  const own = { origin: baseUrl };

  test.each([
    ['Origin', own],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin' }],
    ['both', { ...own, 'sec-fetch-site': 'same-origin' }],
  ])('a callback with %s must carry the cookie of authorize: 401 without it', async (_, headers) => {
    const brought = await dance.bring(account().sub);
    const refused = await dance.callback(brought, headers);
    expect([refused.status, typeof refused.body.detail]).toEqual([401, 'string']);
    expect(sessionCookie(refused)?.get('ll_session') || undefined).toBeUndefined();
    const again = await dance.bring(account().sub);
    expect((await dance.callback(again, { ...headers, ...again.cookie })).status).toBe(200);
  });

  test('the cookie of another sign-on does not count: nobody signs in as somebody else', async () => {
    const [mine, theirs] = [await dance.bring(account().sub), await dance.bring(account().sub)];
    expect((await dance.callback(theirs, { ...own, ...mine.cookie })).status).toBe(401);
  });

  test('the cookie is HttpOnly, short-lived, and reveals neither state nor nonce', async () => {
    const { headers, body } = await dance.authorize();
    const lines = headers.getSetCookie();
    expect(lines).toHaveLength(1);
    const [line = ''] = lines;
    expect(line).toMatch(/; *HttpOnly/i);
    expect(line).toMatch(/; *SameSite=Lax/i);
    expect(line).toMatch(/; *Secure/i);
    // The callback is under /api/oauth2 and under /signin.
    expect(line).toMatch(/; *Path=\/;/i);
    const life = Number(/Max-Age=(\d+)/i.exec(line)?.[1]);
    expect(life).toBeGreaterThan(0);
    expect(life).toBeLessThanOrEqual(600);
    expect(line).not.toContain(new URL(body.authorization_url).searchParams.get('nonce'));
  });

  test.each([
    ['Origin', { origin: 'https://evil.example' }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['a null Origin', { origin: 'null' }],
  ])('another site’s callback (%s) is 403, with the cookie or without', async (_, headers) => {
    const brought = await dance.bring(account().sub);
    expect((await dance.callback(brought, headers)).status).toBe(403);
    expect((await dance.callback(brought, { ...headers, ...brought.cookie })).status).toBe(403);
  });

  test('a program sends neither, and needs no cookie', async () => {
    expect((await dance.callback(await dance.bring(account().sub))).status).toBe(200);
  });
});

describe('C 7: a refused code or an invalid ID token is 401 single sign-on failed', () => {
  test('a code that was never issued', async () => {
    const { state } = await dance.bring(account().sub);
    await expectRefused({ code: 'unknown', state }, failed);
  });

  test('the code of another sign-on: the verifier does not fit', async () => {
    const [mine, theirs] = [await dance.bring(account().sub), await dance.bring(account().sub)];
    await expectRefused({ code: theirs.code, state: mine.state }, failed);
  });

  test.each([
    ['another nonce', { idToken: { nonce: 'another' } }],
    ['no nonce', { idToken: { nonce: undefined } }],
    ['another audience', { idToken: { aud: 'another-client' } }],
    ['another issuer', { idToken: { iss: 'https://another.example' } }],
    ['an end in the past', { idToken: { exp: 1_000_000_000 } }],
    ['a foreign signature', { foreignKey: true }],
    ['no signature', { unsigned: true }],
  ])('an ID token with %s', async (_, faults) => {
    const brought = await dance.bring(account().sub);
    provider.faults = faults;
    await expectRefused(brought, failed);
  });
});

describe('C 7: the provider out of reach is 503', () => {
  const closed = useTestApp({ env: { ...env, OIDC_ISSUER: 'http://127.0.0.1:9' } });

  test('when the sign-on begins', async () => {
    const { status, body } = await dancing(closed, provider).authorize();
    expect([status, typeof body.detail]).toEqual([503, 'string']);
    expect(JSON.stringify(body)).not.toContain('127.0.0.1');
  });

  test('when the code is exchanged', async () => {
    const brought = await dance.bring(account().sub);
    provider.faults = { reply: { token: (response: ServerResponse) => response.destroy() } };
    const { status, body } = await dance.callback(brought);
    expect([status, typeof body.detail]).toEqual([503, 'string']);
  });
});
