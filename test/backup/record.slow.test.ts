import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { env } from '#test/factories.ts';
import { secretsKey, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { testFolder } from '#test/setup/launch.ts';
import { succeed } from './commands.ts';

const app = useTestApp({ env });

/** Settings with which a command finds the application's database. */
async function settings(): Promise<Record<string, string>> {
  const folder = await testFolder();
  return {
    DATABASE_URL: app.databaseUrl,
    DATABASE_MIGRATION_URL: app.ownerUrl,
    SECRETS_KEY: secretsKey,
    DATA_DIR: await mkdtemp(join(folder, 'data-')),
  };
}

/** Seconds since the last recorded backup; undefined without one. */
async function age(): Promise<number | undefined> {
  const [row] = await openSuperuser(app.superuserUrl)<{ age: number }[]>`
    select extract(epoch from now() - finished_at)::float8 as age from maintenance_runs where name = 'backup'`;
  return row?.age;
}

test('a backup records its time, and so does an operator who uses another tool', async () => {
  const given = await settings();
  const file = join(await testFolder(), 'backup');
  expect(await age()).toBeUndefined();
  await succeed('backup', given, [file]);
  expect(await age()).toBeLessThan(60);

  const sql = openSuperuser(app.superuserUrl);
  await sql`update maintenance_runs set finished_at = now() - interval '9 days' where name = 'backup'`;
  expect(await succeed('backup', given, ['--record'])).toEqual(['Recorded a backup by another tool.']);
  expect(await age()).toBeLessThan(60);
});
