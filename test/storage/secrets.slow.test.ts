import { beforeEach, describe, expect, test } from 'vitest';
import { workbookFile } from '#test/factories/workbook.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { startLoggedService } from '#test/setup/logged-service.ts';
import { auditOf, contentsOf, eventsOf, everyRow } from '#test/setup/stored-rows.ts';
import { demote } from '#test/translations/workspace.ts';
import { type Bound, impatient, openBound, useAccountApp } from './bound-workspace.ts';

const { account, app } = await useAccountApp({ accountTimes: impatient });

const { connectionString } = account.credentials.connection_string;
const signature = new URLSearchParams(account.sas).get('sig')!;

/** All forms of the secrets that must not appear anywhere. */
const secrets = [
  signature,
  encodeURIComponent(signature),
  account.key,
  encodeURIComponent(account.key),
].flatMap((text) => [
  text,
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64').replace(/=+$/, ''),
]);

function expectNoSecret(shown: unknown, where = '') {
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown);
  for (const secret of secrets) expect(text.includes(secret), where).toBe(false);
}

const both: [string, Record<string, string>][] = [
  ['sas', { auth_mode: 'sas', secret: account.sas }],
  ['sas with its question mark', { auth_mode: 'sas', secret: `?${account.sas}` }],
  ['connection_string', { auth_mode: 'connection_string', secret: connectionString }],
];

/** A message of the provider that contains the complete secret and parts of it. */
const repeating = ({ auth_mode, secret }: Record<string, string>) =>
  `refused: ${secret} ${auth_mode === 'sas' ? `${signature} ${encodeURIComponent(signature)}` : account.key}`;

let mine: Bound;
beforeEach(async () => {
  mine = await openBound(app, account);
});

describe.each(both)('the secret of mode %s', (_mode, fields) => {
  test('works, and is in no answer', async () => {
    const answers = [await mine.bind(fields), await mine.verify(), await mine.binding()];
    expect(answers.map(({ status, body }) => [status, body.status])).toEqual([
      [200, 'unverified'],
      [200, 'verified'],
      [200, 'verified'],
    ]);
    mine.fail({ how: 403, message: repeating(fields) });
    answers.push(
      await mine.send({ wait: 'true' }),
      await mine.verify(),
      await mine.binding(),
      await mine.submit({ source_text: 'Hello', target_lang: 'fr' }),
      await mine.bind({ ...fields, filesystem: '' }),
      await mine.bind({ ...fields, account_url: account.sas }),
      await mine.bind({ ...fields, auth_mode: 'managed_identity' }),
      await mine.bind({ ...fields, secret: `${fields['secret']};\n` }),
      await mine.bind({ ...fields, secret: { sas: fields['secret'] } }),
      await mine.bind({ ...fields, prefixes: fields['secret'] }),
      await mine.storageUsage(),
      await mine.unbind(),
    );
    for (const { body } of answers) expectNoSecret(body);
    for (const { body } of answers) expect(body).not.toHaveProperty('secret');
  });

  test('is in no column of any table, nor in the audit log', async () => {
    await mine.connect(fields);
    mine.fail({ how: 403, message: repeating(fields) });
    await mine.submit({ source_text: 'Hello', target_lang: 'fr' });
    await mine.send({ wait: 'true' });
    await mine.verify();
    for (const { table, row } of await everyRow(openSuperuser(app.superuserUrl))) expectNoSecret(row, table);
    expectNoSecret(await contentsOf(app));
    expect(await auditOf(app.superuserUrl, mine)).not.toEqual([]);
  });

  test('is stored sealed, with the id of its key; the same secret never as the same bytes', async () => {
    const stored = async () =>
      (
        await openSuperuser(app.superuserUrl)`
        select secret, secret_key_id from storage_bindings where tenant_id = ${mine.tenantId}`
      )[0]!;
    await mine.bind(fields);
    const first = await stored();
    await mine.bind(fields);
    const again = await stored();
    expect(first['secret_key_id']).toMatch(/^[0-9a-f]{8}$/);
    expect(again['secret_key_id']).toBe(first['secret_key_id']);
    expect(Buffer.from(again['secret']).equals(Buffer.from(first['secret']))).toBe(false);
  });
});

test('a sealed secret does not open another tenant’s account', async () => {
  await mine.connect();
  const other = await openBound(app, account);
  await other.connect();
  await openSuperuser(app.superuserUrl)`
    update storage_bindings b set secret = o.secret, revision = b.revision + 1
    from storage_bindings o where b.tenant_id = ${mine.tenantId} and o.tenant_id = ${other.tenantId}`;
  expect((await mine.submit({ source_text: 'Hello', target_lang: 'fr' })).status).toBe(409);
  expect((await mine.verify()).body.status).toBe('error');
});

