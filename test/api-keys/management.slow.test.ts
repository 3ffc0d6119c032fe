import { beforeEach, describe, expect, test } from 'vitest';
import { waitingForLocks } from '#test/admin/command.ts';
import { viaRpc } from '#test/contract/call.ts';
import {
  addKey,
  apiKey,
  askKeys,
  env,
  type Fields,
  found,
  type Headers,
  join,
  type Person,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const list = async (person: Person, input: Fields = {}) =>
  (await viaRpc(app, { path: 'apiKeys.list', type: 'query' }, { input, headers: person.bearer })).body.keys;
const revoke = (person: Person, keyId: string) =>
  viaRpc(
    app,
    { path: 'apiKeys.revoke', type: 'mutation' },
    { input: { key_id: keyId }, headers: person.bearer },
  );
const knock = async (headers: Headers) => (await app.json('GET', '/api/translations', { headers })).status;
const submit = (headers: Headers) =>
  app.json('POST', '/api/translations', { headers, body: { source_text: 'Hello', target_lang: 'fr' } });

test('the key of signup is listed as the workspace key', async () => {
  expect(await list(admin)).toEqual([
    {
      key_id: expect.any(String),
      name: 'Workspace key',
      scopes: ['translate', 'read', 'review', 'admin'],
      prefix: admin.apiKey.slice(0, 8),
      workspace: true,
      created_at: expect.any(String),
      created_by: admin.email,
      by_former_admin: false,
      expires_at: null,
      expired: false,
      overlap_ends_at: null,
      last_used_at: null,
      revoked_at: null,
    },
  ]);
});

describe('creating a key', () => {
  test('returns the secret once; the database stores only its hash', async () => {
    const created = await addKey(app, admin, { name: '  Shop ', scopes: ['read', 'translate'] });
    const { api_key: secret, ...key } = created;
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(key).toMatchObject({
      name: 'Shop',
      scopes: ['translate', 'read'],
      prefix: secret.slice(0, 8),
      created_by: admin.email,
      workspace: false,
    });
    expect((await list(admin)).at(-1)).toEqual(key);
    expect(await contentsOf(app)).not.toContain(secret);
    const { body } = await app.json('GET', '/api/tenants', { headers: admin.bearer });
    expect(body[0].api_key_prefix).toBe(admin.apiKey.slice(0, 8));
    expect(await eventsOf(app, admin.tenantId, 'api_key_created')).toMatchObject([
      {
        actor: ['member', admin.userId],
        target: key.key_id,
        details: { name: 'Shop', prefix: key.prefix, scopes: 'translate read', expires_at: null },
      },
    ]);
  });

  test.each<[string, Fields, RegExp]>([
    ['no name', { name: ' ' }, /name/],
    ['a name that is too long', { name: 'x'.repeat(101) }, /name/],
    ['no scope', { scopes: [] }, /scopes/],
    ['an unknown scope', { scopes: ['keys'] }, /scopes/],
    ['a scope twice', { scopes: ['read', 'read'] }, /scopes.*must not contain a scope twice/],
    ['an end with an invalid time', { expires_at: 'soon' }, /expires_at/],
    ['an end in the past', { expires_at: '2020-01-01T00:00:00Z' }, /expires_at must be in the future/],
    ['two proofs', { mfa_code: '123456' }, /either password or mfa_code is required/],
  ])('%s: 422', async (_, fields, message) => {
    const { status, body } = await askKeys(app, admin, 'create', { name: 'A', scopes: ['read'], ...fields });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringMatching(message)]);
    expect(await list(admin)).toHaveLength(1);
  });

  test('a name in use is 409, until its key is revoked', async () => {
    const key = await addKey(app, admin, { name: 'Shop' });
    const input = { name: 'Shop', scopes: ['read'] };
    expect(await askKeys(app, admin, 'create', input)).toMatchObject({
      status: 409,
      body: { detail: 'an API key with the name Shop exists' },
    });
    await revoke(admin, key.key_id);
    expect((await askKeys(app, admin, 'create', input)).status).toBe(200);
  });

  test('a workspace has at most 100 keys, even if two are created at the same time', async () => {
    await openSuperuser(app.superuserUrl)`
      insert into api_keys (tenant_id, key_id, name, scope, prefix)
      select ${admin.tenantId}, n::text, n::text, 'read', 'x' from generate_series(1, 98) n`;
    const both = await Promise.all(
      ['A', 'B'].map((name) => askKeys(app, admin, 'create', { name, scopes: ['read'] })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body.detail).toBe(
      'a workspace has at most 100 API keys; revoke one first',
    );
    await revoke(admin, '1');
    expect((await askKeys(app, admin, 'create', { name: 'C', scopes: ['read'] })).status).toBe(200);
  });
});

