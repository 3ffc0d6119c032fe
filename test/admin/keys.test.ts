import { beforeEach, describe, expect, test } from 'vitest';
import { addKey, found, type Person } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { byTheServer, env, operateHere, outputOf, waitingForLocks } from './command.ts';

const app = useTestApp({ env });

let tenant: Signup;
beforeEach(async () => {
  tenant = await app.signUp();
});

/** The statuses of a simple request with the key, which is sent in both possible headers. */
async function knock(key: string): Promise<[number, number]> {
  const asHeader = await app.json('GET', '/api/translations', { headers: { 'x-api-key': key } });
  const asBearer = await app.json('GET', '/api/translations', {
    headers: { authorization: `Bearer ${key}` },
  });
  return [asHeader.status, asBearer.status];
}

describe('rotate-key', () => {
  test('replaces the key from the next request on, and leaves sessions and other tenants alone', async () => {
    const neighbour = await app.signUp();
    const lines = await operateHere(app, ['rotate-key', tenant.tenantId]);
    const key = lines.at(-1) as string;
    expect(await knock(key)).toEqual([200, 200]);
    expect(await knock(tenant.apiKey)).toEqual([401, 401]);
    expect(await knock(neighbour.apiKey)).toEqual([200, 200]);
    const headers = { authorization: `Bearer ${tenant.accessToken}` };
    expect((await app.json('GET', '/api/auth/me', { headers })).status).toBe(200);
    expect(key).toMatch(/^[\w-]{43}$/);
    expect(lines.slice(0, -1).join('\n')).not.toContain(key);
  });

  test('logs and lists the prefixes, and stores the key nowhere', async () => {
    const key = (await operateHere(app, ['rotate-key', tenant.tenantId])).at(-1) as string;
    const [from, to] = [tenant.apiKey.slice(0, 8), key.slice(0, 8)];
    expect(await eventsOf(app, tenant.tenantId, 'api_key_rotated')).toEqual([
      byTheServer(tenant.tenantId, { from, to }),
    ]);
    const [account] = await outputOf(app, ['tenant', tenant.tenantId]);
    expect(account.api_key_prefix).toBe(to);
    const stored = await contentsOf(app);
    expect(stored).toContain(to);
    expect(stored).not.toContain(key);
  });

  test('two at once leave one key', async () => {
    const locker = await openSuperuser(app.superuserUrl).reserve();
    await locker`begin`;
    await locker`select from tenants where tenant_id = ${tenant.tenantId} for update`;
    const rotations = Promise.all([1, 2].map(() => operateHere(app, ['rotate-key', tenant.tenantId])));
    await waitingForLocks(app, 2);
    await locker`rollback`;
    locker.release();
    const both = await rotations;
    const statuses = await Promise.all(both.map(async (lines) => (await knock(lines.at(-1) as string))[0]));
    expect(statuses.sort()).toEqual([200, 401]);
  });
});

test('revoke-key revokes the key from the next request on, once; rotate-key creates a new one', async () => {
  await operateHere(app, ['revoke-key', tenant.tenantId]);
  expect(await knock(tenant.apiKey)).toEqual([401, 401]);
  expect(await eventsOf(app, tenant.tenantId, 'api_key_revoked')).toEqual([
    byTheServer(tenant.tenantId, { from: tenant.apiKey.slice(0, 8), to: '' }),
  ]);
  const before = await contentsOf(app);
  expect(await outputOf(app, ['revoke-key', tenant.tenantId])).toMatchObject([{ changed: false }]);
  expect(await contentsOf(app)).toBe(before);
  const key = (await operateHere(app, ['rotate-key', tenant.tenantId])).at(-1) as string;
  expect(await knock(key)).toEqual([200, 200]);
  expect(await knock(tenant.apiKey)).toEqual([401, 401]);
});

describe('with several keys', () => {
  let admin: Person;
  let key: { key_id: string; api_key: string };
  beforeEach(async () => {
    admin = await found(app);
    key = await addKey(app, admin, { name: 'Shop', scopes: ['read'] });
  });

  test('api-keys lists them', async () => {
    const scopes = 'translate read review admin';
    expect(await outputOf(app, ['api-keys', admin.tenantId])).toMatchObject([
      { name: 'Workspace key', scopes, prefix: admin.apiKey.slice(0, 8) },
      { name: 'Shop', scopes: 'read', prefix: key.api_key.slice(0, 8) },
    ]);
  });

  test('rotate-key replaces only the workspace key', async () => {
    await operateHere(app, ['rotate-key', admin.tenantId]);
    expect([await knock(admin.apiKey), await knock(key.api_key)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
  });

  test('revoke-key revokes all of them, each with an event', async () => {
    await operateHere(app, ['revoke-key', admin.tenantId]);
    for (const secret of [admin.apiKey, key.api_key]) expect(await knock(secret)).toEqual([401, 401]);
    expect(await eventsOf(app, admin.tenantId, 'api_key_revoked')).toHaveLength(2);
  });

  test('revoke-key --key revokes one of them; an unknown one is an error', async () => {
    await operateHere(app, ['revoke-key', admin.tenantId, '--key', key.key_id]);
    expect([await knock(key.api_key), await knock(admin.apiKey)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    const again = operateHere(app, ['revoke-key', admin.tenantId, '--key', key.key_id]);
    await expect(again).rejects.toThrow(`unknown API key: ${key.key_id}`);
    const foreign = await found(app);
    const [{ id: foreignId }] = await outputOf(app, ['api-keys', foreign.tenantId]);
    await expect(operateHere(app, ['revoke-key', admin.tenantId, '--key', foreignId])).rejects.toThrow(
      foreignId,
    );
    expect(await knock(foreign.apiKey)).toEqual([200, 200]);
  });
});
