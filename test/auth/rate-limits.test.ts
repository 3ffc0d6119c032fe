import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { cookie, found, founding, type Headers, type Person } from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { confirm, enroll, mfaGrant, regenerate, verify } from './mfa.ts';
import { type Answer, expectRefused, expectTokens, refresh, SIGNUP, signIn, signUp } from './sign-in.ts';

const app = useTestApp({ env: { TRUST_PROXY: '1' } });

const from = (address: string): Headers => ({ 'x-forwarded-for': address });
let counted = 0;
/** An address that has sent no request yet. */
function freshAddress(): Headers {
  counted += 1;
  return from(`198.18.${Math.floor(counted / 250)}.${(counted % 250) + 1}`);
}

const nobody = { email: 'nobody@example.org', password: 'not a passphrase of anybody' };
/** The cheapest of the limited requests: no password is hashed. */
const cheap = (headers: Headers) => verify(app, 'nobody', '123456', headers);

function expectLimited(answer: Answer): void {
  expectRefused(answer, 429);
  expect(answer.body).toEqual({ detail: expect.any(String) });
  const seconds = Number(answer.headers.get('retry-after'));
  expect(Number.isInteger(seconds)).toBe(true);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
}

/** Sends this many requests, and is never limited. */
async function attempt(times: number, ask: () => Promise<Answer>): Promise<void> {
  for (let i = 0; i < times; i += 1) expect((await ask()).status).not.toBe(429);
}

/** Another application over the same database. */
async function startAnother() {
  const other = await startBeside(app, { TRUST_PROXY: '1' });
  onTestFinished(() => other.close());
  return other;
}

/** Creates a workspace from a client address of its own. */
async function foundApart(): Promise<Person> {
  const headers = freshAddress();
  const json: typeof app.json = (method, path, options) => app.json(method, path, { ...options, headers });
  return found({ ...app, json });
}

/** Counts so many attempts in an open window, without making them: of the address, in the bucket. */
const countAttempts = (count: number, bucket: string, { 'x-forwarded-for': address }: Headers) =>
  openSuperuser(app.superuserUrl)`
    update rate_windows set attempts = attempts + ${count}
    where bucket = ${bucket} and subject = ${address as string}`;

describe('A 5.4: 30 attempts in 60 seconds', () => {
  test('the 31st sign-in is 429 with Retry-After, even if it is right; the ones before counted, right or wrong', async () => {
    const [ada, here] = [await foundApart(), freshAddress()];
    await attempt(2, () => signIn(app, nobody, {}, here));
    await countAttempts(26, 'password_grant', here);
    for (let i = 0; i < 2; i += 1) expectTokens(await signIn(app, ada, {}, here), ada);
    expectLimited(await signIn(app, ada, {}, here));
    expectLimited(await signIn(app, nobody, {}, here));
    // It is limited only there.
    expectTokens(await signIn(app, ada, {}, freshAddress()), ada);
  });

  test('each bucket has 30 of its own, for one and the same address', async () => {
    const [ada, here] = [await foundApart(), freshAddress()];
    const signedIn = { ...cookie(ada.accessToken), ...here };
    const public_ = (path: string, body: unknown) => app.json('POST', path, { body, headers: here });
    const buckets: Record<string, () => Promise<Answer>> = {
      'password grant': () => signIn(app, nobody, {}, here),
      'MFA grant': () => mfaGrant(app, 'nobody', '123456', {}, here),
      'MFA verify': () => verify(app, 'nobody', '123456', here),
      signup: () => signUp(app, founding({ email: 'no address' }), here),
      enrol: () => enroll(app, {}, signedIn),
      confirm: () => confirm(app, { mfa_code: '123456' }, here),
      recovery: () => regenerate(app, signedIn),
      'invite preview': () => public_('/api/auth/invites/preview', { invite_token: 'nonsense' }),
      'password reset': () =>
        public_('/api/auth/password-reset', {
          reset_token: 'nonsense',
          new_password: 'a passphrase of no use',
        }),
    };
    for (const [name, ask] of Object.entries(buckets)) {
      const seen = [];
      seen.push((await ask()).status);
      // Each of its attempts costs a hash.
      if (name === 'password grant') await countAttempts(28, 'password_grant', here);
      while (seen.length < (name === 'password grant' ? 2 : 30)) seen.push((await ask()).status);
      expect(seen, name).not.toContain(429);
      expectLimited(await ask());
    }
    for (const ask of Object.values(buckets)) expectLimited(await ask());
  });

  test('A 4.3: the refresh grant is not limited', async () => {
    const here = freshAddress();
    for (let i = 0; i < 35; i += 1) expectRefused(await refresh(app, 'nobody', {}, here), 401);
  });

  test('of 60 at once 30 are allowed', async () => {
    const here = freshAddress();
    const answers = await Promise.all(Array.from({ length: 60 }, () => cheap(here)));
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(30);
    for (const answer of answers) if (answer.status !== 401) expectLimited(answer);
  });

  test('they hold over several processes, until the window is over', async () => {
    const here = freshAddress();
    await attempt(20, () => cheap(here));
    const one = await startAnother();
    for (let i = 0; i < 10; i += 1) expectRefused(await verify(one, 'nobody', '123456', here), 401);
    expectLimited(await verify(one, 'nobody', '123456', here));
    expectLimited(await cheap(here));
    await openSuperuser(app.superuserUrl)`update rate_windows set ends_at = now() - interval '1 second'`;
    // A new process, which remembers no refusals. The one that refused may skip the lookup.
    const other = await startAnother();
    for (let i = 0; i < 30; i += 1) expectRefused(await verify(other, 'nobody', '123456', here), 401);
    expectLimited(await verify(other, 'nobody', '123456', here));
  });

  test('REST and /trpc share one bucket', async () => {
    const here = freshAddress();
    await attempt(30, () => signUp(app, founding({ email: 'no address' }), here));
    const { status, headers } = await app.json('POST', '/trpc/auth.signUpWithEmail', {
      body: { json: founding() },
      headers: here,
    });
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
    expectLimited(await signUp(app, founding(), here));
  });

  test('a limited signup founds nothing', async () => {
    const here = freshAddress();
    await attempt(30, () => signUp(app, founding({ email: 'no address' }), here));
    const sql = openSuperuser(app.superuserUrl);
    const [before] = await sql`select count(*)::int as tenants from tenants`;
    expectLimited(await app.json('POST', SIGNUP, { body: founding(), headers: here }));
    const [after] = await sql`select count(*)::int as tenants from tenants`;
    expect(after).toEqual(before);
  });
});

