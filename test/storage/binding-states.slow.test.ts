import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { holdEvents } from '#test/access/held-transactions.ts';
import { waitingForLocks } from '#test/admin/command.ts';
import type { Fields } from '#test/factories.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { demote } from '#test/translations/workspace.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';
import type { FaultRule } from './data-lake-emulator.ts';

const { account, app } = await useAccountApp({
  env: { STORAGE_PRINCIPAL_CLIENT_ID: '00000000-1111-2222-3333-444444444444' },
  accountTimes: impatient,
});

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
});

const status = async () => (await mine.binding()).body.status;

describe('the binding (B 2.10)', () => {
  const unbound = {
    provider: 'platform',
    account_url: null,
    filesystem: null,
    auth_mode: null,
    has_secret: false,
    prefixes: { documents: 'documents/', golden: 'golden/', terminology: 'terminology/' },
    status: 'verified',
    last_error: null,
    principal_client_id: '00000000-1111-2222-3333-444444444444',
    created_at: null,
    updated_at: null,
    updated_by: null,
    last_verified_at: null,
  };
  test('has all its fields, and never its secret', async () => {
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
    const bound = {
      ...unbound,
      provider: 'datalake',
      account_url: account.address.accountUrl,
      filesystem: mine.filesystem,
      auth_mode: 'sas',
      has_secret: true,
      status: 'unverified',
      created_at: moment,
      updated_at: moment,
    };
    expect(await mine.bind()).toMatchObject({ status: 200, body: bound });
    expect((await mine.binding()).body).toEqual(bound);
    const { replay, ...verified } = (await mine.verify(mine.admin)).body;
    expect(verified).toEqual({ ...bound, status: 'verified', last_verified_at: moment });
    expect(replay).toEqual({ published: 0, failed: 0, remaining: 0 });
    expect((await mine.binding()).body).toEqual(verified);
  });

  test('is read by any member, and shows who changed it', async () => {
    expect((await mine.bind({}, mine.admin)).status).toBe(200);
    const { email } = (
      await openSuperuser(app.superuserUrl)`select email from users where tenant_id = ${mine.tenantId}`
    )[0]!;
    expect((await mine.binding()).body.updated_by).toBe(email);
    await demote(app, mine);
    expect((await mine.binding(mine.admin)).body).toMatchObject({ provider: 'datalake' });
    expect((await mine.storageUsage(mine.admin)).status).toBe(200);
    expect((await mine.bind()).body.updated_by).toBeNull();
  });

  test('is changed with an administrator’s cookie, from this site alone', async () => {
    const strange = { ...mine.cookie, 'sec-fetch-site': 'cross-site' };
    for (const ask of [() => mine.bind({}, strange), () => mine.verify(strange), () => mine.unbind(strange)])
      expect((await ask()).status).toBe(403);
    expect((await mine.binding(mine.cookie)).status).toBe(401);
    for (const ask of [
      () => mine.bind({}, mine.cookie),
      () => mine.verify(mine.cookie),
      () => mine.unbind(mine.cookie),
    ])
      expect((await ask()).status).toBe(200);
  });
});

