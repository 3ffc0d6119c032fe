import { beforeEach, describe, expect, test } from 'vitest';
import { passwordGrant, refresh, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
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

const revoke = ({ userId }: Person, headers: Record<string, string> = admin.bearer) =>
  app.json('DELETE', `/api/auth/users/${userId}`, { headers });
const restore = ({ userId }: Person, headers: Record<string, string> = admin.bearer) =>
  app.json('POST', `/api/auth/users/${userId}/restore`, { headers });
const setRole = ({ userId }: Person, role: unknown, headers: Record<string, string> = admin.bearer) =>
  app.json('PATCH', `/api/auth/users/${userId}/role`, { headers, body: { role } });

async function activeAdministrators(tenantId: string): Promise<number> {
  const [row] = await openSuperuser(app.superuserUrl)`
    select count(*)::int as n from users
    where tenant_id = ${tenantId} and active and role = 'global_administrator'`;
  return row?.['n'];
}

describe('A 3.2: revoking', () => {
  test('returns the row, and ends all sessions at once', async () => {
    const again = await passwordGrant(app, member);
    const { status, body } = await revoke(member);
    expect([status, body]).toEqual([
      200,
      {
        user_id: member.userId,
        email: member.email,
        provider: 'email',
        role: 'agent_id_developer',
        active: false,
        created_at: expect.any(String),
        totp_enrolled: false,
      },
    ]);
    expect(await sessionStatus(app, member)).toBe(401);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    expect((await refresh(app, again.body.refresh_token)).status).toBe(401);
    expect((await passwordGrant(app, member)).status).toBe(401);
    expect(await sessionStatus(app, admin)).toBe(200);
  });

  test('leaves no way back in: no token, no pending challenge, no reset link', async () => {
    const sql = openSuperuser(app.superuserUrl);
    await app.json('POST', `/api/auth/users/${member.userId}/password-reset-link`, { headers: admin.bearer });
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
    const first = await revoke(member);
    const second = await revoke(member);
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await eventsOf(app, admin.tenantId, 'member_revoked')).toEqual([
      {
        actor: ['member', admin.userId],
        target: member.userId,
        details: {},
        address: '127.0.0.1',
        requestId: first.headers.get('x-request-id'),
      },
    ]);
  });
});

describe('A 3.2: restoring', () => {
  test('lets a member sign in again, but not with an old token', async () => {
    await revoke(member);
    const { status, body } = await restore(member);
    expect([status, body.active, body.user_id]).toEqual([200, true, member.userId]);
    expect(await sessionStatus(app, member)).toBe(401);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    expect((await passwordGrant(app, member)).status).toBe(200);
  });

  test('of an active member changes nothing, and ends no session', async () => {
    const { status, body } = await restore(member);
    expect([status, body.active]).toEqual([200, true]);
    expect(await sessionStatus(app, member)).toBe(200);
    expect(await eventsOf(app, admin.tenantId, 'member_restored')).toEqual([]);
    await revoke(member);
    await restore(member);
    expect(await eventsOf(app, admin.tenantId, 'member_restored')).toHaveLength(1);
  });
});

describe('C 2: roles', () => {
  test('a change applies at the next request of an existing token, both ways', async () => {
    const roster = () => app.json('GET', '/api/auth/users', { headers: member.bearer });
    expect((await roster()).status).toBe(403);
    const { status, body } = await setRole(member, 'global_administrator');
    expect([status, body.role, body.user_id]).toEqual([200, 'global_administrator', member.userId]);
    expect((await roster()).status).toBe(200);
    await setRole(member, 'agent_id_developer');
    expect((await roster()).status).toBe(403);
    expect(await sessionStatus(app, member)).toBe(200);
  });

  test.each(['administrator', 'operator', 'GLOBAL_ADMINISTRATOR', '', null, 1, ['global_administrator']])(
    'another role is refused: %j',
    async (role) => {
      const { status, body } = await setRole(member, role);
      expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'role'] })]]);
      expect(await activeAdministrators(admin.tenantId)).toBe(1);
    },
  );

  test('the log has the old and the new role; setting the same role again is not logged', async () => {
    await setRole(member, 'agent_id_developer');
    await setRole(member, 'global_administrator', operator);
    expect(await eventsOf(app, admin.tenantId, 'role_changed')).toEqual([
      expect.objectContaining({
        actor: 'operator_key',
        target: member.userId,
        details: { from: 'agent_id_developer', to: 'global_administrator' },
      }),
    ]);
  });
});