test('a secret that does not have the form of its mode is in no request', async () => {
  await mine.bind({ auth_mode: 'connection_string', secret: connectionString });
  await openSuperuser(app.superuserUrl)`
    update storage_bindings set auth_mode = 'sas', revision = revision + 1 where tenant_id = ${mine.tenantId}`;
  const before = account.lake.requests.length;
  expect((await mine.verify()).body).toMatchObject({
    status: 'error',
    last_error: expect.stringMatching(/^must be a SAS token/),
  });
  expect(account.lake.requests).toHaveLength(before);
});

describe('the audit log (A 6 rule 5)', () => {
  const events = async (action: string) =>
    (await eventsOf(app, mine.tenantId, action)).map(({ actor, target, details }) => ({
      actor,
      target,
      details,
    }));

  test('has each change with who made it: a member or the key', async () => {
    const [user] = await openSuperuser(app.superuserUrl)`
      select user_id, email from users where tenant_id = ${mine.tenantId}`;
    await mine.bind({}, mine.admin);
    await mine.bind({ auth_mode: 'connection_string', secret: connectionString });
    await mine.verify(mine.admin);
    await mine.verify();
    await mine.unbind(mine.admin);
    await mine.bind();
    await mine.bind({ provider: 'platform' });
    const target = account.address.accountUrl;
    const changed = await events('storage_binding_changed');
    expect(changed).toMatchObject([
      { target, details: { filesystem: mine.filesystem, auth_mode: 'sas' } },
      { target, details: { filesystem: mine.filesystem, auth_mode: 'connection_string' } },
      { target },
    ]);
    expect(JSON.stringify(changed[0]!.actor)).toContain(user!['user_id']);
    expect(JSON.stringify(changed[1]!.actor)).not.toContain(user!['user_id']);
    const verified = await events('storage_binding_verified');
    expect(verified.map(({ actor }) => JSON.stringify(actor).includes(user!['user_id']))).toEqual([
      true,
      false,
    ]);
    const removed = await events('storage_binding_removed');
    expect(removed.map(({ actor }) => JSON.stringify(actor).includes(user!['user_id']))).toEqual([
      true,
      false,
    ]);
  });

  test('has a failed probe, and nothing of what was refused or changed nothing', async () => {
    await mine.bind();
    mine.fail({ how: 403 });
    await mine.verify();
    expect(await events('storage_binding_refused')).toMatchObject([{ target: account.address.accountUrl }]);
    expect(await events('storage_binding_verified')).toEqual([]);
    const before = await auditOf(app.superuserUrl, mine);
    await mine.bind({ filesystem: '' });
    await mine.binding();
    await mine.bind({}, {});
    await demote(app, mine);
    await mine.bind({}, mine.admin);
    expect(await auditOf(app.superuserUrl, mine)).toEqual(before);
  });
});

const faults = [403, 500, 'cut', { redirect: 'http://127.0.0.1:9/' }] as const;

test('no secret is in any line that the service prints', async () => {
  const service = await startLoggedService({
    STORAGE_BINDING_ENABLED: 'true',
    STORAGE_ENDPOINT_OVERRIDE: account.lake.url,
    SECRETS_KEY: Buffer.alloc(32, 9).toString('base64'),
    SWEEP_INTERVAL_SECONDS: '1',
  });
  const { headers } = await service.signUp();
  const { accountUrl: account_url } = account.address;
  const send = (method: string, path: string, body?: unknown) =>
    service.json(method, path, { headers, ...(body !== undefined && { body }) });
  account.lake.addFilesystem(account.name, 'logged');
  for (const [mode, fields] of both) {
    await send('PUT', '/api/storage/binding', { account_url, filesystem: 'logged', ...fields });
    expect((await send('POST', '/api/storage/binding/verify')).body.status).toBe('verified');
    expect(
      (await send('POST', '/api/translations', { source_text: 'Hello', target_lang: 'fr' })).status,
    ).toBe(200);
    for (const how of mode === 'sas' ? faults : ([403] as const)) {
      const end = account.lake.fail({
        filesystem: 'logged',
        how,
        message: repeating(fields),
      });
      const text = {
        source_text: `Hello ${JSON.stringify(how)}${fields['secret']?.length}`,
        target_lang: 'fr',
      };
      expect((await send('POST', '/api/translations', text)).status).toBe(502);
      const form = new FormData();
      form.append('target_lang', 'fr');
      form.append('source_document', workbookFile(['Hello']));
      await service.request('/api/documents/translate', { method: 'POST', headers, body: form });
      expect((await send('POST', '/api/storage/binding/verify')).body.status).toBe('error');
      end();
      expect((await send('POST', '/api/storage/binding/verify')).body.status).toBe('verified');
    }
    // Invalid bodies, some of which are not JSON.
    await send('PUT', '/api/storage/binding', { account_url, filesystem: 'logged', ...fields, prefixes: 5 });
    await send('PUT', '/api/storage/binding', `{"secret": "${fields['secret']}", `);
    await send('PUT', '/api/storage/binding', {
      account_url: fields['secret'],
      filesystem: 'logged',
      ...fields,
    });
  }
  await send('DELETE', '/api/storage/binding');
  const printed = await service.finish();
  expect(printed).toContain('storage');
  expectNoSecret(printed);
});
