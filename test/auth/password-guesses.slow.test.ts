import { describe, expect, test } from 'vitest';
import { siteOf } from '#server/http/client-address.ts';
import { found, freshEmail, type Headers, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { type Answer, expectRefused, expectTokens, signIn } from './sign-in.ts';

const app = useTestApp({ env: { TRUST_PROXY: '1' } });

let addresses = 0;
/** Headers with a client address that has not sent a request yet. */
const elsewhere = (more: Headers = {}): Headers => {
  addresses += 1;
  return { 'x-forwarded-for': `198.18.${addresses >> 8}.${addresses & 255}`, ...more };
};

const wrong = 'a wrong passphrase of a stranger';
const guess = (email: string, headers = elsewhere()) => signIn(app, { email, password: wrong }, {}, headers);

/** The device's cookie, from the response to a sign-in. */
const deviceOf = ({ headers }: Answer): Headers => {
  const set = headers.getSetCookie().find((line) => line.startsWith('ll_device='));
  return { cookie: set?.split(';')[0] ?? '' };
};

/** Puts all counts as many seconds into the past. */
const letPass = (seconds: number) => openSuperuser(app.superuserUrl)`
  update rate_windows set ends_at = ends_at - make_interval(secs => ${seconds})
  where bucket in ('password_guess', 'device_guess')`;

/** Sends wrong passwords until one gets a 429. */
async function exhaust(email: string, headers?: () => Headers): Promise<Answer> {
  for (let i = 0; i < 60; i++) {
    const answer = await guess(email, headers?.());
    if (answer.status === 429) return answer;
  }
  throw new Error('no limit');
}

describe('guesses of one address’s password from many client addresses', () => {
  test('300 of them: thirty are checked, the others get 429 with Retry-After; a device that signed in before gets in', async () => {
    const owner = await found(app);
    const signedIn = await signIn(app, owner, {}, elsewhere());
    const device = deviceOf(signedIn);
    const answers: Answer[] = [];
    for (let i = 0; i < 30; i++)
      answers.push(...(await Promise.all(Array.from({ length: 10 }, () => guess(owner.email)))));
    const checked = answers.filter(({ status }) => status === 401).length;
    // The pause of one second passes once or more, if the test is slow.
    expect(checked).toBeGreaterThanOrEqual(30);
    expect(checked).toBeLessThanOrEqual(40);
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited.length).toBe(300 - checked);
    for (const { headers } of limited) expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);

    await openSuperuser(app.superuserUrl)`
      update rate_windows set attempts = 45, ends_at = now() + interval '6 h' where bucket = 'password_guess'`;
    expectRefused(await signIn(app, owner, {}, elsewhere()), 429);
    expectTokens(await signIn(app, owner, {}, elsewhere(device)), owner);
  });

  test('the pause doubles up to 15 minutes, and a right password after it resets the count', async () => {
    const owner = await found(app);
    const waitAfter = async (attempts: number) => {
      await openSuperuser(app.superuserUrl)`
        update rate_windows set attempts = ${attempts}, ends_at = now() + interval '6 h'
        where bucket = 'password_guess'`;
      return Number((await guess(owner.email)).headers.get('retry-after'));
    };
    await guess(owner.email);
    expect(await waitAfter(33)).toBeGreaterThan(6);
    expect(await waitAfter(33)).toBeLessThanOrEqual(8);
    const longest = await waitAfter(1000);
    expect(longest).toBeGreaterThan(880);
    expect(longest).toBeLessThanOrEqual(900);
    await letPass(901);
    expectTokens(await signIn(app, owner, {}, elsewhere()), owner);
    for (let i = 0; i < 30; i++) expect((await guess(owner.email)).status).toBe(401);
  });

  test('an own account with the address of another person gives no further guesses', async () => {
    const owner = await found(app);
    const stranger = await found(app, {
      email: owner.email,
      password: 'the stranger has another passphrase',
    });
    const ownDevice = deviceOf(await signIn(app, owner, { tenant_id: owner.tenantId }, elsewhere()));
    const device = deviceOf(await signIn(app, stranger, {}, elsewhere()));
    const guesses: Answer[] = [];
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 14; i++) guesses.push(await guess(owner.email));
      await signIn(app, stranger, {}, elsewhere());
      await signIn(app, stranger, { tenant_id: stranger.tenantId }, elsewhere());
    }
    expect(guesses.filter(({ status }) => status === 429).length).toBeGreaterThan(10);
    await openSuperuser(app.superuserUrl)`
      update rate_windows set attempts = 45, ends_at = now() + interval '6 h' where bucket = 'password_guess'`;
    expectRefused(await signIn(app, owner, {}, elsewhere()), 429);
    // The device of the stranger is known for the account of the stranger only.
    expectRefused(await signIn(app, owner, {}, elsewhere(device)), 401);
    expectTokens(await signIn(app, stranger, {}, elsewhere(device)), stranger);
    expectTokens(await signIn(app, owner, {}, elsewhere(ownDevice)), owner);
  });

  test('an address without an account gets the same responses, and spellings of one address count together', async () => {
    const owner = await found(app);
    const known = await exhaust(owner.email);
    const spellings = [0, 1, 2]
      .map(() => freshEmail())
      .slice(0, 1)
      .flatMap((email) => [email, ` ${email.toUpperCase()} `]);
    let turn = 0;
    let unknown: Answer | undefined;
    for (let i = 0; i < 60 && unknown?.status !== 429; i++)
      unknown = await guess(spellings[turn++ % 2] as string);
    expect(unknown?.status).toBe(known.status);
    const said = ({ body }: Answer) => String(body.detail).replace(/\d+/, 'N');
    expect(said(unknown as Answer)).toBe(said(known));
    expect(turn).toBeLessThanOrEqual(33);
  });

  test('the table has no address, and a name of any length takes the same place', async () => {
    await guess('x'.repeat(4000));
    const rows = await openSuperuser(app.superuserUrl)`
      select subject from rate_windows where bucket = 'password_guess'`;
    for (const { subject } of rows) expect(subject).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the cookie of a device', () => {
  const owner = () => found(app);
  const signInOn = async (person: Person, cookie: Headers = {}) =>
    deviceOf(await signIn(app, person, {}, elsewhere(cookie)));

  test('is of one address: it does not help with another, nor after a change of a character', async () => {
    const [ada, ben] = [await owner(), await owner()];
    const device = await signInOn(ada);
    await exhaust(ben.email);
    expectRefused(await signIn(app, ben, {}, elsewhere(device)), 429);
    await exhaust(ada.email);
    const forged = { cookie: (device['cookie'] as string).replace(/.$/, (end) => (end === 'A' ? 'Q' : 'A')) };
    expectRefused(await signIn(app, ada, {}, elsewhere(forged)), 429);
    expectTokens(await signIn(app, ada, {}, elsewhere(device)), ada);
  });

  test('has its own limit, so that it gives a thief no unlimited guesses', async () => {
    const ada = await owner();
    const device = await signInOn(ada);
    const limited = await exhaust(ada.email, () => elsewhere(device));
    expect(limited.status).toBe(429);
    expectTokens(await signIn(app, ada, {}, elsewhere()), ada);
  });

  test('keeps several people, and comes with a reset link, too', async () => {
    const [ada, ben] = [await owner(), await owner()];
    const both = await signInOn(ben, await signInOn(ada));
    const link = `/api/auth/users/${ada.userId}/password-reset-link`;
    const { body } = await app.json('POST', link, { headers: ada.bearer });
    await Promise.all([exhaust(ada.email), exhaust(ben.email)]);
    for (const person of [ada, ben]) expectTokens(await signIn(app, person, {}, elsewhere(both)), person);

    const password = 'another passphrase of some length';
    const reset = await app.json('POST', '/api/auth/password-reset', {
      headers: elsewhere(),
      body: { reset_token: body.reset_token, new_password: password },
    });
    expect(reset.status).toBe(200);
    await exhaust(ada.email);
    const renewed = { ...ada, password };
    expectRefused(await signIn(app, renewed, {}, elsewhere()), 429);
    expectTokens(await signIn(app, renewed, {}, elsewhere(deviceOf(reset))), renewed);
  });
});

