import { describe, expect, test } from 'vitest';
import { bearer, found, founding, invite, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { expectInvalid, expectRefused, expectTokens, signIn, signUp } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

/** The two requests that set a password, each for an address. */
const places = [
  [
    'A 4.2, signup',
    async (password: string, email?: string) => {
      const sent = founding({ password, ...(email !== undefined && { email }) });
      return { sent, answer: await signUp(app, sent) };
    },
  ],
  [
    'C 2, password reset',
    async (password: string, email?: string) => {
      const admin = await found(app);
      const person = email === undefined ? await join(app, admin) : await joinAs(admin, email);
      const sent = { email: person.email, password };
      return { sent, answer: await resetOf(admin, person, password) };
    },
  ],
] as const;

async function joinAs(admin: Person, email: string): Promise<Person> {
  const sent = founding({ invite_token: (await invite(app, admin)).invite_token, email });
  const { body } = await signUp(app, sent);
  return { ...admin, email: email.toLowerCase(), userId: body.token.user.user_id, password: sent.password };
}

async function resetOf(admin: Person, person: Person, password: string) {
  const link = await app.json('POST', `/api/auth/users/${person.userId}/password-reset-link`, {
    headers: bearer(admin.accessToken),
  });
  expect(link.status, JSON.stringify(link.body)).toBe(200);
  const body = { reset_token: link.body.reset_token, new_password: password };
  return app.json('POST', '/api/auth/password-reset', { body });
}

describe.each(places)('%s', (_place, choose) => {
  test.each(['', 'abcdefg', '😀😁😂🤣😃😄😅'])('under 8 characters is 422: %j', async (password) => {
    const { answer } = await choose(password);
    expectInvalid(answer);
    if (password !== '') expect(JSON.stringify(answer.body)).not.toContain(password);
  });

  test.each(['xK9!qwZ2', 'xK9!qwZ2#pL', '😀😁😂🤣😃😄😅😆😉😊😋'])(
    'under 12 is 400: %j',
    async (password) => {
      const { answer } = await choose(password);
      expectRefused(answer, 400);
      expect(answer.body.detail).toMatch(/short|12/);
      expect(answer.body.detail).not.toContain(password);
    },
  );

  test.each([
    '123456789012',
    'passwordpassword',
    '1q2w3e4r5t6y',
    // On the list, except for its letter case.
    'PassWordPassWord',
    '1Q2w3E4r5T6Y',
    // The same in full-width letters: NFKC makes it so.
    'ｐａｓｓｗｏｒｄｐａｓｓｗｏｒｄ',
    '１２３４５６７８９０１２',
  ])('a common one is 400: %s', async (password) => {
    const { answer } = await choose(password);
    expectRefused(answer, 400);
    expect(answer.body.detail).toMatch(/common/);
    expect(answer.body.detail).not.toContain(password);
  });

  test.each([
    ['extraordinary.person@example.org', 'extraordinary.person'],
    ['Extraordinary.Other@example.org', 'extraordinary.other'],
    ['extraordinary.third@example.org', 'ｅｘｔｒａordinary.third'],
  ])('the local part of %s is 400: %s', async (email, password) => {
    const { answer } = await choose(password, email);
    expectRefused(answer, 400);
    expect(answer.body.detail).toMatch(/local part|e-?mail/i);
  });

  test('1024 characters are accepted; 1025 are refused', async () => {
    const { sent, answer } = await choose('ñ'.repeat(1024));
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect((await signIn(app, sent)).status).toBe(200);
    const longer = await choose('ñ'.repeat(1025));
    expect([400, 422]).toContain(longer.answer.status);
  });

  test.each([
    'twelve chars',
    'xK9!qwZ2#pLm',
    '            x',
    'пароль из многих слов',
    '正確な馬のバッテリーのホチキス',
  ])('%j is accepted, and signs in', async (password) => {
    const { sent, answer } = await choose(password);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect((await signIn(app, sent)).status).toBe(200);
  });

  test('any NFKC-equivalent form of it signs in', async () => {
    const password = 'Ｃｒｅ́ｍｅ ﬂambée №5';
    const { sent, answer } = await choose(password);
    expect(answer.status).toBe(200);
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
      expect((await signIn(app, { ...sent, password: password.normalize(form) })).status).toBe(200);
  });
});

test('C 2: a refused new password leaves the old one, and the link usable', async () => {
  const admin = await found(app);
  const person = await join(app, admin);
  const { body: link } = await app.json('POST', `/api/auth/users/${person.userId}/password-reset-link`, {
    headers: bearer(admin.accessToken),
  });
  const reset = (password: string) =>
    app.json('POST', '/api/auth/password-reset', {
      body: { reset_token: link.reset_token, new_password: password },
    });
  expectRefused(await reset('passwordpassword'), 400);
  expectRefused(await reset('short'), 422);
  expectTokens(await signIn(app, person), person);
  expect((await reset('a good new passphrase')).status).toBe(200);
  expectRefused(await signIn(app, person), 401);
});
