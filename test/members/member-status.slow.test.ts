import { beforeEach, describe, expect, test } from 'vitest';
import { enrol } from '#test/auth/mfa.ts';
import { introspect, me, passwordGrant, refresh, sessionStatus } from '#test/auth/sign-in.ts';
import {
  administrator,
  developer,
  env,
  found,
  type Headers,
  join,
  operator,
  type Person,
} from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});

type Act = (of: Pick<Person, 'userId'>, headers?: Headers) => ReturnType<typeof app.json>;

const post =
  (path: string): Act =>
  ({ userId }, headers = admin.bearer) =>
    app.json('POST', `/api/auth/users/${userId}/${path}`, { headers });
const restore = post('restore');
const revoke: Act = ({ userId }, headers = admin.bearer) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });
const setRole = ({ userId }: Pick<Person, 'userId'>, role: unknown, headers: Headers = admin.bearer) =>
  app.json('PATCH', `/api/auth/users/${userId}/role`, { headers, body: { role } });
const demote: Act = (of, headers) => setRole(of, developer, headers);

/** Whether these headers are currently those of an administrator. */
const administers = async (headers: Headers) =>
  (await app.json('GET', '/api/auth/users', { headers })).status === 200;

async function activeAdministrators(): Promise<number> {
  const [row] = await openSuperuser(app.superuserUrl)`
    select count(*)::int as n from users
    where tenant_id = ${admin.tenantId} and active and role = ${administrator}`;
  return row?.['n'];
}

const rowOf = ({ userId, email }: Person, fields: object) => ({
  user_id: userId,
  email,
  provider: 'email',
  role: developer,
  active: true,
  created_at: expect.any(String),
  totp_enrolled: false,
  ...fields,
});

describe('revoking a member (A 3.2)', () => {
  test('returns the row, and ends all sessions immediately; others continue', async () => {
    const { body: again } = await passwordGrant(app, member);
    const elsewhere = await found(app, { email: member.email });
    const { status, body } = await revoke(member);
    expect([status, body]).toEqual([200, rowOf(member, { active: false })]);
    for (const token of [member.accessToken, again.access_token]) {
      expect((await me(app, { authorization: `Bearer ${token}` })).status).toBe(401);
      expect((await introspect(app, token, admin.bearer)).body.active).toBe(false);
    }
    expect((await refresh(app, again.refresh_token)).status).toBe(401);
    for (const person of [admin, elsewhere]) expect(await sessionStatus(app, person)).toBe(200);
  });

  test('leaves no way back in: no token, no pending challenge, no reset link', async () => {
    const sql = openSuperuser(app.superuserUrl);
    await post('password-reset-link')(member);
    await sql`insert into mfa_challenges (tenant_id, challenge_hash, user_id, method, scope, expires_at)
      values (${member.tenantId}, '\\x01', ${member.userId}, 'totp', 's', now() + interval '1 hour'),
             (${member.tenantId}, '\\x02', ${admin.userId}, 'totp', 's', now() + interval '1 hour')`;
    await revoke(member);
    const [left] = await sql`select
      (select count(*)::int from tokens where user_id = ${member.userId}) as tokens,
      (select count(*)::int from reset_links where user_id = ${member.userId}) as links,
      (select count(*)::int from mfa_challenges where user_id = ${member.userId}) as challenges,
      (select count(*)::int from mfa_challenges where user_id = ${admin.userId}) as others,
      (select count(*)::int from credential_directory d join tokens t on t.token_hash = d.credential_hash
        where t.user_id = ${admin.userId}) as admins`;
    expect(left).toEqual({ tokens: 0, links: 0, challenges: 0, others: 1, admins: 2 });
  });

  test('a second time changes nothing: the same row, and one entry in the log', async () => {
    const [first, second] = [await revoke(member), await revoke(member)];
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await eventsOf(app, admin.tenantId, 'member_revoked')).toMatchObject([
      {
        actor: ['member', admin.userId],
        target: member.userId,
        requestId: first.headers.get('x-request-id'),
      },
    ]);
  });

  test('restored, the member signs in again with the authenticator; old tokens stay ended', async () => {
    await enrol(app, member);
    await revoke(member);
    const { status, body } = await restore(member);
    expect([status, body]).toEqual([200, rowOf(member, { totp_enrolled: true })]);
    expect(await sessionStatus(app, member)).toBe(401);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    expect((await passwordGrant(app, member)).body.mfa_required).toBe(true);
    expect(await eventsOf(app, admin.tenantId, 'member_restored')).toHaveLength(1);
  });
});

