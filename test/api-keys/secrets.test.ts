import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { pruneExpired } from '#server/identity/access/prune-expired.ts';
import { introspect } from '#test/auth/sign-in.ts';
import { viaRpc } from '#test/contract/call.ts';
import { addKey, apiKey, askKeys, bearer, env, found, operator, type Person } from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const knock = async (secret: string, at: Pick<typeof app, 'json'> = app) =>
  (await at.json('GET', '/api/translations', { headers: apiKey(secret) })).status;
const list = async () =>
  (await viaRpc(app, { path: 'apiKeys.list', type: 'query' }, { input: {}, headers: admin.bearer })).body
    .keys;
/** Lets the secrets of a key end `seconds` earlier, by the database's clock. */
const letPass = (keyId: string, seconds: number) =>
  openSuperuser(app.superuserUrl).begin(async (sql) => {
    await sql`update credential_directory set expires_at = expires_at - make_interval(secs => ${seconds}) where key_id = ${keyId}`;
    await sql`update api_keys set expires_at = expires_at - make_interval(secs => ${seconds}),
    overlap_ends_at = overlap_ends_at - make_interval(secs => ${seconds}) where key_id = ${keyId}`;
  });
/** Starts another application with the same database. It is closed after the test. */
const another = async () => {
  const started = await startBeside(app, env);
  onTestFinished(started.close);
  return started;
};
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('the end of a key', () => {
  test('rejects it from then on, over every way to present it, and lists it as expired', async () => {
    const { key_id, api_key } = await addKey(app, admin, { expires_at: inAnHour() });
    expect(await knock(api_key)).toBe(200);
    await letPass(key_id, 3601);
    expect(await knock(api_key)).toBe(401);
    expect((await app.json('GET', '/api/translations', { headers: bearer(api_key) })).status).toBe(401);
    expect((await list()).at(-1)).toMatchObject({ key_id, expired: true });
    await pruneExpired(app.database);
    expect((await list()).at(-1)).toMatchObject({ key_id, expired: true });
    expect(await knock(admin.apiKey)).toBe(200);
  });

  test('cannot be undone: a key that has ended is neither changed nor rotated', async () => {
    const { key_id } = await addKey(app, admin, { expires_at: inAnHour() });
    await letPass(key_id, 3601);
    const ended = { status: 409, body: { detail: 'the API key has ended; create a new key' } };
    expect(await askKeys(app, admin, 'update', { key_id, expires_at: null })).toMatchObject(ended);
    expect(await askKeys(app, admin, 'rotate', { key_id })).toMatchObject(ended);
  });

  test('can be moved before it comes', async () => {
    const { key_id, api_key } = await addKey(app, admin, { expires_at: inAnHour() });
    expect((await askKeys(app, admin, 'update', { key_id, expires_at: null })).body.expires_at).toBeNull();
    await letPass(key_id, 3601);
    expect(await knock(api_key)).toBe(200);
  });
});

describe('a rotation', () => {
  test('leaves the former secret valid for a day by default, with the scopes of the key', async () => {
    const { key_id, api_key } = await addKey(app, admin);
    const { body } = await askKeys(app, admin, 'rotate', { key_id });
    expect(body).toMatchObject({ key_id, prefix: body.api_key.slice(0, 8) });
    const left = Date.parse(body.overlap_ends_at) - Date.now();
    expect(left / 3_600_000).toBeCloseTo(24, 1);
    expect([await knock(api_key), await knock(body.api_key)]).toEqual([200, 200]);
    const submitted = await app.json('POST', '/api/translations', {
      headers: apiKey(api_key),
      body: { source_text: 'Hello', target_lang: 'fr' },
    });
    expect([submitted.status, submitted.body.detail]).toEqual([
      403,
      'this API key lacks the scope translate',
    ]);
    await letPass(key_id, 86_401);
    expect([await knock(api_key), await knock(body.api_key)]).toEqual([401, 200]);
    expect((await list()).at(-1).overlap_ends_at).toBeNull();
  });

  test('without an overlap ends all former secrets', async () => {
    const { key_id, api_key } = await addKey(app, admin);
    const second = (await askKeys(app, admin, 'rotate', { key_id })).body;
    const third = (await askKeys(app, admin, 'rotate', { key_id, overlap_seconds: 0 })).body;
    expect(third.overlap_ends_at).toBeNull();
    expect(await Promise.all([api_key, second.api_key, third.api_key].map((one) => knock(one)))).toEqual([
      401, 401, 200,
    ]);
  });

  test('keeps at most two secrets', async () => {
    const { key_id, api_key } = await addKey(app, admin);
    const second = (await askKeys(app, admin, 'rotate', { key_id })).body;
    const third = (await askKeys(app, admin, 'rotate', { key_id })).body;
    expect(await Promise.all([api_key, second.api_key, third.api_key].map((one) => knock(one)))).toEqual([
      401, 200, 200,
    ]);
  });

  test('does not extend a key beyond its end, and a later end does not extend the overlap', async () => {
    const { key_id, api_key } = await addKey(app, admin, { expires_at: inAnHour() });
    const { body } = await askKeys(app, admin, 'rotate', { key_id, overlap_seconds: 86_400 });
    expect(Date.parse(body.overlap_ends_at)).toBeLessThanOrEqual(Date.parse(body.expires_at));
    await askKeys(app, admin, 'update', { key_id, expires_at: null });
    await letPass(key_id, 3601);
    expect([await knock(api_key), await knock(body.api_key)]).toEqual([401, 200]);
  });

  test('of the workspace key has an overlap too, and the account shows the new prefix', async () => {
    const [{ key_id }] = await list();
    const { body } = await askKeys(app, admin, 'rotate', { key_id, overlap_seconds: 60 });
    expect([await knock(admin.apiKey), await knock(body.api_key)]).toEqual([200, 200]);
    const account = (await app.json('GET', '/api/tenants', { headers: admin.bearer })).body[0];
    expect(account.api_key_prefix).toBe(body.api_key.slice(0, 8));
    await letPass(key_id, 61);
    expect([await knock(admin.apiKey), await knock(body.api_key)]).toEqual([401, 200]);
  });

  test.each([-1, 30 * 86_400 + 1, 1.5])('with an overlap of %d s: 422', async (overlap_seconds) => {
    const { key_id, api_key } = await addKey(app, admin);
    const { status, body } = await askKeys(app, admin, 'rotate', { key_id, overlap_seconds });
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('overlap_seconds')]);
    expect(await knock(api_key)).toBe(200);
  });
});

