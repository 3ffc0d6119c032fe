import { beforeAll, describe, expect, test } from 'vitest';
import { bearer, found, join, type Person, signUpFounder } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  expectInvalid,
  expectRefused,
  expectTokens,
  grant,
  introspect,
  meOf,
  refresh,
  sessionCookie,
  signIn,
  TOKEN,
} from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let ada: Person;
beforeAll(async () => {
  ada = await found(app);
});

const right = () => ({ grant_type: 'password', username: ada.email, password: ada.password });

describe('A 4.3: a right password', () => {
  test('A 2.3: tokens, their lives, the default scope and the user with the model default as role', async () => {
    const answer = await signIn(app, ada);
    expectTokens(answer, ada);
    expect(answer.body.scope).toBe('translate:jobs');
    expect(answer.body.access_token).not.toBe(ada.accessToken);
    expect(answer.body.access_token.split('.')).not.toHaveLength(3);
    expect(answer.body).not.toHaveProperty('mfa_challenge');
    expect(answer.body).not.toHaveProperty('tenant_selection_required');
    expect(JSON.stringify(answer.body)).not.toMatch(/argon2|hash|totp/);
  });

  test('A 2.3: me and introspection show the effective role', async () => {
    const { body } = await signIn(app, ada);
    expect((await meOf(app, body.access_token)).body.user.role).toBe('global_administrator');
    const shown = await introspect(app, body.access_token, bearer(ada.accessToken));
    expect(shown.body.role).toBe('global_administrator');
  });

  test('two sign-ins are two sessions, both alive', async () => {
    const [one, other] = [await signIn(app, ada), await signIn(app, ada)];
    expect(one.body.access_token).not.toBe(other.body.access_token);
    for (const { body } of [one, other]) expect((await meOf(app, body.access_token)).status).toBe(200);
  });

  test.each(['PASSWORD', ' password ', '\tPassWord\n'])(
    'the grant type is trimmed and lowercased: %j',
    async (type) => {
      expectTokens(await grant(app, { ...right(), grant_type: type }), ada);
    },
  );

  test('A 2.2: the address counts in any case', async () => {
    expectTokens(await signIn(app, { ...ada, email: ada.email.toUpperCase() }), ada);
  });

  test('pinned to the own workspace it is the same', async () => {
    expectTokens(await signIn(app, ada, { tenant_id: ada.tenantId }), ada);
  });

  test('the scope is recorded on both tokens', async () => {
    const scope = 'translate:jobs documents:read';
    const { body } = await signIn(app, ada, { scope });
    expect(body.scope).toBe(scope);
    for (const token of [body.access_token, body.refresh_token])
      expect((await introspect(app, token, bearer(ada.accessToken))).body.scope).toBe(scope);
  });

  test('A 6: it is in the audit log, by its user and the id of its request', async () => {
    const { headers } = await signIn(app, ada, {}, { 'x-request-id': 'sign-in-of-ada' });
    expect(headers.get('x-request-id')).toBe('sign-in-of-ada');
    const rows = await openSuperuser(app.superuserUrl)`
      select tenant_id, t::text as row from audit_log t where request_id = 'sign-in-of-ada'`;
    expect(rows.map((row) => row['tenant_id'])).toContain(ada.tenantId);
    expect(rows.some((row) => row['row'].includes(ada.userId))).toBe(true);
  });

  test('A 5.1: the cookie holds the token: HttpOnly, SameSite=Lax, Path=/, Max-Age, not Secure on http', async () => {
    const answer = await signIn(app, ada);
    expect(answer.headers.getSetCookie()).toHaveLength(1);
    const attributes = sessionCookie(answer);
    expect(attributes?.get('ll_session')).toBe(answer.body.access_token);
    expect(attributes?.has('httponly')).toBe(true);
    expect(attributes?.get('samesite')?.toLowerCase()).toBe('lax');
    expect(attributes?.get('path')).toBe('/');
    expect(attributes?.get('max-age')).toBe('3600');
    expect(attributes?.has('domain')).toBe(false);
    expect(attributes?.has('secure')).toBe(false);
  });
});

describe('under an https BASE_URL, with lives of its own', () => {
  const secure = useTestApp({
    env: {
      AUTH_RATE_LIMIT_ENABLED: 'false',
      BASE_URL: 'https://lingua.example.org',
      ACCESS_TOKEN_TTL_SECONDS: '120',
      REFRESH_TOKEN_TTL_SECONDS: '240',
    },
  });

  test('A 5.1: the cookie is Secure, its Max-Age the life of the token', async () => {
    const answer = await signIn(secure, await found(secure));
    expect(answer.body).toMatchObject({ expires_in: 120, refresh_expires_in: 240 });
    expect(sessionCookie(answer)?.has('secure')).toBe(true);
    expect(sessionCookie(answer)?.get('max-age')).toBe('120');
  });
});

