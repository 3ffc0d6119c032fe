import { beforeAll, describe, expect, test } from 'vitest';
import { apiKey, bearer, cookie, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  expectCookieCleared,
  expectInvalid,
  expectRefused,
  introspect,
  meOf,
  postForm,
  REFUSED_REFRESH,
  refresh,
  revoke,
  signIn,
} from './sign-in.ts';

const OPERATOR_KEY = 'an-operator-key-of-some-length-0123456789';
const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: OPERATOR_KEY } });

let ada: Person;
let ben: Person;
let member: Person;
beforeAll(async () => {
  ada = await found(app);
  ben = await found(app);
  member = await join(app, ada);
});

const inactive = {
  active: false,
  token_type: null,
  scope: null,
  exp: null,
  sub: null,
  tenant_id: null,
  email: null,
  role: null,
};
const admin = () => bearer(ada.accessToken);

async function session(person: Person): Promise<{ access_token: string; refresh_token: string }> {
  return (await signIn(app, person)).body;
}

/** Both endpoints of the Admin guard, called with an unknown token. */
const endpoints = [
  ['introspect', (headers: Record<string, string>) => introspect(app, 'nobody', headers)],
  ['revoke', (headers: Record<string, string>) => revoke(app, 'nobody', headers)],
] as const;

describe.each(endpoints)('A 5.2, Admin: %s', (name, ask) => {
  test('no credential, a tenant’s key, or an unknown one: 401 admin credentials required', async () => {
    const none = [
      {},
      apiKey(ada.apiKey),
      bearer(ada.apiKey),
      apiKey('nonsense'),
      bearer('nonsense'),
      cookie('nonsense'),
      bearer(ada.refreshToken),
      cookie(ada.refreshToken),
      apiKey(`${OPERATOR_KEY}x`),
      bearer(OPERATOR_KEY.slice(1)),
      apiKey(ada.accessToken),
    ];
    for (const headers of none) expectRefused(await ask(headers), 401, 'admin credentials required');
  });

  test('a member: 403 admin role required, by bearer and by cookie', async () => {
    for (const headers of [bearer(member.accessToken), cookie(member.accessToken)])
      expectRefused(await ask(headers), 403, 'admin role required');
  });

  test('an administrator by bearer or cookie, and the operator key in either place', async () => {
    const allowed = [admin(), cookie(ada.accessToken), apiKey(OPERATOR_KEY), bearer(OPERATOR_KEY)];
    for (const headers of allowed) expect((await ask(headers)).status).toBe(200);
  });

  test('C 7: a member beside the operator key has operator access', async () => {
    expect((await ask({ ...bearer(member.accessToken), ...apiKey(OPERATOR_KEY) })).status).toBe(200);
  });

  test('a form with a token is required: JSON and an empty body are 422', async () => {
    const path = `/api/oauth2/${name}`;
    expectInvalid(await app.json('POST', path, { headers: admin(), body: { token: 'x' } }));
    expectInvalid(await postForm(app, path, {}, admin()), 'token');
  });
});

