import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareClocks } from '#server/commands/doctor/database.ts';
import { ownerOf } from '#server/identity/auth/mfa/totp.ts';
import { seal } from '#server/platform/encryption.ts';
import { failure, startFakeOpenAi } from '#test/fakes/openai.ts';
import { ignoresAllBut } from '#test/fakes/openai-endpoints.ts';
import { startSmtp } from '#test/fakes/smtp.ts';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { launch, testFolder } from '#test/setup/launch.ts';

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64');

async function doctor(env: Record<string, string>) {
  const { code, stdout, stderr } = await launch(['server/commands/doctor/main.ts'], env).ended;
  expect(stderr).toBe('');
  /** The findings with this state, each as `about: message`. */
  const found = (state: 'ok' | 'warn' | 'fail') =>
    [...stdout.matchAll(/^(ok|warn|fail) +(\w+) +(.*)$/gm)]
      .filter(([, one]) => one === state)
      .map(([, , about, message]) => `${about}: ${message}`);
  return { code, stdout, found };
}

async function service(): Promise<{ env: Record<string, string>; superuserUrl: string }> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const env = { DATABASE_URL: database.url, SECRETS_KEY, DATA_DIR: await testFolder() };
  return { env, superuserUrl: database.superuserUrl };
}

test('where everything is in order it says so of each part, and exits with 0', async () => {
  const { env } = await service();
  await using model = await startFakeOpenAi();
  // An endpoint that ignores the JSON schema is used in another output mode, and is not a problem.
  model.otherwise(ignoresAllBut('json_object'));
  const { code, stdout, found } = await doctor({
    ...env,
    OPENAI_API_KEY: 'sk-never-printed',
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_EMBEDDING_MODEL: 'none',
  });
  expect({ failed: found('fail'), code }).toEqual({ failed: [], code: 0 });
  const parts = found('ok').map((finding) => finding.split(':')[0]);
  expect(found('ok')).toContainEqual(
    expect.stringMatching(/^engine: OPENAI_MODEL \S+ responds in \d+ ms, output mode json_object$/),
  );
  const expected = 'node settings disk database clock schema secrets storage sandbox engine';
  expect(parts).toEqual(expect.arrayContaining(expected.split(' ')));
  expect(found('ok')).toContain(
    'storage: the documents of one workspace may use 10000000000 bytes of platform storage',
  );
  const warnings = found('warn').length;
  expect(stdout).toContain(
    warnings === 0 ? 'All checks passed.\n' : `No check has failed, ${warnings} warning`,
  );
  expect(stdout).not.toMatch(/never-printed/);
  expect(stdout).not.toContain(SECRETS_KEY);
});

test('it connects to the mail server and signs in, but sends nothing', async () => {
  const smtp = await startSmtp({ extensions: ['AUTH PLAIN'] });
  onTestFinished(() => smtp.close());
  const { env } = await service();
  const mail = {
    BASE_URL: 'https://lingua.example.org',
    MAIL_SERVER: JSON.stringify({
      url: `smtp://user:hunter2@127.0.0.1:${smtp.port}`,
      from: 'noreply@example.org',
    }),
  };
  const right = await doctor({ ...env, ...mail });
  expect(right.found('ok')).toContain(
    `mail: 127.0.0.1:${smtp.port} accepts connections; mails are sent from noreply@example.org`,
  );
  expect(smtp.commands.filter((line) => line.startsWith('MAIL'))).toEqual([]);
  smtp.fault = (stage) => (stage === 'AUTH' ? '535 5.7.8 wrong' : undefined);
  const wrong = await doctor({ ...env, ...mail });
  expect(wrong.found('fail')).toContain(`mail: 127.0.0.1:${smtp.port} cannot be used: EAUTH 535`);
  expect(wrong.stdout).not.toContain('hunter2');
  const incomplete = await doctor({ ...env, MAIL_SERVER: mail.MAIL_SERVER });
  expect(incomplete.found('fail')).toEqual([
    'settings: BASE_URL: is required with MAIL_SERVER, because mails contain links to it',
  ]);
});

test('it says what has failed and what to do about each, and exits with 1', async () => {
  const { env, superuserUrl } = await service();
  const sql = openSuperuser(superuserUrl);
  const owner = { tenantId: 'a', userId: 'b' };
  const other = { current: Buffer.alloc(32, 9), previous: null };
  const sealed = seal(other, 'authenticator', ownerOf(owner), Buffer.alloc(20, 1));
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit) values ('a', 'A', '', 1)`;
  await sql`insert into users (tenant_id, user_id, email, provider, role, totp_secret)
    values ('a', 'b', 'b@example.org', 'email', 'global_administrator', ${sealed})`;
  const file = join(env['DATA_DIR'] as string, 'file');
  await writeFile(file, '');
  await using model = await startFakeOpenAi();
  model.otherwise(failure(401, { code: 'invalid_api_key', message: 'sk-never-printed is wrong' }));
  const taken = createServer((_, response) => response.end('{}'));
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());

  const { code, stdout, found } = await doctor({
    ...env,
    PLATFORM_STORAGE_URL: `file://${file}/storage`,
    OPENAI_API_KEY: 'sk-never-printed',
    OPENAI_BASE_URL: model.baseUrl,
    PORT: String((taken.address() as AddressInfo).port),
    OPERATOR_EMAILS: 'olga@example.org',
  });
  expect(code).toBe(1);
  expect(found('fail')).toEqual(
    expect.arrayContaining([
      'secrets: the keys cannot decrypt 1 of 1 tried secrets',
      expect.stringMatching(/^storage: /),
      expect.stringMatching(/^engine: OPENAI_MODEL \S+ does not respond: .*401.*invalid_api_key/),
      expect.stringMatching(/^port: another process listens at http:/),
    ]),
  );
  expect(found('warn')).toContain('settings: OPERATOR_EMAILS has no effect without OPERATOR_TENANT_ID');
  // The line after each finding contains its advice.
  const lines = stdout.split('\n');
  for (const [i, line] of lines.entries())
    if (/^(warn|fail) /.test(line)) expect(lines[i + 1]).toMatch(/^ +→ \S/);
  expect(stdout).not.toMatch(/never-printed/);
});

