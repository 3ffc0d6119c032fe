import { describe, expect, test } from 'vitest';
import { checkPasswordPolicy, normalizePassword } from '#server/identity/auth/passwords/policy.ts';
import { env, found, founding, join, resetToken } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { contentsOf } from '#test/setup/stored-rows.ts';
import { expectInvalid, expectTokens, signIn, signUp } from './sign-in.ts';

/** The result of the password policy for extraordinary.person@example.org. */
const checked = (password: string) =>
  checkPasswordPolicy(normalizePassword(password), 'extraordinary.person@example.org', 'Fine Bakery').then(
    () => 'accepted',
    ({ message }: Error) => message,
  );
const [short, long] = [
  'password too short: at least 12 characters',
  'password too long: at most 1024 characters',
];
const [common, local] = ['password too common', 'password must not equal the email local part'];

/** A text of characters without a pattern. */
const manyCharacters = (length: number) =>
  Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 5000))).join('');

describe('the policy (A 4.2)', () => {
  test.each([
    ['xK9!qwZ2#pL', short],
    ['😀😁😂🤣😃😄😅😆😉😊😋', short],
    ['xK9!qwZ2#pLm', 'accepted'],
    ['😀😁😂🤣😃😄😅😆😉😊😋😎', 'accepted'],
    ['            x', common],
    ['Password2024!', common],
    ['LinguaLoop2026', common],
    ['FineBakery2026', common],
    ['Extraordinary.Person1', common],
    ['correct horse battery staple', 'accepted'],
    ['正確な馬のバッテリーのホチキス', 'accepted'],
    ['ñ'.repeat(1024), common],
    [manyCharacters(1024), 'accepted'],
    [manyCharacters(1025), long],
    ['p4ssw0rd'.repeat(128), common],
    ['123456789012', common],
    ['PassWordPassWord', common],
    // Full-width letters. NFKC normalization makes the passwords the same as the ones above.
    ['ｐａｓｓｗｏｒｄｐａｓｓｗｏｒｄ', common],
    ['extraordinary.person', local],
    ['ｅｘｔｒａOrdinary.person', local],
  ])('%.40s: %s', async (password, outcome) => {
    expect(await checked(password)).toBe(outcome);
  });
});

describe('by signup and by reset link', () => {
  const app = useTestApp({ env });

  test('a refused password is 400, or 422 under 8 characters, and changes nothing; it is not repeated', async () => {
    const admin = await found(app);
    const person = await join(app, admin);
    const reset_token = await resetToken(app, { ...person, bearer: admin.bearer });
    const reset = (new_password: string) =>
      app.json('POST', '/api/auth/password-reset', { body: { reset_token, new_password } });
    const before = await contentsOf(app);
    for (const password of ['xK9!qwZ2', 'q1w2e3r4t5y6', 'abcdefg', '😀😁😂🤣😃😄😅'])
      for (const answer of [await signUp(app, founding({ password })), await reset(password)]) {
        if ([...password].length < 8) expectInvalid(answer);
        else expect([answer.status, typeof answer.body.detail]).toEqual([400, 'string']);
        expect(JSON.stringify(answer.body)).not.toContain(password);
      }
    expect(await contentsOf(app)).toBe(before);
    expectTokens(await signIn(app, person), person);
    // The new password is set in one normalization form; the member can sign in with all forms.
    const renewed = 'Ｃｒｅ́ｍｅ ﬂambée №5';
    expect((await reset(renewed)).status).toBe(200);
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
      expectTokens(await signIn(app, { ...person, password: renewed.normalize(form) }), person);
  });
});
