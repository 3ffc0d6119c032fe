import { describe, expect, test } from 'vitest';
import { founding } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { accounts, signingUpAt } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const { post, expectRefused } = signingUpAt(app);

describe('A 4.2 rule 1: a refusal creates nothing', () => {
  test.each(['tenant_name', 'email', 'password'])('without %s: 422 naming it', async (field) => {
    const body = founding({ [field]: undefined });
    const { body: refusal } = await expectRefused(body, { status: 422 });
    for (const entry of refusal.detail) {
      expect(entry).toMatchObject({
        loc: expect.any(Array),
        msg: expect.any(String),
        type: expect.any(String),
      });
    }
    expect(refusal.detail.map((entry: { loc: unknown[] }) => entry.loc.at(-1))).toEqual([field]);
  });

  test.each([
    ['tenant_name', 42],
    ['tenant_name', null],
    ['email', ['a@example.org']],
    ['email', null],
    ['password', 123_456_789_012],
    ['password', { length: 12 }],
    ['invite_token', 42],
  ])('%s of a wrong type (%j): 422', async (field, value) => {
    await expectRefused(founding({ [field]: value }), { status: 422 });
  });

  test.each([
    'plain',
    '@example.org',
    'person@',
    'per son@example.org',
    'a@b@example.org',
    'person@example..org',
    'person@exam ple.org',
    'person@example.org\nbcc: other@example.org',
  ])('the address %j: 400 invalid email address', async (email) => {
    await expectRefused(founding({ email }), { status: 400, detail: /invalid email address/ });
  });

  test('an address of 100,000 characters is refused, by policy or by schema', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const before = await accounts(sql);
    const { status } = await post(founding({ email: `${'x'.repeat(100_000)}@example.org` }));
    expect([400, 422]).toContain(status);
    expect(await accounts(sql)).toEqual(before);
  });

  test.each([
    ['no character', ''],
    ['7 characters', 'abcdefg'],
    ['7 astral characters, 14 code units', '😀😁😂🤣😃😄😅'],
  ])('a password of %s: 422, under the schema minimum of 8', async (_name, password) => {
    const { body } = await expectRefused(founding({ password }), { status: 422 });
    expect(body.detail[0].loc).toContain('password');
    if (password !== '') expect(JSON.stringify(body)).not.toContain(password);
  });

  test.each([
    ['8 characters', 'xK9!qwZ2'],
    ['11 characters', 'xK9!qwZ2#pL'],
    ['8 astral characters, 16 code units', '😀😁😂🤣😃😄😅😆'],
    ['11 astral characters, 22 code units', '😀😁😂🤣😃😄😅😆😉😊😋'],
  ])('a password of %s: 400 too short, under the policy minimum of 12', async (_name, password) => {
    await expectRefused(founding({ password }), { status: 400, detail: /short|12/ });
  });

  test.each(['xK9!qwZ2#pLm', '😀😁😂🤣😃😄😅😆😉😊😋😎'])(
    'a password of just 12 characters is enough (%s)',
    async (password) => {
      expect((await post(founding({ password }))).status).toBe(200);
    },
  );

  test.each(['1qaz2wsx3edc', 'q1w2e3r4t5y6', '1q2w3e4r5t6y', '123456789012', 'passwordpassword'])(
    'the common password %s: 400',
    async (password) => {
      await expectRefused(founding({ password }), { status: 400, detail: /common/ });
    },
  );

  test.each([
    ['extraordinary.person@example.org', 'extraordinary.person'],
    ['Extraordinary.Person@example.org', 'Extraordinary.Person'],
  ])('the local part of %s as its password: 400', async (email, password) => {
    await expectRefused(founding({ email, password }), { status: 400, detail: /local part|e-?mail/i });
  });

  test('a refused password is not repeated in the response', async () => {
    const { body } = await expectRefused(founding({ password: 'q1w2e3r4t5y6' }), { status: 400 });
    expect(JSON.stringify(body)).not.toContain('q1w2e3r4t5y6');
  });

  test('several faults at once still create nothing', async () => {
    const { body } = await post({ tenant_name: 7, email: 7, password: 'short', monthly_char_limit: -1 });
    const named = body.detail.map((entry: { loc: unknown[] }) => entry.loc.at(-1)).sort();
    expect(named).toEqual(['email', 'monthly_char_limit', 'password', 'tenant_name']);
  });

  test('after a refusal the same name and address can still be registered', async () => {
    const body = founding();
    await expectRefused({ ...body, password: 'too short!' }, { status: 400 });
    expect((await post(body)).status).toBe(200);
  });
});

describe('A 4.2: invite_token', () => {
  test.each([
    ['that is empty', ''],
    ['of no known shape', 'nonsense'],
    ['with a NUL', 'a.\0'],
    ['of 20,000 characters', 'x'.repeat(20_000)],
    ['of an unknown tenant', `${'0'.repeat(32)}.${'A'.repeat(43)}`],
    ['with quotes', "' or 1=1 --.'"],
    ['of dots', '...'],
  ])('a token %s: 400 invalid or expired invite, and no tenant is founded', async (_name, token) => {
    await expectRefused(founding({ invite_token: token }), {
      status: 400,
      detail: 'invalid or expired invite',
    });
  });

  test('a real tenant id with a wrong secret gets the same response', async () => {
    const { tenantId } = await app.signUp();
    await expectRefused(founding({ invite_token: `${tenantId}.wrong` }), {
      status: 400,
      detail: 'invalid or expired invite',
    });
  });

  test('null founds a workspace like no token at all', async () => {
    const { status, body } = await post(founding({ invite_token: null }));
    expect(status).toBe(200);
    expect(body.tenant_api_key).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});

describe('EMAIL_SIGNUP_ENABLED=false', () => {
  const closed = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', EMAIL_SIGNUP_ENABLED: 'false' } });

  test('A 4.2: founding returns 403 email signup is disabled, and creates nothing', async () => {
    await expectRefused(founding(), { status: 403, detail: 'email signup is disabled' }, closed);
  });

  test('A 4.2 rule 4: the invite path is gated by the same switch', async () => {
    await expectRefused(
      founding({ invite_token: `${'0'.repeat(32)}.secret` }),
      { status: 403, detail: 'email signup is disabled' },
      closed,
    );
  });

  test('over tRPC it is refused too', async () => {
    const sql = openSuperuser(closed.superuserUrl);
    const before = await accounts(sql);
    const { status, body } = await closed.json('POST', '/trpc/auth.signUpWithEmail', {
      body: { json: founding() },
    });
    expect(status).toBe(403);
    expect(JSON.stringify(body)).toContain('email signup is disabled');
    expect(await accounts(sql)).toEqual(before);
  });
});
