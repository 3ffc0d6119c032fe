import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core';
import postgres from 'postgres';
import { expect, inject, onTestFinished, test } from 'vitest';
import { installJobQueue, migrate } from '#db/migrate.ts';
import * as schema from '#db/schema/index.ts';
import { createTestDatabase, type TestDatabase } from '#test/setup/database.ts';

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  return database;
}

/** The complete schema as text, for comparing two databases. It includes the schema of graphile-worker. */
async function dump(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const rows = await sql<{ line: string }[]>`
      with own as (select oid, nspname from pg_namespace
        where nspname !~ '^pg_' and nspname <> 'information_schema')
      select 'column ' || nspname || '.' || c.relname || '.' || a.attname || ' ' || a.attnum || ' ' ||
        format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || ' ' || a.attcollation::regcollation || ' ' ||
        coalesce(pg_get_expr(d.adbin, d.adrelid), '') as line
      from pg_attribute a join pg_class c on c.oid = a.attrelid join own on own.oid = c.relnamespace
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where a.attnum > 0 and not a.attisdropped
      union all select 'index ' || pg_get_indexdef(i.indexrelid) from pg_index i
        join pg_class c on c.oid = i.indexrelid join own on own.oid = c.relnamespace
      union all select 'constraint ' || o.conname || ' ' || pg_get_constraintdef(o.oid) from pg_constraint o
        join own on own.oid = o.connamespace
      union all select 'policy ' || p.polrelid::regclass || ' ' || p.polname || ' ' ||
        pg_get_expr(p.polqual, p.polrelid) from pg_policy p
      union all select 'function ' || nspname || ' ' || pg_get_functiondef(f.oid) from pg_proc f
        join own on own.oid = f.pronamespace and f.prokind = 'f'
        where not exists (select from pg_depend e where e.objid = f.oid and e.deptype = 'e')
      union all select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t
        join pg_class c on c.oid = t.tgrelid join own on own.oid = c.relnamespace where not t.tgisinternal
      union all select 'view ' || pg_get_viewdef(c.oid) from pg_class c
        join own on own.oid = c.relnamespace where c.relkind = 'v'
        and not exists (select from pg_depend e where e.objid = c.oid and e.deptype = 'e')
      union all select 'migration ' || hash from drizzle.__drizzle_migrations
      union all select 'worker migration ' || id from graphile_worker.migrations
      order by 1`;
    return rows.map(({ line }) => line);
  } finally {
    await sql.end();
  }
}

test('the installation of the job queue leaves no connection open: PostgreSQL may be stopped next', async () => {
  const { url } = await emptyDatabase();
  const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const before = sockets();
  await installJobQueue(url);
  expect(sockets()).toBeLessThanOrEqual(before);
});

test('40 parallel migrations of one empty database leave what one run leaves', async () => {
  const alone = await emptyDatabase();
  await migrate(alone.url);
  const expected = await dump(alone.superuserUrl);
  expect(expected.length).toBeGreaterThan(100);

  const shared = await emptyDatabase();
  await Promise.all(Array.from({ length: 40 }, () => migrate(shared.url)));
  expect(await dump(shared.superuserUrl)).toEqual(expected);
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
  expect(failure).toContain(
    `the database "${pathname.slice(1)}" at ${host} was made by a version from before`,
  );
  expect(failure).toContain('begin with an empty database');
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
