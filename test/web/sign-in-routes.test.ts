import { describe, expect, test } from 'vitest';
import { expectInvalid, expectRefused, meOf, sessionCookie, signIn } from '#test/auth/sign-in.ts';
import { found, founding, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const limited = useTestApp({ env: { TRUST_PROXY: '1' } });
const elsewhere = useTestApp({
  env: {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    BASE_URL: 'https://lingua.example.org/loop/',
    MFA_REQUIRED: 'true',
  },
});

type Answer = Awaited<ReturnType<typeof app.json>>;

const post = (path: string, body: unknown, headers: Record<string, string> = {}, at = app) =>
  at.json('POST', `/signin/${path}`, { body, headers });

const byPassword = ({ email, password }: Person) => ({ grant_type: 'password', username: email, password });

/** The complete Set-Cookie header of the refresh token; undefined if the response does not change the cookie. */
const cookieLine = ({ headers }: Answer) =>
  headers.getSetCookie().find((line) => /^(__Secure-)?ll_refresh=/.test(line));
const tokenOf = (answer: Answer) => /^\w*-?ll_refresh=([^;]*)/.exec(cookieLine(answer) ?? '')?.[1];
const holding = (token: string | undefined) => ({ cookie: `ll_refresh=${token}` });
const cleared = 'll_refresh=; Path=/signin; Max-Age=0; HttpOnly; SameSite=Strict';

describe('the refresh token of the browser application', () => {
  test('is in a cookie for /signin that scripts cannot read, and in no response', async () => {
    const answer = await post('token', byPassword(await found(app)));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ access_token: expect.any(String), expires_in: 3600 });
    expect(cookieLine(answer)).toMatch(
      /^ll_refresh=[\w-]{22,}; Path=\/signin; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(answer.body)).not.toContain('refresh_token');
    expect(JSON.stringify(answer.body)).not.toContain(tokenOf(answer));
    expect(sessionCookie(answer)?.get('ll_session')).toBe(answer.body.access_token);
  });

  test('neither after a sign-up, a code nor an enrollment', async () => {
    const signup = await post('signup', founding());
    expect(signup.body).toMatchObject({
      tenant_api_key: expect.any(String),
      token: { token_type: 'bearer' },
    });
    expect(JSON.stringify(signup.body)).not.toContain('refresh_token');
    expect((await meOf(app, signup.body.token.access_token)).status).toBe(200);

    const someone = founding();
    const challenged = await post('signup', someone, {}, elsewhere);
    const { challenge_id } = challenged.body.mfa_challenge;
    expect(cookieLine(challenged)).toBeUndefined();
    const { body: enrollment } = await elsewhere.json('POST', '/api/auth/mfa/enroll', {
      body: { challenge_id },
    });
    const confirmed = await post(
      'mfa/confirm',
      { challenge_id, mfa_code: totpCode(enrollment.secret) },
      {},
      elsewhere,
    );
    expect(confirmed.body).toMatchObject({ enrolled: true, token: { token_type: 'bearer' } });
    const again = await post(
      'token',
      { grant_type: 'password', username: someone.email, password: someone.password },
      {},
      elsewhere,
    );
    const verified = await post(
      'mfa/verify',
      {
        challenge_id: again.body.mfa_challenge.challenge_id,
        mfa_code: totpCode(enrollment.secret, 1),
      },
      {},
      elsewhere,
    );
    expect(verified.body).toMatchObject({ token_type: 'bearer' });
    for (const answer of [signup, confirmed, verified]) {
      expect(JSON.stringify(answer.body)).not.toContain('refresh_token');
      expect(tokenOf(answer)).toMatch(/.{22}/);
    }
    // Over https, the cookie has the path of the public URL.
    expect(cookieLine(verified)).toMatch(/^__Secure-ll_refresh=.*; Path=\/loop\/signin; .*; Secure$/);
  });

  test('is replaced by each refresh, for any body, and a used one ends the session', async () => {
    const begun = await post('token', byPassword(await found(app)));
    const stranger = await post('token', byPassword(await found(app)));
    const renewed = await post('refresh', { refresh_token: tokenOf(stranger) }, holding(tokenOf(begun)));
    expect(renewed.status).toBe(200);
    expect(renewed.body.user).toEqual(begun.body.user);
    expect(renewed.body.access_token).not.toBe(begun.body.access_token);
    expect(tokenOf(renewed)).not.toBe(tokenOf(begun));
    expect((await meOf(app, renewed.body.access_token)).status).toBe(200);

    await openSuperuser(app.superuserUrl)`update tokens set consumed_at = consumed_at - interval '11 seconds'
      where consumed_at is not null`;
    expectRefused(await post('refresh', {}, holding(tokenOf(begun))), 401);
    const ended = await post('refresh', {}, holding(tokenOf(renewed)));
    expectRefused(ended, 401);
  });

  test('renews the session again with the retry_key of the page after a lost response', async () => {
    const begun = await post('token', byPassword(await found(app)));
    const retry = { retry_key: crypto.randomUUID() };
    const lost = await post('refresh', retry, holding(tokenOf(begun)));
    await openSuperuser(app.superuserUrl)`update tokens set consumed_at = consumed_at - interval '60 seconds'
      where consumed_at is not null`;
    const renewed = await post('refresh', retry, holding(tokenOf(begun)));
    expect([lost.status, renewed.status]).toEqual([200, 200]);
    expect((await meOf(app, lost.body.access_token)).status).toBe(401);
    expect((await meOf(app, renewed.body.access_token)).status).toBe(200);
    expect((await post('refresh', {}, holding(tokenOf(renewed)))).status).toBe(200);
    const wrong = await post('refresh', { retry_key: 'short' }, holding(tokenOf(renewed)));
    expectInvalid(wrong, 'retry_key');
    expect(cookieLine(wrong)).toBeUndefined();
  });

  test('that is rejected is removed from the browser; without one, no renewal is possible', async () => {
    const refused = await post('refresh', {}, holding('nobody-has-this'));
    expectRefused(refused, 401);
    expect(cookieLine(refused)).toBe(cleared);
    expectRefused(await post('refresh', {}), 401, 'not signed in');
  });

  test('stays in the browser if the service fails', async () => {
    const begun = await post('token', byPassword(await found(app)));
    const sql = openSuperuser(app.superuserUrl);
    await sql`alter table tokens rename to tokens_away`;
    try {
      const failed = await post('refresh', {}, holding(tokenOf(begun)));
      expect(failed.status).toBeGreaterThanOrEqual(500);
      expect(cookieLine(failed)).toBeUndefined();
    } finally {
      await sql`alter table tokens_away rename to tokens`;
    }
    expect((await post('refresh', {}, holding(tokenOf(begun)))).status).toBe(200);
  });

  test('is ended by signing out, together with both cookies', async () => {
    const begun = await post('token', byPassword(await found(app)));
    const out = await post('signout', {}, holding(tokenOf(begun)));
    expect([out.status, out.body]).toEqual([200, { signed_out: true }]);
    expect(cookieLine(out)).toBe(cleared);
    expect(sessionCookie(out)?.get('ll_session')).toBe('');
    expectRefused(await post('refresh', {}, holding(tokenOf(begun))), 401);
    expect((await meOf(app, begun.body.access_token)).status).toBe(401);
    // Signing out succeeds without a session, too.
    expect((await post('signout', {})).status).toBe(200);
  });
});

