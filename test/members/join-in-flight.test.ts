import { beforeEach, describe, expect, test } from 'vitest';
import { deactivateTenant, reactivateTenant } from '#server/identity/tenants/operator-commands.ts';
import { holdEvents, waitingOr } from '#test/access/held-transactions.ts';
import { waitingForLocks } from '#test/admin/command.ts';
import { refresh, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, freshEmail, invite, join, type Person, password } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let admin: Person;
let joining: () => ReturnType<typeof app.json>;
beforeEach(async () => {
  admin = await found(app);
  const { invite_token } = await invite(app, admin);
  const body = { tenant_name: 'ignored', email: freshEmail(), password, invite_token };
  joining = () => app.json('POST', '/api/auth/signup/email', { body });
});

const countOf = async (table: string) => {
  const sql = openSuperuser(app.superuserUrl);
  const [row] = await sql`
    select count(*)::int as n from ${sql(table)} where tenant_id = ${admin.tenantId}`;
  return row?.['n'];
};

describe('a join that meets the deactivation of its tenant (A 3.2)', () => {
  test('before it: is waited for, and signed out with the others', async () => {
    const letGo = await holdEvents(app, 'signed_in');
    const answer = joining();
    await waitingOr(app, 1, answer);
    const deactivation = deactivateTenant(app.database, admin.tenantId);
    await waitingOr(app, 2, deactivation);
    await letGo();
    const { status, body } = await answer;
    expect([status, (await deactivation).changed]).toEqual([200, true]);
    expect(await countOf('tokens')).toBe(0);

    await reactivateTenant(app.database, admin.tenantId);
    const { access_token, refresh_token } = body.token;
    const joined = {
      ...admin,
      refreshToken: refresh_token,
      bearer: { authorization: `Bearer ${access_token}` },
    };
    expect(await sessionStatus(app, joined)).toBe(401);
    expect((await refresh(app, joined.refreshToken)).status).toBe(401);
  });

  test('after it: is refused, makes no member, and does not use the invite up', async () => {
    const letGo = await holdEvents(app, 'tenant_deactivated');
    const deactivation = deactivateTenant(app.database, admin.tenantId);
    await waitingOr(app, 1, deactivation);
    const answer = joining();
    await waitingOr(app, 2, answer);
    await letGo();
    const { status, body } = await answer;
    expect([(await deactivation).changed, status, body]).toEqual([
      true,
      400,
      refusalOf('invalid or expired invite'),
    ]);
    expect([await countOf('users'), await countOf('tokens')]).toEqual([1, 0]);
    await reactivateTenant(app.database, admin.tenantId);
    expect((await joining()).status).toBe(200);
  });
});

test('who changes a member locks the tenant first: a deactivation, which does too, cannot deadlock with it', async () => {
  const { userId } = await join(app, admin);
  const locker = await openSuperuser(app.superuserUrl).reserve();
  await locker`begin`;
  await locker`select from tenants where tenant_id = ${admin.tenantId} for no key update`;
  const { bearer: headers } = admin;
  const change = app.json('PATCH', `/api/auth/users/${userId}/role`, {
    headers,
    body: { role: 'global_administrator' },
  });
  await waitingForLocks(app, 1);
  await locker`select from users where user_id = ${userId} for update nowait`;
  await locker`rollback`;
  locker.release();
  expect((await change).status).toBe(200);
});