describe('changing a role', () => {
  test('applies at the next request of an existing token and cookie, up and down', async () => {
    const ways = [member.bearer, member.cookie];
    for (const role of [administrator, developer]) {
      const { status, body } = await setRole(member, role);
      expect([status, body]).toEqual([200, rowOf(member, { role })]);
      for (const headers of ways) expect(await administers(headers)).toBe(role === administrator);
      expect((await me(app, member.bearer)).body.user.role).toBe(role);
    }
  });

  test('introspection shows the role at the issuance of each token', async () => {
    await setRole(member, administrator);
    const next = await refresh(app, member.refreshToken);
    for (const [token, role] of [
      [member.accessToken, developer],
      [next.body.access_token, administrator],
    ])
      expect((await introspect(app, token, admin.bearer)).body).toMatchObject({ active: true, role });
  });

  test.each(['Global_Administrator', undefined])('%j is not a role: 422', async (role) => {
    const { status, body } = await setRole(member, role);
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'role'] })]]);
    expect(await activeAdministrators()).toBe(1);
  });

  test('the log has the old and the new role, unless it is the same', async () => {
    await setRole(member, developer);
    await setRole(member, administrator, operator);
    expect(await eventsOf(app, admin.tenantId, 'role_changed')).toMatchObject([
      { actor: 'operator_key', target: member.userId, details: { from: developer, to: administrator } },
    ]);
  });
});

describe('the last active administrator', () => {
  test('can be neither revoked nor demoted, by anyone; keeping the role is no demotion', async () => {
    for (const headers of [admin.bearer, operator])
      for (const { status, body } of [await revoke(admin, headers), await demote(admin, headers)])
        expect([status, body]).toEqual([
          409,
          refusalOf('the last active administrator of a workspace can be neither revoked nor demoted'),
        ]);
    expect((await setRole(admin, administrator)).status).toBe(200);
    expect(await activeAdministrators()).toBe(1);
    expect(await eventsOf(app, admin.tenantId, 'member_revoked')).toEqual([]);
  });

  test('a revoked administrator, or one of another workspace, does not count as a second one', async () => {
    await found(app, { email: admin.email });
    await setRole(member, administrator);
    await revoke(member);
    for (const act of [revoke, demote]) expect((await act(admin)).status).toBe(409);
    // A revoked member does not count as an administrator, so demoting the member does not remove the last
    // administrator.
    expect((await demote(member)).status).toBe(200);
  });

  test('may be removed once there is another', async () => {
    await setRole(member, administrator);
    expect((await demote(admin)).status).toBe(200);
    expect(await administers(admin.bearer)).toBe(false);
    expect((await revoke(admin, member.bearer)).status).toBe(200);
    expect((await revoke(member, member.bearer)).status).toBe(409);
  });

  test.each([
    ['revoke each other', revoke, revoke],
    ['revoke and demote each other', revoke, demote],
  ])('of two who %s at the same time, one remains', async (_, one, other) => {
    await setRole(member, administrator);
    const sql = openSuperuser(app.superuserUrl);
    const both = await openSuperuser(app.superuserUrl).begin(async (held) => {
      await held`select 1 from tenants where tenant_id = ${admin.tenantId} for no key update`;
      const answers = Promise.all([one(member, admin.bearer), other(admin, member.bearer)]);
      // Both requests have authenticated their callers, and wait for the lock on the tenant's row.
      await poll(async () => {
        const [row] = await sql`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return row?.['n'] === 2;
      });
      return { answers };
    });
    const statuses = (await both.answers).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409]);
    expect(await activeAdministrators()).toBe(1);
  });
});