describe('an IPv6 site', () => {
  test('is its /48, whatever the /64 is; IPv4 has none', () => {
    expect(siteOf('2001:db8:1:2::3')).toBe('2001:db8:1::/48');
    expect(siteOf('2001:db8:1:ffff::1')).toBe('2001:db8:1::/48');
    expect([siteOf('192.0.2.1'), siteOf('::ffff:192.0.2.1')]).toEqual([null, null]);
  });

  test('may try 30 passwords a minute from all its networks; other sites and known devices are not affected', async () => {
    const ada = await found(app);
    const device = deviceOf(await signIn(app, ada, {}, elsewhere()));
    const site = (network: number) => ({ 'x-forwarded-for': `2001:db8:7:${network}::1` });
    await guess(freshEmail(), site(0));
    await openSuperuser(app.superuserUrl)`
      update rate_windows set attempts = 29 where bucket = 'password_site' and subject = '2001:db8:7::/48'`;
    expect((await guess(freshEmail(), site(1))).status).toBe(401);
    expectRefused(await signIn(app, ada, {}, site(2)), 429);
    expectTokens(await signIn(app, ada, {}, { ...site(3), ...device }), ada);
    expectTokens(await signIn(app, ada, {}, { 'x-forwarded-for': '2001:db8:8::1' }), ada);
  });

  test.each([
    ['signup', '/api/auth/signup/email', {}],
    ['mfa_verify', '/api/auth/mfa/verify', {}],
    ['mfa_confirm', '/api/auth/mfa/confirm', {}],
    ['invite_preview', '/api/auth/invites/preview', {}],
    ['password_reset', '/api/auth/password-reset', {}],
    [
      'mfa_grant',
      '/api/oauth2/token',
      'grant_type=urn:ietf:params:oauth:grant-type:mfa-otp&challenge_id=x&mfa_code=1',
    ],
  ])(
    'has 30 attempts a minute at %s from all its networks, and another site its own',
    async (bucket, path, body) => {
      const type = typeof body === 'string' ? 'application/x-www-form-urlencoded' : 'application/json';
      const from = async (address: string) => {
        const headers = { 'content-type': type, 'x-forwarded-for': address };
        const sent = typeof body === 'string' ? body : JSON.stringify(body);
        return (await app.request(path, { method: 'POST', headers, body: sent })).status;
      };
      expect(await from('2001:db8:9:1::1')).not.toBe(429);
      await openSuperuser(app.superuserUrl)`
      update rate_windows set attempts = 29 where bucket = ${bucket} and subject = '2001:db8:9::/48'`;
      expect(await from('2001:db8:9:2::1')).not.toBe(429);
      expect(await from('2001:db8:9:3::1')).toBe(429);
      expect(await from('2001:db8:a:3::1')).not.toBe(429);
    },
  );
});
