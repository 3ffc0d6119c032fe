import { beforeEach, describe, expect, test } from 'vitest';
import { addKey, found, type Person } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { byTheServer, env, operateHere, outputOf } from './command.ts';

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