describe('C 2: the last active administrator', () => {
  const lastOne = 'the last active administrator of a workspace can be neither revoked nor demoted';

  test('can be neither revoked nor demoted, by anybody', async () => {
    for (const headers of [admin.bearer, operator])
      for (const answer of [
        await revoke(admin, headers),
        await setRole(admin, 'agent_id_developer', headers),
      ])
        expect([answer.status, answer.body]).toEqual([409, { detail: lastOne }]);
    expect(await sessionStatus(app, admin)).toBe(200);
    expect(await activeAdministrators(admin.tenantId)).toBe(1);
    expect(await eventsOf(app, admin.tenantId, 'member_revoked')).toEqual([]);
  });

  test('a revoked administrator, or one of another tenant, does not count as a second one', async () => {
    await found(app);
    await setRole(member, 'global_administrator');
    await revoke(member);
    expect((await revoke(admin)).status).toBe(409);
    expect((await setRole(admin, 'agent_id_developer')).status).toBe(409);
    // Revocation gives nobody else a role.
    expect((await setRole(member, 'agent_id_developer')).status).toBe(200);
  });

  test('may be removed once there is another', async () => {
    await setRole(member, 'global_administrator');
    expect((await revoke(admin)).status).toBe(200);
    expect(await sessionStatus(app, admin)).toBe(401);
    expect((await revoke(member, member.bearer)).status).toBe(409);
  });

  test.each([
    ['revoke each other', revoke],
    ['demote each other', (of: Person, by: Record<string, string>) => setRole(of, 'agent_id_developer', by)],
  ])('two who %s at once: one of them stays', async (_, act) => {
    await setRole(member, 'global_administrator');
    const sql = openSuperuser(app.superuserUrl);
    const both = await openSuperuser(app.superuserUrl).begin(async (held) => {
      await held`select 1 from tenants where tenant_id = ${admin.tenantId} for no key update`;
      const answers = Promise.all([act(member, admin.bearer), act(admin, member.bearer)]);
      // Both wait for the tenant's row, their callers already authenticated.
      await poll(async () => {
        const [row] = await sql`select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return row?.['n'] === 2;
      });
      return { answers };
    });
    const statuses = (await both.answers).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409]);
    expect(await activeAdministrators(admin.tenantId)).toBe(1);
  });
});

describe('A 5.2: an id that is foreign or unknown', () => {
  const acts: [string, (of: Person, by: Record<string, string>) => ReturnType<typeof revoke>][] = [
    ['revoke', revoke],
    ['restore', restore],
    ['change the role', (of, by) => setRole(of, 'global_administrator', by)],
    [
      'reset mfa',
      ({ userId }, headers) => app.json('POST', `/api/auth/users/${userId}/mfa/reset`, { headers }),
    ],
    [
      'issue a link',
      ({ userId }, headers) => app.json('POST', `/api/auth/users/${userId}/password-reset-link`, { headers }),
    ],
  ];

  test.each(acts)('%s: 404, and nothing changes', async (_, act) => {
    const other = await found(app);
    for (const of of [member, { ...member, userId: 'nobody' }]) {
      const { status, body } = await act(of, other.bearer);
      expect([status, body.detail]).toEqual([404, 'user not found']);
    }
    expect((await act({ ...member, userId: 'nobody' }, operator)).status).toBe(404);
    // X-Tenant-ID narrows the operator key too.
    const narrowed = await act(member, { ...operator, 'x-tenant-id': other.tenantId });
    expect([narrowed.status, narrowed.body.detail]).toEqual([404, 'user not found']);
    expect(await sessionStatus(app, member)).toBe(200);
    expect(await activeAdministrators(admin.tenantId)).toBe(1);
  });

  test.each(acts)('%s: only the operator key reaches it', async (_, act) => {
    expect((await act(member, operator)).status).toBe(200);
  });
});