describe('changing a key', () => {
  test('counts from the next request on', async () => {
    const { key_id, api_key } = await addKey(app, admin, { scopes: ['read'] });
    expect([await knock(apiKey(api_key)), (await submit(apiKey(api_key))).status]).toEqual([200, 403]);
    const changes = { key_id, name: 'Renamed', scopes: ['translate'], expires_at: '2999-01-01T00:00:00Z' };
    const { body } = await askKeys(app, admin, 'update', changes);
    expect(body).toMatchObject({
      name: 'Renamed',
      scopes: ['translate'],
      expires_at: '2999-01-01T00:00:00.000Z',
    });
    expect([await knock(apiKey(api_key)), (await submit(apiKey(api_key))).status]).toEqual([403, 200]);
    expect(await eventsOf(app, admin.tenantId, 'api_key_changed')).toMatchObject([
      { target: key_id, details: { name: 'Renamed', scopes: 'translate', former_scopes: 'read' } },
    ]);
  });

  test('the workspace key can only be renamed', async () => {
    const [{ key_id }] = await list(admin);
    for (const change of [{ scopes: ['read'] }, { expires_at: '2999-01-01T00:00:00Z' }])
      expect(await askKeys(app, admin, 'update', { key_id, ...change })).toMatchObject({
        status: 409,
        body: { detail: 'the workspace key has all scopes and no end; create another key' },
      });
    expect((await askKeys(app, admin, 'update', { key_id, name: 'Ours' })).body.name).toBe('Ours');
    expect((await submit(admin.key)).status).toBe(200);
  });

  test('without a change: 422', async () => {
    const { key_id } = await addKey(app, admin);
    const { status, body } = await askKeys(app, admin, 'update', { key_id });
    expect([status, JSON.stringify(body)]).toEqual([
      422,
      expect.stringContaining('name, scopes or expires_at is required'),
    ]);
  });
});