describe('a wrong sign-in reveals nothing', () => {
  test('wrong password, unknown address, revoked member, foreign and unknown workspace: one 401, byte for byte', async () => {
    const [stranger, gone] = [await found(app), await join(app, ada)];
    const revoked = await app.json('DELETE', `/api/auth/users/${gone.userId}`, {
      headers: bearer(ada.accessToken),
    });
    expect(revoked.status).toBe(200);
    const wrong = 'not the passphrase at all';
    const attempts = [
      { ...right(), password: wrong },
      { ...right(), username: 'nobody@example.org' },
      { grant_type: 'password', username: gone.email, password: gone.password },
      { grant_type: 'password', username: gone.email, password: wrong },
      { ...right(), tenant_id: stranger.tenantId },
      { ...right(), tenant_id: 'f'.repeat(32) },
      { ...right(), tenant_id: "' or ''='" },
      { ...right(), tenant_id: ada.tenantId, password: wrong },
      { ...right(), username: 'not an address', password: wrong },
      { ...right(), password: ada.password.toUpperCase() },
      { ...right(), password: ` ${ada.password}` },
      { ...right(), password: `${ada.password} ` },
      { ...right(), password: ada.password.slice(0, -1) },
    ];
    const seen = [];
    for (const fields of attempts) {
      const response = await app.request(TOKEN, { method: 'POST', body: new URLSearchParams(fields) });
      seen.push({
        status: response.status,
        names: [...response.headers.keys()],
        cookies: response.headers.getSetCookie(),
        text: await response.text(),
      });
    }
    expect(seen[0]).toMatchObject({ status: 401, cookies: [] });
    expect(JSON.parse(seen[0]!.text)).toEqual({ detail: expect.any(String) });
    for (const answer of seen) expect(answer).toEqual(seen[0]);
  });

  test('A 3.2: a revoked member who is restored can sign in again', async () => {
    const member = await join(app, ada);
    const headers = bearer(ada.accessToken);
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers });
    expectRefused(await signIn(app, member), 401);
    await app.json('POST', `/api/auth/users/${member.userId}/restore`, { headers });
    expectTokens(await signIn(app, member), member);
  });
});

describe('A 4.3: the required fields', () => {
  test('a JSON body is 422', async () => {
    const answer = await app.json('POST', TOKEN, { body: right() });
    expectInvalid(answer);
    expect(JSON.stringify(answer.body)).not.toContain(ada.password);
  });

  test.each(['grant_type', 'username', 'password'])('without %s: 422 that names it', async (field) => {
    const { [field]: _, ...fields }: Record<string, string> = right();
    const answer = await grant(app, fields);
    expectInvalid(answer, field);
    expect(JSON.stringify(answer.body)).not.toContain(ada.password);
  });

  test.each(['client_credentials', 'authorization_code', 'pass word', 'mfa-otp', '__proto__'])(
    'the grant type %s is unknown: 422',
    async (type) => {
      expectInvalid(await grant(app, { ...right(), grant_type: type }), 'grant_type');
    },
  );

  test('credentials in the query do not count', async () => {
    expectInvalid(await grant({ ...app, json: queried }, {}));
    function queried(method: string, path: string, options?: object) {
      return app.json(method, `${path}?${new URLSearchParams(right())}`, options);
    }
  });

  test('C 7: GET is not allowed', async () => {
    expect((await app.json('GET', TOKEN)).status).toBe(405);
  });
});

describe('passwords', () => {
  test('are compared in NFKC', async () => {
    const password = 'Ångström ﬁancé ⅷ Ｗｉｄｅ';
    const person = await found(app, { password });
    for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'])
      expectTokens(await signIn(app, { ...person, password: password.normalize(form) }), person);
    expectRefused(await signIn(app, { ...person, password: 'Angstrom fiance viii Wide' }), 401);
  });

  test.each([
    ['letters', 'x'],
    ['astral characters', '😀'],
  ])('1024 %s are kept whole: another last character is another password', async (_what, char) => {
    const password = `${char.repeat(1023)}y`;
    const person = await found(app, { password });
    expectTokens(await signIn(app, person), person);
    expectRefused(await signIn(app, { ...person, password: `${char.repeat(1023)}z` }), 401);
    expectRefused(await signIn(app, { ...person, password: char.repeat(1023) }), 401);
  });

  test('are hashed by argon2id, with at least 19 MiB and two passes', async () => {
    const { userId } = await signUpFounder(app);
    const rows = await openSuperuser(app.superuserUrl)`
      select password_hash from users where user_id = ${userId}`;
    expect(rows).toHaveLength(1);
    for (const row of rows) {
      const [, memory, passes] =
        /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=\d+\$/.exec(row['password_hash']) ?? [];
      expect(Number(memory)).toBeGreaterThanOrEqual(19 * 1024);
      expect(Number(passes)).toBeGreaterThanOrEqual(2);
    }
  });
});

describe('PASSWORD_SIGNIN_ENABLED=false', () => {
  const closed = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', PASSWORD_SIGNIN_ENABLED: 'false' } });

  test('A 4.3 rule 5: 403 with a pointer to single sign-on, whether the password is right or wrong', async () => {
    const person = await found(closed);
    for (const password of [person.password, 'not the passphrase at all']) {
      const answer = await signIn(closed, { ...person, password });
      expectRefused(answer, 403);
      expect(answer.body.detail).toMatch(/^password sign-in is disabled.*sign-on/i);
    }
  });

  test('C 7: it switches off only the password grant', async () => {
    const person = await found(closed);
    expectTokens(await refresh(closed, person.refreshToken), person);
  });
});
