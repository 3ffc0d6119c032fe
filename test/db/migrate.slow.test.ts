import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import postgres from 'postgres';
import { expect, inject, onTestFinished, test } from 'vitest';
import { installJobQueue, migrate } from '#db/migrate.ts';
import * as schema from '#db/schema/index.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';
import { describeSchema } from './former/schema-lines.ts';

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  return database;
}

test('the installation of the job queue leaves no connection open: PostgreSQL may be stopped next', async () => {
  const { url } = await emptyDatabase();
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const before = sockets();
  await installJobQueue(url);
  expect(sockets()).toBeLessThanOrEqual(before);
});

test('12 parallel migrations of one empty database leave what one run leaves', async () => {
  const alone = await emptyDatabase();
  await migrate(alone.url);
  const expected = await describeSchema(alone.superuserUrl);
  expect(expected.length).toBeGreaterThan(100);

  const shared = await emptyDatabase();
  await Promise.all(Array.from({ length: 12 }, () => migrate(shared.url)));
  expect(await describeSchema(shared.superuserUrl)).toEqual(expected);
});

test('rejects a superuser and a role with BYPASSRLS: no policy binds them', async () => {
  const { superuserUrl } = await emptyDatabase();
  await expect(migrate(superuserUrl)).rejects.toThrow(/^DATABASE_URL: the role "\w+" is a superuser/);

  const superuser = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  const role = `bypass_${Date.now()}`;
  await superuser.unsafe(`create role ${role} login bypassrls password 'x'`);
  try {
    const bypassing = new URL(superuserUrl);
    bypassing.username = role;
    bypassing.password = 'x';
    await expect(migrate(bypassing.href)).rejects.toThrow(/is BYPASSRLS/);
    expect(await superuser`select 1 from pg_tables where tablename = 'tenants'`).toEqual([]);
  } finally {
    await superuser.unsafe(`drop role ${role}`);
    await superuser.end();
  }
});

test('rejects a database from before the baseline by name, and leaves it unchanged', async () => {
  const { url } = await emptyDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  await sql.unsafe(`
    create schema drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('of the first version', 1750000000000);
    create table tenants (tenant_id text primary key);`);
  const before = await sql`select tablename from pg_tables where schemaname in ('public', 'graphile_worker')`;

  const { host, pathname, password } = new URL(url);
  const failure = await migrate(url).catch((error: Error) => error.message);
  expect(failure).toContain(`the database "${pathname.slice(1)}" at ${host} was made by an early version 0`);
  expect(failure).toContain('of the last version 0 first');
  expect(failure).not.toContain(password);
  expect(
    await sql`select tablename from pg_tables where schemaname in ('public', 'graphile_worker')`,
  ).toEqual(before);
});

test('the migrations and the Drizzle schema describe the same tables and columns', async () => {
  const sql = postgres(inject('templateUrl'), { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  const found = await sql<{ table: string; column: string; required: boolean }[]>`
    select table_name as table, column_name as column, is_nullable = 'NO' as required
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and not exists (
      select from pg_inherits where inhrelid = format('%I', table_name)::regclass) order by 1, 2`;
  const declared = Object.values(schema)
    .filter((value) => value instanceof PgTable)
    .flatMap((table) => {
      const { name, columns } = getTableConfig(table);
      return columns.map((column) => ({ table: name, column: column.name, required: column.notNull }));
    })
    .sort((a, b) => (a.table === b.table ? compare(a.column, b.column) : compare(a.table, b.table)));
  expect([...found].map((row) => ({ ...row }))).toEqual(declared);
});

const compare = (a: string, b: string) => (a < b ? -1 : 1);

test('the only snapshot of drizzle-kit is that of the last migration, and has the schema', async () => {
  const folder = new URL('../../db/migrations/meta/', import.meta.url);
  const { tag } = JSON.parse(await readFile(new URL('_journal.json', folder), 'utf8')).entries.at(-1);
  const name = `${tag.slice(0, 4)}_snapshot.json`;
  expect((await readdir(folder)).filter((one) => one !== '_journal.json')).toEqual([name]);
  // In another process, because drizzle-kit adds methods to all arrays.
  const program = `import * as kit from 'drizzle-kit/api';
    import * as schema from '#db/schema/index.ts';
    import snapshot from './db/migrations/meta/${name}' with { type: 'json' };
    console.log(JSON.stringify(await kit.generateMigration(snapshot, kit.generateDrizzleJson(schema))));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: new URL('../../', import.meta.url),
  });
  expect(stdout).toBe('[]\n');
});
