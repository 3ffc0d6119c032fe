import { rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownerOf } from '#server/identity/auth/mfa/totp.ts';
import { seal } from '#server/platform/encryption.ts';
import { refuseContradictions } from '#server/platform/process-settings.ts';
import { readSettings } from '#server/settings.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { launch, testFolder } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { startService } from '#test/setup/service.ts';

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');
/** No database server listens at this URL. */
const DATABASE_URL = 'postgres://nobody:hunter2@127.0.0.1:1/none';

/** Starts an API process that ends with the test. */
async function start(env: Record<string, string>) {
  const service = await startService({ LOG_LEVEL: 'silent', ...env }, 'server/main.ts', ['--api-only']);
  onTestFinished(async () => void (await service.stop('SIGKILL')));
  return service;
}

async function externalDatabase() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.ownerUrl, SECRETS_KEY, DATA_DIR: await testFolder() };
  return { env, superuserUrl: database.superuserUrl };
}

/** The message of a start that fails. It is the only line of the output, and has the format of the log. */
async function refusal(env: Record<string, string>, script = 'server/main.ts'): Promise<string> {
  const { code, stdout, stderr } = await launch([script], env).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  const { level, msg } = JSON.parse(stderr);
  expect(level).toBe(60);
  return msg;
}

test.each(['server/main.ts', 'workers/main.ts', 'server/commands/migrate.ts'])(
  'an invalid setting stops %s with one line that names the variable',
  async (script) => {
    expect(await refusal({ MFA_REQUIRED: 'yes' }, script)).toBe('MFA_REQUIRED: must be true, false, 1 or 0');
  },
);

test.each([
  ['server/main.ts'],
  ['workers/main.ts'],
  ['server/commands/migrate.ts'],
  ['server/commands/probe.ts'],
  ['server/commands/doctor/main.ts'],
  ['server/commands/verify-store/main.ts'],
  ['server/commands/admin/main.ts', 'tenants'],
  ['server/commands/backup/backup.ts', 'file'],
  ['server/commands/backup/restore.ts', 'file'],
])('%s reads secrets from files', async (...command) => {
  const folder = await testFolder();
  await writeFile(join(folder, 'file'), '');
  const args = command.map((argument) => (argument === 'file' ? join(folder, 'file') : argument));
  const { code, stdout, stderr } = await launch(args, {
    OPERATOR_API_KEY_FILE: join(folder, 'operator-key'),
    DATA_DIR: folder,
  }).ended;
  // 1 of verify-store means differences.
  expect(code).toBe(command[0]?.includes('verify-store') ? 2 : 1);
  expect(stdout + stderr).toMatch(/OPERATOR_API_KEY_FILE: .*operator-key\W+does not exist/);
});

test('a service whose database and key are in files starts', async () => {
  const { env } = await externalDatabase();
  const folder = await testFolder();
  const files = ['DATABASE_URL', 'SECRETS_KEY'] as const;
  for (const name of files) await writeFile(join(folder, name), `${env[name]}\n`);
  const service = await start({
    DATA_DIR: env.DATA_DIR,
    ...Object.fromEntries(files.map((name) => [`${name}_FILE`, join(folder, name)])),
  });
  expect((await fetch(`${service.address}/readyz`)).status).toBe(200);
});

test('an unreachable database is one line, without its password', async () => {
  expect(await refusal({ DATABASE_URL, SECRETS_KEY })).toBe(
    'DATABASE_URL: cannot connect to the database "none" at 127.0.0.1:1 as "nobody": nothing listens there; is PostgreSQL running? (ECONNREFUSED)',
  );
});

test('settings that cannot work together are reported before the database is joined', async () => {
  const both = { DATABASE_URL, SECRETS_KEY };
  expect(await refusal({ ...both, SECRETS_KEY: '' })).toMatch(/^SECRETS_KEY: is required with DATABASE_URL/);
  const ports = { METRICS: '{"port":18080}', PORT: '18080' };
  expect(await refusal({ ...both, ...ports })).toMatch(/^METRICS: port must differ from PORT/);
  // Workers do not listen at PORT.
  expect(await refusal({ ...both, ...ports }, 'workers/main.ts')).toMatch(/^DATABASE_URL: /);
});