describe('an edit (B 3.3)', () => {
  test.each<[string, Fields]>([
    ['that changes nothing', {}],
    ['of the container', { filesystem: 'another' }],
  ])('%s makes a verified binding unverified', async (_name, fields) => {
    await mine.connect();
    expect((await mine.bind(fields)).body.status).toBe('unverified');
    expect(await status()).toBe('unverified');
  });

  test('makes a refused binding unverified, without its error', async () => {
    await mine.bind({ filesystem: 'missing' });
    expect((await mine.verify()).body.status).toBe('error');
    expect((await mine.bind()).body).toMatchObject({ status: 'unverified', last_error: null });
  });

  test('that is refused leaves the binding as it was', async () => {
    await mine.connect();
    const before = (await mine.binding()).body;
    expect((await mine.bind({ account_url: 'https://example.org' })).status).toBe(422);
    expect((await mine.bind({ auth_mode: 'connection_string', secret: undefined })).status).toBe(422);
    expect((await mine.binding()).body).toEqual(before);
  });

  test('leaves out what it does not name: directories get their defaults again', async () => {
    await mine.bind({ prefixes: { documents: 'files/', golden: 'records' } });
    expect((await mine.binding()).body.prefixes).toEqual({
      documents: 'files/',
      golden: 'records/',
      terminology: 'terminology/',
    });
    const { prefixes } = (await mine.bind({ prefixes: { golden: 'records' } })).body;
    expect(prefixes).toEqual({ documents: 'documents/', golden: 'records/', terminology: 'terminology/' });
    expect((await mine.bind()).body.prefixes.golden).toBe('golden/');
  });

  test('of the same mode keeps the secret, which then still works', async () => {
    await mine.connect();
    expect((await mine.bind({ secret: undefined })).body.has_secret).toBe(true);
    expect((await mine.bind({ secret: null })).body.has_secret).toBe(true);
    expect((await mine.verify()).body.status).toBe('verified');
    const wrong = account.sas.replace(/sig=[^&]+/, 'sig=d3Jvbmc%3D');
    expect((await mine.bind({ secret: wrong })).body.has_secret).toBe(true);
    expect((await mine.verify()).body.status).toBe('error');
  });

  test('of the mode needs the new mode’s secret, and drops the old one', async () => {
    await mine.connect();
    const { connectionString } = account.credentials.connection_string;
    expect((await mine.bind({ auth_mode: 'connection_string', secret: undefined })).status).toBe(422);
    await mine.bind({ auth_mode: 'connection_string', secret: connectionString });
    expect((await mine.verify()).body).toMatchObject({ status: 'verified', auth_mode: 'connection_string' });
    expect((await mine.bind({ auth_mode: 'managed_identity', secret: undefined })).body).toMatchObject({
      has_secret: false,
    });
    const [row] = await openSuperuser(app.superuserUrl)`
      select secret from storage_bindings where tenant_id = ${mine.tenantId}`;
    expect(row).toEqual({ secret: null });
    // The secrets of earlier modes cannot be used again.
    for (const auth_mode of ['connection_string', 'sas'])
      expect((await mine.bind({ auth_mode, secret: undefined })).status).toBe(422);
  });

  test('that keeps the secret, beside one that replaces it by another mode’s, is refused', async () => {
    await mine.connect();
    const { connectionString } = account.credentials.connection_string;
    const letGo = await holdEvents(app, 'storage_binding_changed');
    const replacing = mine.bind({ auth_mode: 'connection_string', secret: connectionString });
    await waitingForLocks(app, 1);
    const keeping = mine.bind({ secret: undefined });
    await waitingForLocks(app, 2);
    await letGo();
    expect([(await replacing).status, (await keeping).status]).toEqual([200, 422]);
    expect((await mine.verify()).body).toMatchObject({ status: 'verified', auth_mode: 'connection_string' });
  });

  test.each(['sas', 'connection_string'] as const)(
    'of the account needs its secret: a kept one (%s) is never sent to another account',
    async (auth_mode) => {
      const secret =
        auth_mode === 'sas' ? account.sas : account.credentials.connection_string.connectionString;
      await mine.connect({ auth_mode, secret });
      const before = (await mine.binding()).body;
      const requests = account.lake.requests.length;
      for (const kept of [undefined, null, ' ']) {
        const moved = { account_url: 'https://fabrikam.dfs.core.windows.net', auth_mode, secret: kept };
        expect(await mine.bind(moved)).toMatchObject({
          status: 422,
          body: { detail: 'secret is required when account_url changes' },
        });
      }
      expect((await mine.binding()).body).toEqual(before);
      expect(account.lake.requests).toHaveLength(requests);
    },
  );

  test('of the container, or to the other form of the same account, keeps the secret', async () => {
    await mine.connect();
    const account_url = account.address.accountUrl.replace('.dfs.', '.blob.');
    expect((await mine.bind({ account_url, secret: undefined })).body.has_secret).toBe(true);
    expect((await mine.bind({ filesystem: 'another', secret: undefined })).body.has_secret).toBe(true);
  });
});

