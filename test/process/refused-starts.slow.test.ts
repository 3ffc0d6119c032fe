import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ownerOf } from '#server/identity/auth/mfa/totp.ts';
import { seal } from '#server/platform/encryption.ts';
import { connect } from '#test/setup/app.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { startService } from '#test/setup/service.ts';

const root = join(import.meta.dirname, '../..');
const secretsKey = Buffer.alloc(32, 7).toString('base64');

/** A separate API, which ends with the test. */
async function start(env: Record<string, string>) {
  const service = await startService({ LOG_LEVEL: 'silent', ...env }, 'server/main.ts', ['--api-only']);
  onTestFinished(async () => void (await service.stop('SIGKILL')));
  return service;
}

async function externalDatabase() {
  const database = await createTestDatabase();
  const storage = await mkdtemp(join(tmpdir(), 'lingualoop-process-'));
  onTestFinished(async () => {
    await database.drop();
    await rm(storage, { recursive: true, force: true });
  });
  const env = { DATABASE_URL: database.url, SECRETS_KEY: secretsKey, DATA_DIR: storage };
  return { env, superuserUrl: database.superuserUrl };
}

describe('a start that must fail', () => {
  const fail = (env: Record<string, string>, script = 'server/main.ts') =>
    new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
      const child = spawn(process.execPath, [join(root, script)], {
        env: { PATH: process.env['PATH'], PORT: '0', ...env },
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      child.once('close', (code) => resolve({ code, stdout, stderr }));
    });

  /** The message of the only line, which has the form of the log. */
  const oneLine = (stderr: string): unknown => {
    expect(stderr).toMatch(/^[^\n]+\n$/);
    const { level, msg } = JSON.parse(stderr);
    expect(level).toBe(60);
    return msg;
  };

  test('a bad value stops it with one line that names the variable', async () => {
    for (const script of ['server/main.ts', 'workers/main.ts', 'server/commands/migrate.ts']) {
      const { code, stdout, stderr } = await fail({ MFA_REQUIRED: 'yes' }, script);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(oneLine(stderr)).toBe('MFA_REQUIRED: must be true, false, 1 or 0');
    }
  });

  test('SECRETS_KEY is required with DATABASE_URL', async () => {
    const { code, stderr } = await fail({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(oneLine(stderr)).toMatch(/^SECRETS_KEY: /);
  });

  test('an unreachable database gives one line, without its password', async () => {
    const DATABASE_URL = 'postgres://nobody:hunter2@127.0.0.1:1/none';
    const { code, stderr } = await fail({ DATABASE_URL, SECRETS_KEY: secretsKey });
    expect(code).toBe(1);
    expect(oneLine(stderr)).toBe(
      'DATABASE_URL: cannot connect to the database "none" at 127.0.0.1:1 as "nobody": nothing listens there; is PostgreSQL running? (ECONNREFUSED)',
    );
    expect(stderr).not.toContain('hunter2');
  });

  test('incompatible settings give one sentence, before the database is opened', async () => {
    const refused: [string, Record<string, string>][] = [
      ['OPENAI_BASE_URL: needs OPENAI_API_KEY', { OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' }],
      [
        'SERVICE_API_KEY: must differ from OPERATOR_API_KEY',
        { SERVICE_API_KEY: 'the-same-key', OPERATOR_API_KEY: 'the-same-key' },
      ],
      ['METRICS_PORT: must differ from PORT', { METRICS_PORT: '18080', PORT: '18080' }],
    ];
    for (const [sentence, env] of refused) {
      const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
      const { code, stderr } = await fail({ DATABASE_URL, SECRETS_KEY: secretsKey, ...env });
      expect(code).toBe(1);
      expect(oneLine(stderr)).toMatch(new RegExp(`^${sentence}`));
      expect(stderr).not.toMatch(/the-same-key/);
    }
  });

  test('a process with workers only may have METRICS_PORT at PORT, because it does not listen there', async () => {
    const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none';
    const env = { DATABASE_URL, SECRETS_KEY: secretsKey, METRICS_PORT: '18080', PORT: '18080' };
    expect(oneLine((await fail(env, 'workers/main.ts')).stderr)).toMatch(/^DATABASE_URL: /);
  });

  test('an unusable listening address, and an unwritable directory, name their setting', async () => {
    const { env } = await externalDatabase();
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const taken = String((other.address() as AddressInfo).port);
    const refused: [RegExp, Record<string, string>][] = [
      [new RegExp(`^PORT: another process already listens at 127.0.0.1:${taken}$`), { PORT: taken }],
      [
        new RegExp(`^METRICS_PORT: another process already listens at 127.0.0.1:${taken}`),
        { METRICS_PORT: taken },
      ],
      [/^HOST: this machine does not have the address 203\.0\.113\.1$/, { HOST: '203.0.113.1' }],
      [
        /^PLATFORM_STORAGE_URL: its folder cannot be written/,
        { PLATFORM_STORAGE_URL: 'file:///dev/null/storage' },
      ],
    ];
    for (const [sentence, more] of refused) {
      const { code, stderr } = await fail({ ...env, ...more, LOG_LEVEL: 'silent' });
      expect(code).toBe(1);
      expect(oneLine(stderr)).toMatch(sentence);
    }
  });

  test('a SECRETS_KEY that decrypts no stored secret stops it; with a matching previous key, or an exemption, it starts', async () => {
    const { env, superuserUrl } = await externalDatabase();
    const first = await start(env);
    const { tenantId } = await connect(first.address).signUp();
    await first.stop();
    const sql = openSuperuser(superuserUrl);
    const [member] = await sql`select tenant_id, user_id from users where tenant_id = ${tenantId}`;
    const owner = { tenantId, userId: member?.['user_id'] as string };
    const keys = { current: Buffer.from(secretsKey, 'base64'), previous: null };
    const sealed = seal(keys, 'authenticator', ownerOf(owner), Buffer.alloc(20, 1));
    await sql`update users set totp_secret = ${sealed}`;

    const other = { ...env, SECRETS_KEY: Buffer.alloc(32, 9).toString('base64') };
    const { code, stderr } = await fail(other);
    expect(code).toBe(1);
    expect(oneLine(stderr)).toMatch(/^SECRETS_KEY: opens none of the stored secrets; /);
    for (const more of [{ SECRETS_KEY_PREVIOUS: secretsKey }, { ALLOW_UNREADABLE_SECRETS: 'true' }]) {
      const service = await start({ ...other, ...more });
      expect(await service.stop()).toBe(0);
    }
  });
});
