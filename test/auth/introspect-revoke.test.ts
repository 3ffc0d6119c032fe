import { beforeAll, describe, expect, test } from 'vitest';
import { bearer, env, found, join, operator, operatorKey, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { expectCookieCleared, introspect, meOf, refresh, revoke, signIn } from './sign-in.ts';

const app = useTestApp({ env });

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
const session = async (person: Person): Promise<{ access_token: string; refresh_token: string }> =>
  (await signIn(app, person)).body;
const isAccepted = async (token: string) => (await meOf(app, token)).status === 200;

describe('introspection (A 2.4)', () => {
  test('shows every field of an access and a refresh token, and uses neither up', async () => {
    const { body: given } = await signIn(app, member, { scope: 'some scope' });
    const now = Date.now() / 1000;
    for (const [token, token_type, life] of [
      [given.access_token, 'access_token', 3600],
      [given.refresh_token, 'refresh_token', 2_592_000],
    ]) {
      const { body } = await introspect(app, token, admin());
      expect(body).toEqual({
        active: true,
        token_type,
        scope: 'some scope',
        exp: expect.any(Number),
        sub: member.userId,
        tenant_id: ada.tenantId,
        email: member.email,
        role: 'agent_id_developer',
      });
      expect(Number.isInteger(body.exp)).toBe(true);
      expect(Math.abs(body.exp - now - life)).toBeLessThan(30);
    }
    expect(await isAccepted(given.access_token)).toBe(true);
    expect((await refresh(app, given.refresh_token)).status).toBe(200);
  });

  test('of what is no token, a key included, is inactive, the rest null', async () => {
    for (const value of ['nobody', ada.apiKey, operatorKey, ada.tenantId, `${ada.accessToken}x`])
      for (const headers of [admin(), operator]) {
        const { status, body } = await introspect(app, value, headers);
        expect([status, body]).toEqual([200, inactive]);
      }
  });

  test('of a token that was used, revoked or expired, or whose member was revoked, is inactive', async () => {
    const [used, revoked, expired] = [await session(ada), await session(ada), await session(ada)];
    await refresh(app, used.refresh_token);
    await revoke(app, revoked.access_token, admin());
    const gone = await join(app, ada);
    const sql = openSuperuser(app.superuserUrl);
    // The member is revoked in the database, because the API would also delete the tokens.
    await sql`update users set active = false where user_id = ${gone.userId}`;
    await sql`
      update tokens set expires_at = now() - interval '1 second'
      where token_hash = sha256(convert_to(${expired.access_token}, 'UTF8'))`;
    const dead = [used.refresh_token, revoked.access_token, expired.access_token, gone.accessToken];
    for (const token of [...dead, gone.refreshToken])
      expect((await introspect(app, token, admin())).body).toEqual(inactive);
    expect(await isAccepted(expired.access_token)).toBe(false);
  });

  test('an administrator sees only tokens of the own workspace, the operator key any', async () => {
    for (const token of [ben.accessToken, ben.refreshToken]) {
      expect((await introspect(app, token, admin())).body).toEqual(inactive);
      const { body } = await introspect(app, token, operator);
      expect(body).toMatchObject({ active: true, tenant_id: ben.tenantId, sub: ben.userId });
    }
    const narrowed = { ...operator, 'x-tenant-id': ada.tenantId };
    expect((await introspect(app, ben.accessToken, narrowed)).body).toEqual(inactive);
  });
});

describe('revocation (A 4.1)', () => {
  test.each(['access_token', 'refresh_token'])(
    'ends an access token, whatever the hint (%s), and clears the cookie; a second time is the same',
    async (hint) => {
      const given = await session(member);
      for (let time = 0; time < 2; time += 1) {
        const answer = await revoke(app, given.access_token, admin(), { token_type_hint: hint });
        expect([answer.status, answer.body]).toEqual([200, { revoked: true }]);
        expectCookieCleared(answer);
      }
      expect(await isAccepted(given.access_token)).toBe(false);
    },
  );

  test('of an unknown or foreign token gets the same response, and does nothing', async () => {
    const odd = ['nobody', '\0', 'x'.repeat(20_000), ada.apiKey, operatorKey];
    for (const value of [...odd, ben.accessToken, ben.refreshToken]) {
      const answer = await revoke(app, value, admin());
      expect([answer.status, answer.body]).toEqual([200, { revoked: true }]);
      expectCookieCleared(answer);
    }
    expect(await isAccepted(ben.accessToken)).toBe(true);
    expect((await introspect(app, ben.refreshToken, operator)).body.active).toBe(true);
    expect((await app.json('GET', '/api/translations', { headers: ada.key })).status).toBe(200);
  });
});