describe('a failed probe is a result with the message of the provider (B 4.6)', () => {
  test.each<[string, FaultRule, RegExp]>([
    ['403', { how: 403, message: 'This request is not authorized.' }, /^This request is not authorized\./],
    ['no response in time', { how: 'timeout' }, /no response/],
    ['a cut connection', { how: 'cut' }, /./],
    ['a redirect', { how: { redirect: 'http://127.0.0.1:9/' } }, /redirect/],
    ['a refused read', { how: 403, operation: 'read', message: 'No reading here.' }, /^No reading here\./],
  ])('%s', async (_name, rule, words) => {
    await mine.bind();
    const end = mine.fail(rule);
    const { status: code, body } = await mine.verify();
    expect([code, body]).toMatchObject([200, { status: 'error', provider: 'datalake', has_secret: true }]);
    expect(body.last_error).toMatch(words);
    expect(body).not.toHaveProperty('replay');
    expect((await mine.binding()).body).toEqual(body);
    expect(body.last_error).not.toContain(new URLSearchParams(account.sas).get('sig'));
    expect(body.last_error).not.toContain('127.0.0.1');
    end();
    expect((await mine.verify()).body).toMatchObject({ status: 'verified', last_error: null });
  });

  test('whose words repeat the secret does not pass it on', async () => {
    await mine.bind();
    const { connectionString } = account.credentials.connection_string;
    const repeated = `no access for ?${account.sas} nor ${connectionString}`;
    mine.fail({ how: 403, message: repeated });
    const { body } = await mine.verify();
    expect(body.last_error).toMatch(/^no access for /);
    expect(body.last_error).not.toContain(new URLSearchParams(account.sas).get('sig'));
    expect(body.last_error).not.toContain(encodeURIComponent(new URLSearchParams(account.sas).get('sig')!));
    expect(body.last_error).not.toContain(account.key);
  });

  test('a probe writes below the golden directory alone, and leaves nothing', async () => {
    await mine.bind({ prefixes: { golden: 'a/b/' } });
    const before = account.lake.requests.length;
    expect((await mine.verify()).body.status).toBe('verified');
    const made = account.lake.requests
      .slice(before)
      .filter(({ filesystem }) => filesystem === mine.filesystem);
    expect(made.map(({ operation }) => operation)).toEqual(
      expect.arrayContaining(['create', 'read', 'delete']),
    );
    for (const { path } of made) expect(path).toMatch(/^a\/b\//);
    expect(mine.stored()).toEqual([]);
  });
});

describe('a probe of an earlier state changes nothing', () => {
  /** Begins a verification, and changes the binding while the account handles a request of this verification. */
  async function whileProbed(change: () => Promise<unknown>) {
    const before = account.lake.requests.length;
    mine.fail({ how: 'timeout', operation: 'read', times: 1 });
    const probing = mine.verify();
    await poll(async () => account.lake.requests.slice(before).some(({ operation }) => operation === 'read'));
    await change();
    return probing;
  }

  test('a binding that was edited meanwhile keeps the state of the edit', async () => {
    await mine.bind();
    const answer = await whileProbed(() => mine.bind());
    expect(answer).toMatchObject({ status: 200, body: { status: 'unverified', last_error: null } });
    expect(await status()).toBe('unverified');
  });

  test('a binding that was removed and made again meanwhile is unverified', async () => {
    await mine.bind();
    await whileProbed(async () => {
      await mine.unbind();
      await mine.bind();
    });
    expect((await mine.binding()).body).toMatchObject({ provider: 'datalake', status: 'unverified' });
  });
});

describe('disconnecting (B 4.6)', () => {
  test('DELETE removes the binding and its secret', async () => {
    await mine.connect();
    expect(await mine.unbind()).toMatchObject({
      status: 200,
      body: { provider: 'platform', status: 'verified', has_secret: false, account_url: null },
    });
    const rows = await openSuperuser(app.superuserUrl)`
      select from storage_bindings where tenant_id = ${mine.tenantId}`;
    expect(rows).toHaveLength(0);
    expect((await mine.bind({ secret: undefined })).status).toBe(422);
  });

  test('PUT of the platform does the same', async () => {
    await mine.connect();
    expect(await mine.bind({ provider: 'platform' })).toMatchObject({
      status: 200,
      body: { provider: 'platform', status: 'verified', has_secret: false, replay: { published: 0 } },
    });
    expect((await mine.job()).status).toBe('published');
    expect(mine.stored()).toEqual([]);
  });

  test('PUT of the platform is 502 and changes nothing if its storage cannot be written; DELETE is not blocked', async () => {
    await mine.connect();
    const before = (await mine.binding()).body;
    // A file has the name of the tenant's directory, so no user can write below it, not even root.
    const folder = join(app.services.settings.DATA_DIR, 'storage', mine.tenantId);
    await writeFile(folder, 'no folder');
    onTestFinished(() => rm(folder));
    const refused = await mine.bind({ provider: 'platform' });
    expect(refused.status).toBe(502);
    expect(JSON.stringify(refused.body)).not.toContain(folder);
    expect((await mine.binding()).body).toEqual(before);
    expect((await mine.job()).status).toBe('published');
    expect((await mine.unbind()).status).toBe(200);
    expect((await mine.binding()).body.provider).toBe('platform');
  });
});