test('a database that cannot be reached, and settings that cannot work together, are named without their secrets', async () => {
  const DATABASE_URL = 'postgres://nobody:hunter2@127.0.0.1:1/none';
  const unreachable = await doctor({ DATABASE_URL, SECRETS_KEY, DATA_DIR: await testFolder() });
  expect(unreachable.code).toBe(1);
  expect(unreachable.found('fail')).toEqual([
    'database: DATABASE_URL: cannot connect to the database "none" at 127.0.0.1:1 as "nobody": nothing listens there; is PostgreSQL running? (ECONNREFUSED): connect ECONNREFUSED 127.0.0.1:1',
  ]);
  expect(unreachable.stdout).not.toContain('hunter2');
  const contradictory = await doctor({ OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' });
  expect(contradictory.code).toBe(1);
  expect(contradictory.found('fail')[0]).toMatch(/^settings: OPENAI_BASE_URL: requires OPENAI_API_KEY/);
});

test('settings that miss something are found: a credential of Stripe, connections for workers, the key', async () => {
  const { env } = await service();
  const connections = (needed: number) =>
    `database: it allows 197 connections for the service; an API with workers may open ${needed}`;
  const billing = { BILLING_ENABLED: 'true', STRIPE_SECRET_KEY: 'sk_test_1' };
  const { found } = await doctor({ ...env, ...billing, WORKER_CONCURRENCY: '40' });
  expect(found('fail')).toEqual([]);
  expect(found('warn')).toContain(connections(144));
  expect(found('warn')).toContainEqual(
    expect.stringMatching(
      /^settings: BILLING_ENABLED is on, but STRIPE_WEBHOOK_SECRET is not set: purchases are rejected/,
    ),
  );
  const tooMany = await doctor({ ...env, WORKER_CONCURRENCY: '100' });
  expect(tooMany.found('fail')).toEqual([connections(324)]);
  const { SECRETS_KEY: _unset, ...withoutKey } = env;
  expect((await doctor(withoutKey)).found('fail')).toEqual([
    'secrets: SECRETS_KEY: is required with DATABASE_URL (32 bytes, base64)',
  ]);
});

test('before the first start it makes neither a database nor a key', async () => {
  const DATA_DIR = await testFolder();
  const { code, found } = await doctor({ DATA_DIR });
  expect(code).toBe(0);
  expect(found('ok')).toContain(`database: not created yet; the first start creates it in ${DATA_DIR}`);
  expect(await readdir(DATA_DIR)).toEqual(['storage']);
});

test('a superuser and an old schema are found', async () => {
  const { env, superuserUrl } = await service();
  const sql = openSuperuser(superuserUrl);
  await sql`delete from drizzle.__drizzle_migrations
    where id = (select id from drizzle.__drizzle_migrations order by created_at desc limit 1)`;
  const { code, found } = await doctor({ ...env, DATABASE_URL: superuserUrl });
  expect(code).toBe(1);
  expect(found('fail')).toEqual([
    expect.stringMatching(/^database: row-level policies do not apply to the role "/),
  ]);
  expect(found('warn')).toContain('schema: the database lacks migrations of this version');
});

test('clocks that differ are found, without counting the way of the answer', () => {
  expect(compareClocks(10_000, 10_500, 1000).state).toBe('ok');
  expect(compareClocks(10_000, 13_000, 0)).toMatchObject({
    state: 'warn',
    message: expect.stringContaining('3.0 s'),
  });
  expect(compareClocks(100_000, 10_000, 0).state).toBe('fail');
});

test('it warns if nothing limits a workspace, and counts the workspaces that are near their cap', async () => {
  const { env, superuserUrl } = await service();
  const sql = openSuperuser(superuserUrl);
  for (const [id, bytes, own] of [
    ['a', 95, null],
    ['b', 80, null],
    ['c', 95, 0],
    ['d', 9, 10],
  ] as const) {
    await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit) values (${id}, ${id}, '', 1)`;
    await sql`insert into storage_totals (tenant_id, bytes, cap_bytes) values (${id}, ${bytes}, ${own})`;
  }
  const near = async (cap: string) =>
    (await doctor({ ...env, WORKSPACE_LIMITS: `{"storage_bytes":${cap}}` }))
      .found('warn')
      .find((finding) => finding.startsWith('storage: '));
  const among = 'workspaces that have used 90% of their cap or more';
  expect(await near('100')).toBe(
    `storage: the documents of one workspace may use 100 bytes of platform storage; ${among}: 2`,
  );
  expect(await near('0')).toBe(
    `storage: no limit for the documents of one workspace in platform storage; ${among}: 1`,
  );
});
