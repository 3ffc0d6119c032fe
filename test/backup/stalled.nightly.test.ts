import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, openSuperuser } from '#test/setup/database.ts';
import { startDatabaseRelay } from '#test/setup/database-relay.ts';
import { testFolder } from '#test/setup/launch.ts';
import { poll } from '#test/setup/poll.ts';
import { run, start, succeed } from './commands.ts';

const SECRETS_KEY = Buffer.alloc(32, 3).toString('base64');

/** Creates a database with rows of the size of a memory's, and returns what commands and checks need. */
async function withLargeRows(count: number) {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const sql = openSuperuser(database.superuserUrl);
  await sql`insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'tenant-' || n, repeat(md5(n::text), 3000), '', 1 from generate_series(1, ${count}) n`;
  const folder = await testFolder();
  const settings = (url: string) => ({ DATABASE_URL: url, DATA_DIR: join(folder, 'data'), SECRETS_KEY });
  /** Resolves when no session of a backup is left. */
  const noSession = () =>
    poll(async () => {
      const open = await sql`select from pg_stat_activity
        where application_name = 'lingualoop backup' and datname = current_database()`;
      return open.length === 0;
    }, 30);
  return { database, sql, folder, settings, noSession };
}

// The minute is on top of the time that the command needs to start.
test('a backup without progress ends after a minute with the reason, and leaves no file and no transaction', {
  timeout: 300_000,
}, async () => {
  const { database, folder, settings, noSession } = await withLargeRows(100);
  const relay = await startDatabaseRelay(database.ownerUrl, 'copy (select');
  onTestFinished(() => relay.close());
  const { code, error } = await run('backup', settings(relay.url), [join(folder, 'file')]);
  expect(error).toMatch(/^lingualoop: no progress for 60 s \(last: [^)]+\): PostgreSQL [^\n]+\n$/);
  expect(code).toBe(1);
  expect((await readdir(folder)).filter((name) => name.startsWith('file'))).toEqual([]);
  await noSession();
});

test('backups that were killed leave nothing that looks complete and no session, and the next one is complete', {
  timeout: 900_000,
}, async () => {
  const { database, sql, folder, settings, noSession } = await withLargeRows(1000);
  const env = settings(database.ownerUrl);
  for (let n = 0; n < 20; n++) {
    const name = `killed-${n}.tar`;
    const file = join(folder, name);
    const running = start('backup', env, [file]);
    await poll(async () => (await readdir(folder)).some((one) => one.startsWith(name)), 180);
    await delay(100 * n * Math.random());
    running.child.kill('SIGKILL');
    await running.ended;
    const left = (await readdir(folder)).filter((one) => one.startsWith(name));
    // Only a backup that was complete before the signal has the final name.
    if (left.includes(name)) await succeed('verify-backup', env, [file]);
    expect(left.filter((one) => one !== name && !one.includes('.unfinished-'))).toEqual([]);
    await noSession();
  }
  // A backup that was complete before the signal has recorded itself.
  const [recorded] = await sql<[{ count: number }]>`select count(*)::int as count from maintenance_runs`;
  const rows = `${1000 + recorded.count} rows`;
  const file = join(folder, 'last');
  const lines = await succeed('backup', env, [file]);
  expect(lines.at(-1)).toContain(`: ${rows} of `);
  const verified = await succeed('verify-backup', env, [file]);
  expect(verified.join('\n')).toContain(`A restore gives ${rows}`);
});