test('introspection and revocation of tokens do not accept API keys', async () => {
  const { api_key } = await addKey(app, admin);
  for (const headers of [admin.bearer, operator]) {
    expect((await introspect(app, api_key, headers)).body).toMatchObject({ active: false, tenant_id: null });
    await app.json('POST', '/api/oauth2/revoke', { headers, body: { token: api_key } });
  }
  expect(await knock(api_key)).toBe(200);
});

test('a key that another process created, limited or revoked is so in this one at the next request', async () => {
  const beside = await another();
  const { key_id, api_key } = await addKey(beside, admin);
  expect(await knock(api_key)).toBe(200);
  await askKeys(beside, admin, 'update', { key_id, scopes: ['review'] });
  expect(await knock(api_key)).toBe(403);
  await viaRpc(
    beside,
    { path: 'apiKeys.revoke', type: 'mutation' },
    { input: { key_id }, headers: admin.bearer },
  );
  expect(await knock(api_key)).toBe(401);
});

test('no request succeeds after a revocation has been confirmed, and none fails with another error', async () => {
  const { key_id, api_key } = await addKey(app, admin);
  let confirmed = false;
  const statuses: [number, boolean][] = [];
  const run = async () => {
    for (let sent = 0; sent < 15; sent += 1) {
      const after = confirmed;
      statuses.push([await knock(api_key), after]);
    }
  };
  const requests = Promise.all([run(), run(), run()]);
  await poll(async () => statuses.length > 5);
  await viaRpc(
    app,
    { path: 'apiKeys.revoke', type: 'mutation' },
    { input: { key_id }, headers: admin.bearer },
  );
  confirmed = true;
  await requests;
  statuses.push([await knock(api_key), true]);
  for (const [status, after] of statuses) expect(after ? [401] : [200, 401]).toContain(status);
});

describe('the last use', () => {
  const lastUse = async (keyId: string) =>
    (await list()).find((key: { key_id: string }) => key.key_id === keyId).last_used_at;
  const writes = async (keyId: string) =>
    (await openSuperuser(app.superuserUrl)`select xmin::text from api_keys where key_id = ${keyId}`)[0]?.[
      'xmin'
    ];

  test('is recorded, also for the workspace key and for a request that lacks a scope', async () => {
    const [{ key_id: workspaceKey }] = await list();
    const { key_id, api_key } = await addKey(app, admin, { scopes: ['review'] });
    await knock(admin.apiKey);
    expect(await knock(api_key)).toBe(403);
    for (const id of [workspaceKey, key_id]) {
      const at = await poll(() => lastUse(id));
      expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
    }
  });

  test('is written once a minute by all processes together', async () => {
    const beside = await another();
    const { key_id, api_key } = await addKey(app, admin);
    await Promise.all([app, beside, app, beside].map((at) => knock(api_key, at)));
    const at = await poll(() => lastUse(key_id));
    const written = await writes(key_id);
    const third = await another();
    await knock(api_key, third);
    await third.services.backgroundWork.drain(10_000);
    expect([await lastUse(key_id), await writes(key_id)]).toEqual([at, written]);
    await openSuperuser(app.superuserUrl)`
      update api_keys set last_used_at = last_used_at - interval '61 seconds' where key_id = ${key_id}`;
    const fourth = await another();
    await knock(api_key, fourth);
    await poll(async () => Date.parse(await lastUse(key_id)) >= Date.parse(at));
  });
});
