import { beforeEach, describe, expect, test } from 'vitest';
import { lockMember } from '#server/identity/access/sessions.ts';
import { readResetToken, usePasswordResetLink } from '#server/identity/members/password-reset-links.ts';
import { holdOpen, waitingOr } from '#test/access/held-transactions.ts';
import { enrol } from '#test/auth/mfa.ts';
import { passwordGrant, refresh, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, join, openSession, type Person } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({
  env: { ...env, BASE_URL: 'https://lingua.example.org/', PASSWORD_RESET_TTL_SECONDS: '900' },
});
const plain = useTestApp({ env: { ...env, HOST: '::1', PORT: '9000' } });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});

const issue = ({ userId }: Person, by = admin, at = app) =>
  at.json('POST', `/api/auth/users/${userId}/password-reset-link`, { headers: by.bearer });
const renewed = 'quite another passphrase';
const reset = (resetToken: string, newPassword: unknown = renewed) =>
  app.json('POST', '/api/auth/password-reset', {
    body: { reset_token: resetToken, new_password: newPassword },
  });
const unusable = refusalOf('invalid or expired reset link');
const keyOf = (token: string) => readResetToken(token) as NonNullable<ReturnType<typeof readResetToken>>;

describe('issuing a reset link', () => {
  test('returns an address of BASE_URL whose fragment has the token; nothing changes yet', async () => {
    const before = Date.now();
    const { status, body } = await issue(member);
    expect([status, Object.keys(body).toSorted()]).toEqual([200, ['expires_at', 'reset_token', 'reset_url']]);
    expect(body.reset_token).toMatch(new RegExp(`^${admin.tenantId}\\.[\\w-]{43}$`));
    const { origin, pathname, search, hash } = new URL(body.reset_url);
    expect([origin, pathname, search]).toEqual(['https://lingua.example.org', '/signin', '']);
    expect(hash).toBe(`#reset_token=${body.reset_token}`);
    expect(Math.abs(Date.parse(body.expires_at) - before - 900_000)).toBeLessThan(10_000);
    expect(await sessionStatus(app, member)).toBe(200);
    expect((await passwordGrant(app, member)).status).toBe(200);
  });

  test('without BASE_URL the address is http://HOST:PORT, whatever Host the request names', async () => {
    const founder = await found(plain);
    const { body } = await issue(founder, founder, plain);
    expect(body.reset_url).toBe(`http://[::1]:9000/signin#reset_token=${body.reset_token}`);
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 3_600_000)).toBeLessThan(30_000);
  });

  test('is refused for a member of an identity provider and for a revoked one: 400', async () => {
    const sql = openSuperuser(app.superuserUrl);
    await sql`update users set provider = 'oidc', password_hash = null where user_id = ${member.userId}`;
    const detail = 'the user signs in with an identity provider and has no password';
    expect(await issue(member)).toMatchObject({ status: 400, body: { detail } });
    await sql`update users set provider = 'email', active = false where user_id = ${member.userId}`;
    const revoked = refusalOf('the access of this user is revoked; restore it first');
    expect(await issue(member)).toMatchObject({ status: 400, body: revoked });
    expect(await sql`select 1 from reset_links where tenant_id = ${admin.tenantId}`).toHaveLength(0);
  });
});