describe('C 2: per client address', () => {
  let here: string;
  beforeEach(() => {
    here = freshAddress()['x-forwarded-for'] ?? '';
  });
  const exhaust = () => attempt(30, () => cheap(from(here)));

  test('another address is not limited', async () => {
    await exhaust();
    expectRefused(await cheap(freshAddress()), 401);
  });

  test('entries further left are ignored: the caller may have invented them', async () => {
    await exhaust();
    for (const forwarded of [`192.0.2.1, ${here}`, `10.0.0.1,192.0.2.9,${here}`])
      expectLimited(await cheap(from(forwarded)));
    expectRefused(await cheap(from(`${here}, 198.19.0.1`)), 401);
  });

  test('an IPv6 address counts by its /64', async () => {
    for (let i = 0; i < 30; i += 1)
      expectRefused(await cheap(from(`2001:db8:7:1:${i.toString(16)}::${i + 1}`)), 401);
    for (const same of ['2001:db8:7:1::1', '2001:0DB8:0007:0001:ffff:ffff:ffff:ffff'])
      expectLimited(await cheap(from(same)));
    for (const other of ['2001:db8:7:2::1', '2001:db8:8:1::1']) expectRefused(await cheap(from(other)), 401);
  });

  test('an IPv4-mapped IPv6 address counts as that IPv4 address', async () => {
    await exhaust();
    expectLimited(await cheap(from(`::ffff:${here}`)));
  });
});

describe('TRUST_PROXY=0', () => {
  const direct = useTestApp();

  test('X-Forwarded-For is ignored', async () => {
    for (let i = 0; i < 30; i += 1)
      expectRefused(await verify(direct, 'nobody', '123456', from(`198.18.7.${i}`)), 401);
    expectLimited(await verify(direct, 'nobody', '123456', from('198.18.7.200')));
    expectLimited(await verify(direct, 'nobody', '123456'));
  });
});

describe('AUTH_RATE_LIMIT_ENABLED=false', () => {
  const off = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

  test('nothing is limited', async () => {
    for (let i = 0; i < 40; i += 1) expectRefused(await verify(off, 'nobody', '123456'), 401);
    const answers = await Promise.all(Array.from({ length: 31 }, () => signIn(off, nobody)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  });
});
