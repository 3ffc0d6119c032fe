import { beforeAll, describe, expect, test } from 'vitest';
import { bearer, env, found, join, type Person, signUpFounder } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import {
  expectInvalid,
  expectRefused,
  expectTokens,
  grant,
  introspect,
  meOf,
  signIn,
  TOKEN,
} from './sign-in.ts';

const app = useTestApp({ env });

let ada: Person;
beforeAll(async () => {
  ada = await found(app);
});

const right = () => ({ grant_type: 'password', username: ada.email, password: ada.password });

describe('a right password (A 4.3)', () => {
  test('gives tokens of their own to each sign-in, with the default scope; it is in the log', async () => {
    const headers = { 'x-request-id': 'sign-in-of-ada' };
    const [one, other] = [await signIn(app, ada, {}, headers), await signIn(app, ada)];
    for (const answer of [one, other]) {
      expectTokens(answer, ada);
      expect(answer.body.scope).toBe('translate:jobs');
      expect(answer.body.access_token.split('.')).not.toHaveLength(3);
      expect(JSON.stringify(answer.body)).not.toMatch(/argon2|hash|totp|mfa_challenge|tenant_selection/);
      // The response has the default role of the specification's model. All other responses of the API have the
      // effective role.
      expect((await meOf(app, answer.body.access_token)).body.user.role).toBe('global_administrator');
      const shown = await introspect(app, answer.body.access_token, bearer(ada.accessToken));
      expect(shown.body.role).toBe('global_administrator');
    }
    expect(one.body.access_token).not.toBe(other.body.access_token);
    const events = await eventsOf(app, ada.tenantId, 'signed_in');
    expect(events.filter(({ requestId }) => requestId === 'sign-in-of-ada')).toMatchObject([
      { actor: ['member', ada.userId], details: { way: 'password' } },
    ]);
  });

  test.each<[string, () => Record<string, string>]>([
    ['a grant type in any letter case, untrimmed', () => ({ grant_type: '\tPassWord\n' })],
    ['an address in any letter case', () => ({ username: ada.email.toUpperCase() })],
    ['the own workspace', () => ({ tenant_id: ada.tenantId })],
  ])('with %s', async (_, fields) => {
    expectTokens(await grant(app, { ...right(), ...fields() }), ada);
  });
});

test('wrong password, unknown address, revoked member, foreign workspace: one 401, byte for byte', async () => {
  const [stranger, gone] = [await found(app), await join(app, ada)];
  await app.json('DELETE', `/api/auth/users/${gone.userId}`, { headers: ada.bearer });
  const attempts = [
    { ...right(), password: 'not the passphrase at all' },
    { ...right(), username: 'nobody@example.org' },
    { ...right(), username: 'not an address' },
    { ...right(), username: gone.email, password: gone.password },
    { ...right(), tenant_id: stranger.tenantId },
    { ...right(), tenant_id: 'f'.repeat(32) },
    { ...right(), password: ada.password.toUpperCase() },
    { ...right(), password: ada.password.slice(0, -1) },
  ];
  const seen = [];
  for (const fields of attempts) {
    const response = await app.request(TOKEN, {
      ...{ method: 'POST', body: new URLSearchParams(fields) },
      headers: { 'x-request-id': 'the-same' },
    });
    const { status, headers } = response;
    seen.push({ status, names: [...headers.keys()], text: await response.text() });
  }
  expect(seen[0]).toMatchObject({ status: 401, text: expect.any(String) });
  expect(JSON.parse(seen[0]!.text)).toEqual(refusalOf('invalid email or password'));
  expect(seen[0]?.names).not.toContain('set-cookie');
  for (const answer of seen) expect(answer).toEqual(seen[0]);
});

test('what is no grant is 422, without repeating the password', async () => {
  for (const field of ['grant_type', 'username', 'password'] as const) {
    const { [field]: _, ...fields }: Record<string, string> = right();
    expectInvalid(await grant(app, fields), field);
  }
  expectInvalid(await grant(app, { ...right(), grant_type: '__proto__' }), 'grant_type');
  const json = await app.json('POST', TOKEN, { body: right() });
  expectInvalid(json);
  expect(JSON.stringify(json.body)).not.toContain(ada.password);
  expectInvalid(await app.json('POST', `${TOKEN}?${new URLSearchParams(right())}`, { body: '' }));
});

describe('passwords', () => {
  test('of 1024 characters are kept whole', async () => {
    const char = '😀';
    const password = `${char.repeat(1023)}y`;
    const person = await found(app, { password });
    expectTokens(await signIn(app, person), person);
    expectRefused(await signIn(app, { ...person, password: `${char.repeat(1023)}z` }), 401);
    expectRefused(await signIn(app, { ...person, password: char.repeat(1023) }), 401);
  });

  test('are hashed by argon2id, with at least 19 MiB, two passes and one lane', async () => {
    const { userId } = await signUpFounder(app);
    const [row] = await openSuperuser(app.superuserUrl)`
      select password_hash from users where user_id = ${userId}`;
    const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]{22}\$[\w+/]{43}$/;
    const [, memory, passes, lanes] = form.exec(row?.['password_hash']) ?? [];
    expect(Number(memory)).toBeGreaterThanOrEqual(19 * 1024);
    expect(Number(passes)).toBeGreaterThanOrEqual(2);
    expect(Number(lanes)).toBe(1);
  });
});
