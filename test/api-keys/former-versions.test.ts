import { beforeEach, expect, test } from 'vitest';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { viaRpc } from '#test/contract/call.ts';
import { addKey, apiKey, askKeys, env, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

/*
 * Processes of former versions may run during an upgrade. They know only rows of the kind `api_key` in the directory,
 * and no table of keys.
 */

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const list = async () =>
  (await viaRpc(app, { path: 'apiKeys.list', type: 'query' }, { input: {}, headers: admin.bearer })).body
    .keys;
const knock = async (secret: string) =>
  (await app.json('GET', '/api/translations', { headers: apiKey(secret) })).status;

test('a workspace that one of them created gets the row of its key', async () => {
  await openSuperuser(app.superuserUrl)`delete from api_keys where tenant_id = ${admin.tenantId}`;
  expect(await knock(admin.apiKey)).toBe(200);
  expect(await list()).toMatchObject([{ workspace: true, prefix: admin.apiKey.slice(0, 8) }]);
  const [{ key_id }] = await list();
  const { body } = await askKeys(app, admin, 'rotate', { key_id });
  expect([await knock(admin.apiKey), await knock(body.api_key)]).toEqual([200, 200]);
});

test('a rotation by one of them changes the row, and no other key', async () => {
  const { api_key } = await addKey(app, admin);
  const secret = 'x'.repeat(43);
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from credential_directory where tenant_id = ${admin.tenantId} and kind = 'api_key'`;
  await sql`insert into credential_directory (credential_hash, kind, tenant_id)
    values (${Buffer.from(hashSecret(secret))}, 'api_key', ${admin.tenantId})`;
  await sql`update tenants set api_key_prefix = 'xxxxxxxx' where tenant_id = ${admin.tenantId}`;
  expect((await list())[0]).toMatchObject({ workspace: true, prefix: 'xxxxxxxx' });
  expect([await knock(admin.apiKey), await knock(secret), await knock(api_key)]).toEqual([401, 200, 200]);
});

test('a revocation by one of them ends the row', async () => {
  const sql = openSuperuser(app.superuserUrl);
  await sql`delete from credential_directory where tenant_id = ${admin.tenantId} and kind = 'api_key'`;
  await sql`update tenants set api_key_prefix = '' where tenant_id = ${admin.tenantId}`;
  expect(await list()).toEqual([]);
});

test('none of them accepts a secret with limits', async () => {
  const { api_key } = await addKey(app, admin);
  const [{ key_id }] = await list();
  const { body } = await askKeys(app, admin, 'rotate', { key_id });
  // The condition of former versions.
  const accepted = async (secret: string) =>
    (
      await openSuperuser(app.superuserUrl)`
        select from credential_directory
        where kind = 'api_key' and credential_hash = ${Buffer.from(hashSecret(secret))}`
    ).length;
  expect([await accepted(api_key), await accepted(admin.apiKey), await accepted(body.api_key)]).toEqual([
    0, 0, 1,
  ]);
});