describe('revoking a key', () => {
  test('ends all its secrets from the next request on, and no other key; a repetition changes nothing', async () => {
    const { key_id, api_key } = await addKey(app, admin);
    const other = await addKey(app, admin);
    const { body } = await askKeys(app, admin, 'rotate', { key_id });
    expect([await knock(apiKey(api_key)), await knock(apiKey(body.api_key))]).toEqual([200, 200]);
    const revoked = await revoke(admin, key_id);
    expect(revoked.body).toMatchObject({ revoked_at: expect.any(String), overlap_ends_at: null });
    expect((await revoke(admin, key_id)).body).toEqual(revoked.body);
    for (const secret of [api_key, body.api_key]) expect(await knock(apiKey(secret))).toBe(401);
    expect([await knock(apiKey(other.api_key)), await knock(admin.key)]).toEqual([200, 200]);
    expect(await eventsOf(app, admin.tenantId, 'api_key_revoked')).toHaveLength(1);
    expect((await list(admin)).map((key: Fields) => key['key_id'])).not.toContain(key_id);
    expect(await list(admin, { revoked: true })).toEqual([revoked.body]);
    for (const name of ['update', 'rotate'] as const)
      expect(
        await askKeys(app, admin, name, { key_id, ...(name === 'update' && { name: 'A' }) }),
      ).toMatchObject({
        status: 404,
        body: { detail: 'API key not found' },
      });
  });

  test('the workspace key: the account has no prefix until tenants.rotateKey creates another', async () => {
    const [{ key_id }] = await list(admin);
    await revoke(admin, key_id);
    const account = async () => (await app.json('GET', '/api/tenants', { headers: admin.bearer })).body[0];
    expect([await knock(admin.key), (await account()).api_key_prefix]).toEqual([401, '']);
    const { body } = await viaRpc(
      app,
      { path: 'tenants.rotateKey', type: 'mutation' },
      { input: { password: admin.password }, headers: admin.bearer },
    );
    expect([await knock(apiKey(body.api_key)), (await account()).api_key_prefix]).toEqual([
      200,
      body.api_key_prefix,
    ]);
    expect(await list(admin)).toMatchObject([{ workspace: true, prefix: body.api_key_prefix }]);
  });

  test('tenants.rotateKey replaces only the workspace key', async () => {
    const { api_key } = await addKey(app, admin);
    await viaRpc(
      app,
      { path: 'tenants.rotateKey', type: 'mutation' },
      { input: { password: admin.password }, headers: admin.bearer },
    );
    expect([await knock(admin.key), await knock(apiKey(api_key))]).toEqual([401, 200]);
  });
});

test('a wrong password creates nothing', async () => {
  const input = { name: 'A', scopes: ['read'], password: 'wrong' };
  expect(await askKeys(app, admin, 'create', input)).toMatchObject({
    status: 403,
    body: { detail: 'wrong password' },
  });
  expect(await list(admin)).toHaveLength(1);
});

test('a rotation that meets a revocation gives no valid secret', async () => {
  const { key_id, api_key } = await addKey(app, admin);
  const locker = await openSuperuser(app.superuserUrl).reserve();
  await locker`begin`;
  await locker`select from tenants where tenant_id = ${admin.tenantId} for no key update`;
  const both = Promise.all([revoke(admin, key_id), askKeys(app, admin, 'rotate', { key_id })]);
  await waitingForLocks(app, 2);
  await locker`rollback`;
  locker.release();
  const [revoked, rotated] = await both;
  expect(revoked.status).toBe(200);
  expect([200, 404]).toContain(rotated.status);
  for (const secret of [api_key, rotated.body.api_key ?? 'none'])
    expect(await knock(apiKey(secret))).toBe(401);
});

test('keys outlive their creator; those that a former administrator may know are marked until they are rotated', async () => {
  const revoked = await join(app, admin, 'global_administrator');
  const demoted = await join(app, admin, 'global_administrator');
  const { key_id: known, api_key } = await addKey(app, revoked);
  const { key_id: alsoKnown } = await addKey(app, demoted);
  const { key_id: own } = await addKey(app, admin);
  const { key_id: rotatedByThem } = await addKey(app, admin);
  await askKeys(app, demoted, 'rotate', { key_id: rotatedByThem });
  const marked = async () =>
    (await list(admin))
      .filter((key: { by_former_admin: boolean }) => key.by_former_admin)
      .map(({ key_id }: { key_id: string }) => key_id);
  expect(await marked()).toEqual([]);

  const at = { headers: admin.bearer };
  await app.json('DELETE', `/api/auth/users/${revoked.userId}`, at);
  const role = { role: 'agent_id_developer' };
  await app.json('PATCH', `/api/auth/users/${demoted.userId}/role`, { ...at, body: role });
  expect(await knock(apiKey(api_key))).toBe(200);
  expect(await marked()).toEqual([known, alsoKnown, rotatedByThem]);

  for (const key_id of [known, own, rotatedByThem]) await askKeys(app, admin, 'rotate', { key_id });
  expect(await marked()).toEqual([alsoKnown]);
});