describe('the endpoints under /signin', () => {
  const paths = ['token', 'mfa/verify', 'mfa/confirm', 'signup', 'sso/callback', 'refresh', 'signout'];

  test.each(paths)('%s: a page of another site is rejected, and changes nothing', async (path) => {
    const begun = await post('token', byPassword(await found(app)));
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] as Record<string, string>[]) {
      const answer = await post(path, {}, { ...headers, ...holding(tokenOf(begun)) });
      expectRefused(answer, 403, 'cross-site requests are not allowed here');
      expect(cookieLine(answer)).toBeUndefined();
    }
    expect((await post('refresh', {}, holding(tokenOf(begun)))).status).toBe(200);
  });

  test('accept only JSON objects', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await post('token', 'grant_type=password', form)).status).toBe(400);
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml'])
      expect([type, (await post('token', '{}', { 'content-type': type })).status]).toEqual([type, 415]);
    expect((await post('token', '')).status).toBe(400);
    expect((await post('token', '{"grant_type":')).status).toBe(400);
    expectInvalid(await post('token', []));
    expectInvalid(await post('token', { grant_type: 'password' }), 'username');
    expectInvalid(await post('signup', { email: 'a@example.org' }), 'tenant_name');
  });

  test('reject bodies above the limit of a request', async () => {
    const { MAX_REQUEST_BYTES } = app.services.settings;
    const body = JSON.stringify({ grant_type: 'password', username: 'x'.repeat(MAX_REQUEST_BYTES) });
    expect((await post('token', body)).status).toBe(413);
  });

  test('return the workspaces of an email with several, and sign in to the selected one', async () => {
    const one = await found(app);
    const other = await found(app, { email: one.email });
    const asked = await post('token', byPassword(one));
    expect(asked.body.tenants.map(({ tenant_id }: { tenant_id: string }) => tenant_id).toSorted()).toEqual(
      [one.tenantId, other.tenantId].toSorted(),
    );
    expect(cookieLine(asked)).toBeUndefined();
    const chosen = await post('token', { ...byPassword(one), tenant_id: other.tenantId });
    expect(chosen.body.user.tenant_id).toBe(other.tenantId);
  });

  test('are in no OpenAPI document', async () => {
    const { body } = await app.json('GET', '/openapi.json');
    expect(Object.keys(body.paths).filter((path) => path.startsWith('/signin'))).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('ll_refresh');
  });

  test('return 405 for other methods', async () => {
    const { status, headers } = await app.request('/signin/token');
    expect([status, headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('count attempts together with the endpoints of the API', async () => {
    const from = { 'x-forwarded-for': '198.18.77.1' };
    const nobody = { email: 'nobody@example.org', password: 'not a passphrase of anybody' };
    const statuses: number[] = [];
    for (let i = 0; i < 15; i += 1) {
      statuses.push((await signIn(limited, nobody, {}, from)).status);
      const body = { grant_type: 'password', username: nobody.email, password: nobody.password };
      statuses.push((await post('token', body, from, limited)).status);
    }
    expect(statuses).toEqual(Array(30).fill(401));
    const refused = await post(
      'token',
      { grant_type: 'password', username: nobody.email, password: nobody.password },
      from,
      limited,
    );
    expectRefused(refused, 429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
