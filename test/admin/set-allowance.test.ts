import { expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { byTheServer, env, operateHere } from './command.ts';

const app = useTestApp({ env });

async function limitOf({ accessToken }: Signup): Promise<number> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return (await app.json('GET', '/api/tenants', { headers })).body[0].monthly_char_limit;
}

test('set-allowance applies at the next request, up to what the column holds, and logs the old value', async () => {
  const tenant = await app.signUp();
  const { tenantId } = tenant;
  await operateHere(app, ['set-allowance', tenantId, '2147483647']);
  expect(await limitOf(tenant)).toBe(2_147_483_647);
  await operateHere(app, ['set-allowance', tenantId, '1']);
  expect(await limitOf(tenant)).toBe(1);
  const before = await contentsOf(app);
  await operateHere(app, ['set-allowance', tenantId, '1']);
  expect(await contentsOf(app)).toBe(before);
  expect(await eventsOf(app, tenantId, 'allowance_changed')).toEqual([
    byTheServer(tenantId, { from: 500_000, to: 2_147_483_647 }),
    byTheServer(tenantId, { from: 2_147_483_647, to: 1 }),
  ]);
});

test('the service key’s tenant, which has no account, has an allowance too', async () => {
  const sql = openSuperuser(app.superuserUrl);
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    values ('default', 'default', '', 5)`;
  await operateHere(app, ['set-allowance', 'default', '7']);
  const rows = await sql`select monthly_char_limit from tenants where tenant_id = 'default'`;
  expect(rows).toMatchObject([{ monthly_char_limit: 7 }]);
});