describe('A 2.4: introspection', () => {
  test('of an access and a refresh token: every field', async () => {
    const { body: given } = await signIn(app, member, { scope: 'some scope' });
    const now = Date.now() / 1000;
    const shared = {
      active: true,
      scope: 'some scope',
      sub: member.userId,
      tenant_id: ada.tenantId,
      email: member.email,
      role: 'agent_id_developer',
    };
    const access = await introspect(app, given.access_token, admin());
    expect(access.body).toMatchObject({ ...shared, token_type: 'access_token' });
    expect(Number.isInteger(access.body.exp)).toBe(true);
    expect(Math.abs(access.body.exp - now - 3600)).toBeLessThan(30);
    const refreshing = await introspect(app, given.refresh_token, admin());
    expect(refreshing.body).toMatchObject({ ...shared, token_type: 'refresh_token' });
    expect(Math.abs(refreshing.body.exp - now - 2_592_000)).toBeLessThan(30);
  });

  test('of a string that is not a token, a key included: inactive, the rest null', async () => {
    for (const value of ['nobody', ada.apiKey, OPERATOR_KEY, ada.tenantId, `${ada.accessToken}x`])
      for (const headers of [admin(), apiKey(OPERATOR_KEY)]) {
        const { status, body } = await introspect(app, value, headers);
        expect(status).toBe(200);
        expect(body).toEqual(inactive);
      }
  });

  test('of a token that was consumed, revoked, expired, or whose member was revoked: inactive', async () => {
    const [consumed, revoked, expired] = [await session(ada), await session(ada), await session(ada)];
    await refresh(app, consumed.refresh_token);
    await revoke(app, revoked.access_token, admin());
    const gone = await join(app, ada);
    await app.json('DELETE', `/api/auth/users/${gone.userId}`, { headers: admin() });
    const sql = openSuperuser(app.superuserUrl);
    await sql`
      update tokens set expires_at = now() - interval '1 second'
      where token_hash = sha256(convert_to(${expired.access_token}, 'UTF8'))`;
    const dead = [
      consumed.refresh_token,
      revoked.access_token,
      expired.access_token,
      gone.accessToken,
      gone.refreshToken,
    ];
    for (const token of dead) expect((await introspect(app, token, admin())).body).toEqual(inactive);
    expect((await meOf(app, expired.access_token)).status).toBe(401);
  });

  test('A 5.2: an administrator sees only the own tenant’s tokens, the operator key any', async () => {
    for (const token of [ben.accessToken, ben.refreshToken]) {
      expect((await introspect(app, token, admin())).body).toEqual(inactive);
      const { body } = await introspect(app, token, apiKey(OPERATOR_KEY));
      expect(body).toMatchObject({ active: true, tenant_id: ben.tenantId, sub: ben.userId });
    }
  });

  test('does not use the token up', async () => {
    const given = await session(ada);
    for (const token of [given.access_token, given.refresh_token]) await introspect(app, token, admin());
    expect((await meOf(app, given.access_token)).status).toBe(200);
    expect((await refresh(app, given.refresh_token)).status).toBe(200);
  });
});

describe('A 4.1: revocation', () => {
  test('of an access token: it is refused at the next request; a second revocation returns the same', async () => {
    const given = await session(member);
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await revoke(app, given.access_token, admin());
      expect(status).toBe(200);
      expect(body).toEqual({ revoked: true });
    }
    expect((await meOf(app, given.access_token)).status).toBe(401);
  });

  test('of a refresh token', async () => {
    const given = await session(member);
    expect((await revoke(app, given.refresh_token, admin())).body).toEqual({ revoked: true });
    expectRefused(await refresh(app, given.refresh_token), 401, REFUSED_REFRESH);
  });

  test.each(['access_token', 'refresh_token', 'nonsense'])('the hint %s is ignored', async (hint) => {
    const given = await session(member);
    await revoke(app, given.access_token, admin(), { token_type_hint: hint });
    expect((await meOf(app, given.access_token)).status).toBe(401);
  });

  test('of an unknown or foreign token it returns the same, and does nothing', async () => {
    const odd = ['\0', 'x'.repeat(20_000)];
    for (const value of ['nobody', ...odd, ben.accessToken, ben.refreshToken, ada.apiKey, OPERATOR_KEY]) {
      const { status, body } = await revoke(app, value, admin());
      expect([status, body]).toEqual([200, { revoked: true }]);
    }
    expect((await meOf(app, ben.accessToken)).status).toBe(200);
    const { body } = await introspect(app, ben.refreshToken, apiKey(OPERATOR_KEY));
    expect(body.active).toBe(true);
    expect((await app.json('GET', '/api/translations', { headers: apiKey(ada.apiKey) })).status).toBe(200);
  });

  test('the operator key reaches any tenant', async () => {
    const given = await session(ben);
    await revoke(app, given.access_token, apiKey(OPERATOR_KEY));
    expect((await meOf(app, given.access_token)).status).toBe(401);
  });

  test('it clears the cookie, whether or not a token matched', async () => {
    expectCookieCleared(await revoke(app, 'nobody', admin()));
    expectCookieCleared(await revoke(app, (await session(member)).access_token, admin()));
  });
});

describe('A 5.1 rule 7: open dev mode', () => {
  const open = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
  const keyed = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: OPERATOR_KEY } });

  test('without a key and without a tenant the gate passes; the first tenant closes it', async () => {
    expect((await introspect(open, 'nobody', {})).body).toEqual(inactive);
    await found(open);
    expectRefused(await introspect(open, 'nobody', {}), 401, 'admin credentials required');
  });

  test('with an operator key it is closed from the start', async () => {
    expectRefused(await introspect(keyed, 'nobody', {}), 401, 'admin credentials required');
    expect((await introspect(keyed, 'nobody', apiKey(OPERATOR_KEY))).status).toBe(200);
  });
});
