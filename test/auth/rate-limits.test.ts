import { describe, expect, test } from 'vitest';
import { found, founding, type Headers } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { countRows } from '#test/setup/stored-rows.ts';
import { confirm, enroll, mfaGrant, regenerate, verify } from './mfa.ts';
import { type Answer, expectRefused, expectTokens, refresh, signIn, signUp } from './sign-in.ts';

const app = useTestApp({
  env: {
    TRUST_PROXY: '1',
    OIDC_ENABLED: 'true',
    // No program listens on this port. None of these requests reaches the provider.
    OIDC_ISSUER: 'http://127.0.0.1:9',
    OIDC_CLIENT_ID: 'lingualoop',
  },
});

const from = (address: string): Headers => ({ 'x-forwarded-for': address });
let counted = 0;
/** Headers with a client address that has not sent a request yet. */
const freshAddress = (): Headers => from(`198.18.0.${++counted}`);

const nobody = { email: 'nobody@example.org', password: 'not a passphrase of anyone' };
/** The request with the lowest cost among those that are limited: no password is hashed. */
const cheap = (headers: Headers, at = app) => verify(at, 'nobody', '123456', headers);

function expectLimited(answer: Answer): void {
  expectRefused(answer, 429);
  expect(answer.body).toEqual(refusalOf(expect.any(String)));
  expect(answer.headers.getSetCookie()).toEqual([]);
  const seconds = Number(answer.headers.get('retry-after'));
  expect(Number.isInteger(seconds)).toBe(true);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
}

/** Adds `count` attempts to the open window of this client address and bucket, without making them. */
const countAttempts = (count: number, bucket: string, { 'x-forwarded-for': address }: Headers) =>
  openSuperuser(app.superuserUrl)`
    update rate_windows set attempts = attempts + ${count}
    where bucket = ${bucket} and subject = ${address as string}`;

describe('30 attempts in 60 seconds (A 5.4)', () => {
  test('the 31st sign-in is 429 with Retry-After, even if it is right; those before counted, right or wrong', async () => {
    const [ada, here] = [await found(app), freshAddress()];
    await signIn(app, nobody, {}, here);
    await countAttempts(28, 'password_grant', here);
    expectTokens(await signIn(app, ada, {}, here), ada);
    expectLimited(await signIn(app, ada, {}, here));
    // The limit applies only to that address.
    expectTokens(await signIn(app, ada, {}, freshAddress()), ada);
  });

  test('each bucket has 30 of its own, for the same address; a signup that is limited creates nothing', async () => {
    const [ada, here] = [await found(app), freshAddress()];
    const signedIn = { ...ada.cookie, ...here };
    const post = (path: string, body: unknown) => app.json('POST', path, { body, headers: here });
    const wrong = { reset_token: 'nonsense', new_password: 'a passphrase of no use' };
    const buckets: Record<string, () => Promise<Answer>> = {
      password_grant: () => signIn(app, nobody, {}, here),
      mfa_grant: () => mfaGrant(app, 'nobody', '123456', {}, here),
      mfa_verify: () => cheap(here),
      signup: () => signUp(app, founding({ email: 'no address' }), here),
      mfa_enroll: () => enroll(app, {}, signedIn),
      mfa_confirm: () => confirm(app, { mfa_code: '123456' }, here),
      mfa_recovery: () => regenerate(app, signedIn),
      invite_preview: () => post('/api/auth/invites/preview', { invite_token: 'nonsense' }),
      password_reset: () => post('/api/auth/password-reset', wrong),
      // An invalid request counts, too.
      sso_authorize: () => post('/api/oauth2/oidc/authorize', {}),
      sso_callback: () => post('/api/oauth2/oidc/callback', { code: 'x', state: 'nobody' }),
      sso_client_config: () => app.json('GET', '/api/oauth2/oidc/client-config', { headers: here }),
    };
    for (const [name, ask] of Object.entries(buckets)) {
      expect((await ask()).status, name).not.toBe(429);
      await countAttempts(28, name, here);
      expect((await ask()).status, name).not.toBe(429);
      expectLimited(await ask());
    }
    for (const ask of Object.values(buckets)) expectLimited(await ask());
    const sql = openSuperuser(app.superuserUrl);
    const before = await countRows(sql, ['tenants']);
    expectLimited(await signUp(app, founding(), here));
    // REST and /trpc count in the same bucket.
    const rpc = { body: { json: founding() }, headers: here };
    const { status, headers } = await app.json('POST', '/trpc/auth.signUpWithEmail', rpc);
    expect([status, headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
    expect(await countRows(sql, ['tenants'])).toEqual(before);
  });

  test('the refresh grant is not limited by address', async () => {
    const here = freshAddress();
    for (let i = 0; i < 35; i += 1) expectRefused(await refresh(app, 'nobody', {}, here), 401);
  });

  test('of 60 concurrent requests 30 are allowed', async () => {
    const here = freshAddress();
    const answers = await Promise.all(Array.from({ length: 60 }, () => cheap(here)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30);
    for (const answer of answers) if (answer.status !== 401) expectLimited(answer);
  });
});