test.each<[RegExp, Record<string, string>]>([
  [/^OPENAI_BASE_URL: requires OPENAI_API_KEY/, { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' }],
  [
    /^SERVICE_API_KEY: must differ from OPERATOR_API_KEY(?!.*the-same)/,
    { SERVICE_API_KEY: 'the-same-key', OPERATOR_API_KEY: 'the-same-key' },
  ],
])('settings that cannot work together are refused: %s', (message, env) => {
  expect(() => refuseContradictions(readSettings(env), { api: true })).toThrow(message);
});

test('an address that cannot be listened on, and a directory that cannot be written, name their setting', async () => {
  const { env } = await externalDatabase();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const taken = String((other.address() as AddressInfo).port);
  const refused: [RegExp, Record<string, string>][] = [
    [new RegExp(`^PORT: another process already listens at 127.0.0.1:${taken}$`), { PORT: taken }],
    [
      new RegExp(`^METRICS: another process already listens at 127.0.0.1:${taken}`),
      { METRICS: `{"port":${taken}}` },
    ],
    [/^HOST: this machine does not have the IP address 203\.0\.113\.1$/, { HOST: '203.0.113.1' }],
    [
      /^PLATFORM_STORAGE_URL: this process cannot write to its directory/,
      { PLATFORM_STORAGE_URL: 'file:///dev/null/storage' },
    ],
  ];
  for (const [message, more] of refused)
    expect(await refusal({ ...env, ...more, LOG_LEVEL: 'silent' })).toMatch(message);
});

test('a SECRETS_KEY that opens none of the stored secrets stops it, unless a previous key does or the operator allows it', async () => {
  const { env, superuserUrl } = await externalDatabase();
  const first = await start(env);
  const { tenantId } = await connect(first.address).signUp();
  await first.stop();
  const sql = openSuperuser(superuserUrl);
  const [member] = await sql`select tenant_id, user_id from users where tenant_id = ${tenantId}`;
  const owner = { tenantId, userId: member?.['user_id'] as string };
  const keys = { current: Buffer.from(SECRETS_KEY, 'base64'), previous: null };
  const sealed = seal(keys, 'authenticator', ownerOf(owner), Buffer.alloc(20, 1));
  await sql`update users set totp_secret = ${sealed}`;

  const other = { ...env, SECRETS_KEY: Buffer.alloc(32, 9).toString('base64') };
  expect(await refusal(other)).toMatch(/^SECRETS_KEY: cannot decrypt any of the stored secrets; /);
  for (const more of [{ SECRETS_KEY_PREVIOUS: SECRETS_KEY }, { ALLOW_UNREADABLE_SECRETS: 'true' }]) {
    const service = await start({ ...other, ...more });
    expect(await service.stop()).toBe(0);
  }
});

test('a process with another storage is rejected, and one whose storage is replaced is not ready', async () => {
  const { env } = await externalDatabase();
  const service = await start(env);
  const other = { ...env, DATA_DIR: await testFolder() };
  for (const script of ['server/main.ts', 'workers/main.ts'])
    expect(await refusal(other, script)).toMatch(
      /^DATA_DIR: the storage at .* does not belong to this database; set PLATFORM_STORAGE_URL, or DATA_DIR/,
    );
  const states = () => fetch(`${service.address}/readyz`).then((response) => response.status);
  expect(await states()).toBe(200);
  const storage = join(env.DATA_DIR, 'storage');
  await rename(storage, `${storage}.away`);
  await poll(async () => (await states()) === 503);
  await rm(storage, { recursive: true });
  await rename(`${storage}.away`, storage);
  await poll(async () => (await states()) === 200);
});
