import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockMember } from '#server/identity/access/sessions.ts';
import { readResetToken, usePasswordResetLink } from '#server/identity/members/password-reset-links.ts';
import { holdOpen, waitingOr } from '#test/access/held-transactions.ts';
import { enrol } from '#test/auth/mfa.ts';
import { passwordGrant, refresh, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, join, openSession, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

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
const unusable = { detail: 'invalid or expired reset link' };

describe('C 2: a reset link', () => {
  test('carries its token in the fragment of an address of BASE_URL', async () => {
    const before = Date.now();
    const { status, body } = await issue(member);
    expect([status, Object.keys(body).toSorted()]).toEqual([200, ['expires_at', 'reset_token', 'reset_url']]);
    expect(body.reset_token).toMatch(new RegExp(`^${admin.tenantId}\\.[\\w-]{43}$`));
    const { origin, pathname, search, hash } = new URL(body.reset_url);
    expect([origin, pathname, search]).toEqual(['https://lingua.example.org', '/signin', '']);
    expect(hash).toBe(`#reset_token=${body.reset_token}`);
    const seconds = (Date.parse(body.expires_at) - before) / 1000;
    expect(seconds).toBeGreaterThan(890);
    expect(seconds).toBeLessThan(910);
  });

  test('C 1: without BASE_URL it is http://HOST:PORT, whatever Host the request names', async () => {
    const founder = await found(plain);
    const { body } = await issue(founder, founder, plain);
    expect(body.reset_url).toBe(`http://[::1]:9000/signin#reset_token=${body.reset_token}`);
    // C 1: PASSWORD_RESET_TTL_SECONDS.
    expect(Math.abs(Date.parse(body.expires_at) - Date.now() - 3_600_000)).toBeLessThan(30_000);
  });

  test('only the SHA-256 of its secret is kept; the log has no token', async () => {
    const { body } = await issue(member);
    const secret = body.reset_token.split('.')[1];
    const [row] = await openSuperuser(app.superuserUrl)`
      select link_hash, reset_links::text as whole from reset_links where user_id = ${member.userId}`;
    expect(Buffer.from(row?.['link_hash'])).toEqual(createHash('sha256').update(secret).digest());
    expect(row?.['whole']).not.toContain(secret);
    expect(await eventsOf(app, admin.tenantId, 'reset_link_issued')).toEqual([
      expect.objectContaining({ actor: ['member', admin.userId], target: member.userId, details: {} }),
    ]);
  });

  test('changes nothing until it is used', async () => {
    await issue(member);
    expect(await sessionStatus(app, member)).toBe(200);
    expect((await passwordGrant(app, member)).status).toBe(200);
  });

  test('sets the password once, and ends every session of the member', async () => {
    const apart = await openSession(app, member);
    const { body } = await issue(member);
    const used = await reset(body.reset_token);
    expect([used.status, used.body]).toEqual([200, { password_reset: true }]);
    // It signs nobody in.
    expect(used.headers.getSetCookie()).toEqual([]);
    expect(await sessionStatus(app, apart)).toBe(401);
    expect((await refresh(app, apart.refreshToken)).status).toBe(401);
    expect(await sessionStatus(app, member)).toBe(401);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    expect((await passwordGrant(app, member)).status).toBe(401);
    expect((await passwordGrant(app, member, { password: renewed })).status).toBe(200);
    expect(await sessionStatus(app, admin)).toBe(200);
    expect((await refresh(app, admin.refreshToken)).status).toBe(200);
    const again = await reset(body.reset_token, 'a third passphrase, never set');
    expect([again.status, again.body]).toEqual([401, unusable]);
    expect((await passwordGrant(app, member, { password: renewed })).status).toBe(200);
  });

  test('each member has one, the newest; another member’s stays', async () => {
    const first = await issue(member);
    const others = await issue(admin);
    const second = await issue(member);
    expect((await reset(first.body.reset_token)).status).toBe(401);
    expect((await reset(second.body.reset_token)).status).toBe(200);
    expect((await reset(others.body.reset_token)).status).toBe(200);
  });

  test('used 8 times at once: exactly one sets the password', async () => {
    const { body } = await issue(member);
    const { tenantId, linkHash } = readResetToken(body.reset_token) as NonNullable<
      ReturnType<typeof readResetToken>
    >;
    const hashes = Array.from({ length: 8 }, (_, i) => `hash ${i}`);
    // Held until several have found the link and wait for its member.
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

  test('issuing and using links concurrently, many times, never deadlocks', async () => {
    for (let round = 0; round < 10; round++) {
      const { body } = await issue(member);
      const { tenantId, linkHash } = readResetToken(body.reset_token) as NonNullable<
        ReturnType<typeof readResetToken>
      >;
      const [issued] = await Promise.all([
        issue(member),
        app.database.inTenant(tenantId, (tx) => usePasswordResetLink(tx, tenantId, linkHash, 'hash')),
      ]);
      expect(issued.status).toBe(200);
    }
  });

  test('expired, of a member revoked since, or of a tenant that is not active: unusable', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const expired = await issue(member);
    await sql`update reset_links set expires_at = now() where user_id = ${member.userId}`;
    expect((await reset(expired.body.reset_token)).body).toEqual(unusable);

    const revoked = await issue(member);
    await sql`update users set active = false where user_id = ${member.userId}`;
    expect((await reset(revoked.body.reset_token)).body).toEqual(unusable);
    await sql`update users set active = true where user_id = ${member.userId}`;

    await sql`update tenants set active = false where tenant_id = ${admin.tenantId}`;
    expect((await reset(revoked.body.reset_token)).body).toEqual(unusable);
    await sql`update tenants set active = true where tenant_id = ${admin.tenantId}`;
    expect((await reset(revoked.body.reset_token)).status).toBe(200);
  });

  test('A 4.1: every token that is not a link gets the same 401', async () => {
    const token: string = (await issue(member)).body.reset_token;
    const [owner, secret] = token.split('.');
    const other = await found(app);
    const forged = [
      ...['', 'nonsense', '*.x', 'a.b', '.', '%00', 'é'.repeat(40), `unknown.${'x'.repeat(43)}`],
      ...[`${token}A`, token.slice(0, -1), `${owner}.`, `${other.tenantId}.${secret}`, `nobody.${secret}`],
      ...[member.accessToken, '\0', `${owner}.\0`, '\ud800', 'x'.repeat(20_000)],
    ];
    for (const value of forged) {
      const { status, body } = await reset(value);
      expect([status, body], value).toEqual([401, unusable]);
    }
    expect((await reset(token)).status).toBe(200);
  });

  test('leaves the same person’s password in another workspace as it is', async () => {
    const elsewhere = await found(app, { email: member.email });
    await reset((await issue(member)).body.reset_token);
    expect((await passwordGrant(app, elsewhere)).status).toBe(200);
    expect(await sessionStatus(app, elsewhere)).toBe(200);
  });

  test('leaves the authenticator as it is', async () => {
    await enrol(app, member);
    await reset((await issue(member)).body.reset_token, renewed);
    const { body } = await passwordGrant(app, member, { password: renewed });
    expect(body).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp' } });
    expect(body.access_token).toBeUndefined();
  });

  test('a used one also ends sign-ins that wait for a code', async () => {
    const { body } = await issue(member);
    const sql = openSuperuser(app.superuserUrl);
    await sql`insert into mfa_challenges (tenant_id, challenge_hash, user_id, method, scope, expires_at)
      values (${member.tenantId}, '\\x01', ${member.userId}, 'totp', 's', now() + interval '1 hour')`;
    await reset(body.reset_token);
    expect(await sql`select 1 from mfa_challenges where user_id = ${member.userId}`).toHaveLength(0);
  });
});

describe('A 4.1: members who get none', () => {
  const links = async () => openSuperuser(app.superuserUrl)`
    select 1 from reset_links where tenant_id = ${admin.tenantId}`;

  test('a member of an identity provider: 400', async () => {
    await openSuperuser(app.superuserUrl)`
      update users set provider = 'oidc', password_hash = null where user_id = ${member.userId}`;
    const { status, body } = await issue(member);
    expect([status, body]).toEqual([
      400,
      { detail: 'the user signs in with an identity provider and has no password' },
    ]);
    expect(await links()).toHaveLength(0);
  });

  test('a revoked member: 400', async () => {
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: admin.bearer });
    const { status, body } = await issue(member);
    expect([status, body]).toEqual([400, { detail: 'the user is revoked; restore them first' }]);
    expect(await links()).toHaveLength(0);
  });
});

describe('C 2: the new password', () => {
  test.each([
    ['fewer than 12 characters', 'eleven-char'],
    ['one of the most common', 'password1234'],
    ['the local part of the address', 'firstname.lastname'],
  ])('%s: 400, and nothing has changed', async (_, password) => {
    const email = 'firstname.lastname@example.org';
    const person = await found(app, { email });
    const { reset_token } = (await issue(person, person)).body;
    const { status, body } = await reset(reset_token, password);
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect(await sessionStatus(app, person)).toBe(200);
    expect((await passwordGrant(app, person)).status).toBe(200);
    // Nothing happened, so the link may be tried again.
    expect((await reset(reset_token)).status).toBe(200);
  });

  test.each([['seven77'], [''], [12345678901234], [null]])('%j is 422', async (password) => {
    const { reset_token } = (await issue(member)).body;
    const { status, body } = await reset(reset_token, password);
    expect([status, Array.isArray(body.detail)]).toEqual([422, true]);
    expect((await reset(reset_token)).status).toBe(200);
  });

  test('C 7: a missing field is 422', async () => {
    for (const body of [{}, { reset_token: 'x' }, { new_password: renewed }])
      expect((await app.json('POST', '/api/auth/password-reset', { body })).status).toBe(422);
  });
});
