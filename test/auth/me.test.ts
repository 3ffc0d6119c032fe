import { beforeAll, describe, expect, test } from 'vitest';
import { env, found, invite, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { meOf } from './sign-in.ts';

const app = useTestApp({ env });

let ada: Person;
let member: Person;
beforeAll(async () => {
  ada = await found(app, { metadata: { team: 'docs', payments: 'kept' } });
  member = await join(app, ada);
});

describe('the caller’s own user and account (A 2.4)', () => {
  test('an administrator sees the whole account, a member all but platform-owned metadata', async () => {
    await openSuperuser(app.superuserUrl)`
      update tenants set metadata = metadata || '{"pay_tier": "pro"}' where tenant_id = ${ada.tenantId}`;
    const metadata = { team: 'docs', payments: 'kept' };
    for (const [person, role, seen] of [
      [ada, 'global_administrator', { ...metadata, pay_tier: 'pro', invites_pending: [] }],
      [member, 'agent_id_developer', metadata],
    ] as const) {
      const { status, body } = await meOf(app, person.accessToken);
      expect([status, body.user]).toEqual([
        200,
        {
          user_id: person.userId,
          tenant_id: ada.tenantId,
          email: person.email,
          provider: 'email',
          role,
          totp_enrolled: false,
        },
      ]);
      expect(body.tenant).toEqual({
        id: ada.tenantId,
        name: ada.tenantName,
        api_key_prefix: ada.apiKey.slice(0, 8),
        monthly_char_limit: 500_000,
        active: true,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/),
        metadata: seen,
      });
    }
  });

  test('only an administrator sees the pending invites, and no one their tokens', async () => {
    const { invite_id, invite_token: token } = await invite(app, ada, { email: 'awaited@example.org' });
    const full = JSON.stringify((await meOf(app, ada.accessToken)).body.tenant);
    expect(full).toContain(invite_id);
    expect(full).not.toContain(token.split('.')[1]);
    expect(JSON.stringify((await meOf(app, member.accessToken)).body)).not.toMatch(
      new RegExp(`${invite_id}|awaited`),
    );
  });
});