describe('using a reset link', () => {
  test('sets the password once, ends every session of the member, and signs no one in', async () => {
    const apart = await openSession(app, member);
    const elsewhere = await found(app, { email: member.email });
    const sql = openSuperuser(app.superuserUrl);
    await sql`insert into mfa_challenges (tenant_id, challenge_hash, user_id, method, scope, expires_at)
      values (${member.tenantId}, '\\x01', ${member.userId}, 'totp', 's', now() + interval '1 hour')`;
    const { body } = await issue(member);
    const used = await reset(body.reset_token);
    expect([used.status, used.body]).toEqual([200, { password_reset: true }]);
    expect(used.headers.getSetCookie()).toEqual([expect.stringMatching(/ll_device=/)]);
    for (const session of [apart, member]) {
      expect(await sessionStatus(app, session)).toBe(401);
      expect((await refresh(app, session.refreshToken)).status).toBe(401);
    }
    expect(await sql`select 1 from mfa_challenges where user_id = ${member.userId}`).toHaveLength(0);
    expect((await passwordGrant(app, member)).status).toBe(401);
    expect((await passwordGrant(app, member, { password: renewed })).status).toBe(200);
    // Other members are not affected, and neither is the same person in another workspace.
    expect((await refresh(app, admin.refreshToken)).status).toBe(200);
    expect((await passwordGrant(app, elsewhere)).status).toBe(200);
    const again = await reset(body.reset_token, 'a third passphrase, never set');
    expect([again.status, again.body]).toEqual([401, unusable]);
    expect((await passwordGrant(app, member, { password: renewed })).status).toBe(200);
  });

  test('keeps the authenticator', async () => {
    await enrol(app, member);
    await reset((await issue(member)).body.reset_token);
    const { body } = await passwordGrant(app, member, { password: renewed });
    expect(body).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp' } });
  });

  test('each member has one, the latest; another member’s stays', async () => {
    const first = await issue(member);
    const others = await issue(admin);
    const second = await issue(member);
    expect((await reset(first.body.reset_token)).status).toBe(401);
    expect((await reset(second.body.reset_token)).status).toBe(200);
    expect((await reset(others.body.reset_token)).status).toBe(200);
  });

  test('8 times at the same time: exactly one sets the password', async () => {
    const { body } = await issue(member);
    const { tenantId, linkHash } = keyOf(body.reset_token);
    const hashes = Array.from({ length: 8 }, (_, i) => `hash ${i}`);
    // The lock is held until several requests have found the link and wait for the lock on its member.
    const held = await holdOpen(app, tenantId, (tx) => lockMember(tx, tenantId, member.userId));
    const all = Promise.all(
      hashes.map((hash) =>
        app.database.inTenant(tenantId, (tx) => usePasswordResetLink(tx, tenantId, linkHash, hash)),
      ),
    );
    await waitingOr(app, 3, all);
    await held.letGo();
    const uses = await all;
    const winners = hashes.filter((_, i) => uses[i] !== undefined);
    expect(winners).toHaveLength(1);
    const [row] = await openSuperuser(app.superuserUrl)`
      select password_hash from users where user_id = ${member.userId}`;
    expect(row?.['password_hash']).toBe(winners[0]);
  });

  test('is refused if it expired, its member is revoked, or its workspace is inactive', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const expired = await issue(member);
    await sql`update reset_links set expires_at = now() where user_id = ${member.userId}`;
    expect((await reset(expired.body.reset_token)).body).toEqual(unusable);

    const { reset_token } = (await issue(member)).body;
    for (const [table, column, id] of [
      ['users', 'user_id', member.userId],
      ['tenants', 'tenant_id', admin.tenantId],
    ] as const) {
      const set = (active: boolean) =>
        sql`update ${sql(table)} set active = ${active} where ${sql(column)} = ${id}`;
      await set(false);
      expect((await reset(reset_token)).body).toEqual(unusable);
      await set(true);
    }
    expect((await reset(reset_token)).status).toBe(200);
  });

  test('every token that is not a link gets the same 401', async () => {
    const token: string = (await issue(member)).body.reset_token;
    const [owner, secret] = token.split('.');
    const other = await found(app);
    const forged = ['', `${token}A`, token.slice(0, -1), `${other.tenantId}.${secret}`, `*.${secret}`];
    for (const value of [...forged, member.accessToken, `${owner}.\0`]) {
      const { status, body } = await reset(value);
      expect([status, body], value).toEqual([401, unusable]);
    }
    expect((await reset(token)).status).toBe(200);
  });
});
