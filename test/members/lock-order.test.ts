import { expect, test } from 'vitest';
import { waitingForLocks } from '#test/admin/command.ts';
import { env, found, join } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

test('who changes a member locks the tenant first: a deactivation, which does too, cannot deadlock with it', async () => {
  const admin = await found(app);
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
