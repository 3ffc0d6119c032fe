import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '#db/client.ts';
import { migrate } from '#db/migrate.ts';
import { createTestDatabase, openSuperuser, type TestDatabase } from '#test/setup/database.ts';

/** A clone of the migrated template, as the service sees it. */
async function open(options: { empty?: boolean } = {}) {
  const database = await createTestDatabase(options);
  onTestFinished(() => database.drop());
  return database;
}

function connect({ url }: TestDatabase): Database {
  const database = openDatabase(url, { size: 2 });
  onTestFinished(() => database.close());
  return database;
}

/** Statements of an attacker who can run any SQL in a connection of the service. */
const attacks = [
  'alter table translation_jobs disable row level security',
  'alter table translation_jobs no force row level security',
  'alter table tenants add column x text',
  'drop policy tenant_scope on translation_jobs',
  'alter policy tenant_scope on translation_jobs using (true)',
  'create policy mine on translation_jobs using (true)',
  'drop table audit_log',
  'truncate audit_log',
  'create table mine (a text)',
  'create temporary table tenants (tenant_id text)',
  'create schema mine',
  "create function mine() returns text language sql as $$ select 'x' $$",
  'create extension pg_trgm',
  'create or replace function graphile_worker.complete_job(text, text) returns void language sql security definer as $$ select $$',
  'create trigger mine after insert on tenants execute function tsvector_update_trigger()',
  'create view mine as select * from tenants',
  'create role mine superuser',
  'alter role current_user superuser',
  'alter role current_user bypassrls',
  'set role postgres',
  'set role lingualoop',
  'set session authorization lingualoop',
  'reset role; set role pg_read_all_data',
  'grant lingualoop to current_user',
  "copy tenants to program 'id'",
  "copy tenants from program 'id'",
  "copy tenants to '/tmp/stolen'",
  'select rolpassword from pg_authid',
  'select passwd from pg_shadow',
  "select pg_read_file('/etc/passwd')",
  "select lo_import('/etc/passwd')",
  "select set_config('session_replication_role', 'replica', false)",
  'alter system set log_statement = none',
  'alter database template_lingualoop owner to current_user',
  'delete from drizzle.__drizzle_migrations',
  'delete from graphile_worker.migrations',
  "set row_security = off; select * from tenants where current_setting('row_security') = 'off'",
];

/** Codes of PostgreSQL: rights are missing; a statement cannot run in a transaction, and is tried without one below. */
const refused = /^(42501|0LP01|28000|25001)$/;

describe('the role of the service owns nothing', () => {
  test.each(attacks)('a connection of a request cannot: %s', async (statement) => {
    const database = await open();
    const client = connect(database);
    for (const scope of ['tenant', 'platform'] as const) {
      const run = (work: Parameters<typeof client.inPlatform>[0]) =>
        scope === 'tenant' ? client.inTenant('a', work) : client.inPlatform(work);
      const error = await run((tx) => tx.execute(sql.raw(statement))).then(
        () => undefined,
        (failure: unknown) => failure,
      );
      // Several statements in one are refused by the protocol; a plain connection sends them below.
      const cause = (error as { cause?: unknown })?.cause ?? error;
      if ((cause as { code?: string })?.code !== '42601')
        expect([statement, (cause as { code?: string })?.code]).toEqual([
          statement,
          expect.stringMatching(refused),
        ]);
    }
    const plain = postgres(database.url, { max: 1, onnotice: () => {} });
    await expect(plain.unsafe(statement).simple()).rejects.toMatchObject({
      code: expect.stringMatching(/^(42501|0LP01|28000|25006)$/),
    });
    await plain.end();
  });

  test('no table, function, schema or database belongs to it, and it is a member of no role', async () => {
    const database = await open();
    const role = new URL(database.url).username;
    const superuser = openSuperuser(database.superuserUrl);
    expect(
      await superuser`
        select relname as name from pg_class where relowner = ${role}::regrole
        union all select proname from pg_proc where proowner = ${role}::regrole
        union all select nspname from pg_namespace where nspowner = ${role}::regrole
        union all select datname from pg_database where datdba = ${role}::regrole
        union all select roleid::regrole::text from pg_auth_members where member = ${role}::regrole`,
    ).toEqual([]);
    const [self] = await superuser`select * from pg_roles where rolname = ${role}`;
    expect(self).toMatchObject({
      rolsuper: false,
      rolbypassrls: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
    });
  });

  test('it has the rights on every table, and a partition is only reached through its table', async () => {
    const database = await open();
    const owner = postgres(database.ownerUrl, { max: 1, onnotice: () => {} });
    onTestFinished(() => owner.end());
    await owner`create table mine (tenant_id text collate "C" not null) partition by hash (tenant_id)`;
    await owner`create table mine_0 partition of mine for values with (modulus 1, remainder 0)`;
    const service = new URL(database.url).username;
    await migrate(database.ownerUrl, { service });
    const rights = await owner`
      select relname as name, has_table_privilege(${service}, c.oid, 'select, insert, update, delete') as may
      from pg_class c where relname in ('mine', 'mine_0', 'translation_jobs') order by 1`;
    expect(rights.map(({ name, may }) => [name, may])).toEqual([
      ['mine', true],
      ['mine_0', false],
      ['translation_jobs', true],
    ]);
    const missing = await owner`
      select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname in ('public', 'graphile_worker') and relkind in ('r', 'p', 'v') and not relispartition
        and not has_table_privilege(${service}, c.oid, 'select')`;
    expect(missing).toEqual([]);
  });
});

test('a migration that was killed before its grants is noticed at the start, and continued', async () => {
  const database = await open();
  const owner = postgres(database.ownerUrl, { max: 1, onnotice: () => {} });
  onTestFinished(() => owner.end());
  const service = new URL(database.url).username;
  await migrate(database.url);
  await owner.unsafe(`revoke insert on audit_log from ${service}`);
  await expect(migrate(database.url)).rejects.toThrow(
    /lacks rights .*npm run migrate.*DATABASE_MIGRATION_URL/,
  );
  await migrate(database.ownerUrl, { service });
  await migrate(database.url);
});

test('views of extensions and tables of operators, on which the owner has no rights, keep nothing from starting', async () => {
  const database = await open();
  const superuser = openSuperuser(database.superuserUrl);
  await superuser`create view statements as select 1 as calls`;
  await superuser`grant select on statements to public`;
  await superuser`create table operators (name text)`;
  await migrate(database.ownerUrl, { service: new URL(database.url).username });
  await migrate(database.url);
});

test('a database of PostgreSQL 14, where every role may create tables, no longer lets it', async () => {
  const database = await open();
  const superuser = openSuperuser(database.superuserUrl);
  await superuser`grant create on schema public to public`;
  const client = connect(database);
  await client.inPlatform((tx) => tx.execute(sql`create table mine (a text)`));
  await migrate(database.ownerUrl, { service: new URL(database.url).username });
  await expect(client.inPlatform((tx) => tx.execute(sql`create table yours (a text)`))).rejects.toMatchObject(
    {
      cause: { code: '42501' },
    },
  );
});

describe('a deployment changes from one role to two', () => {
  test('as docs/upgrading.md has it: another role takes the tables over, and the service keeps its rows', async () => {
    const [database, template] = [await open({ empty: true }), await open()];
    const { username: service, password } = new URL(template.url);
    const owner = new URL(database.ownerUrl).username;
    const name = new URL(database.ownerUrl).pathname.slice(1);
    const asService = new URL(database.ownerUrl);
    Object.assign(asService, { username: service, password });
    const superuser = openSuperuser(database.superuserUrl);
    await expect(migrate(asService.href)).rejects.toThrow(/lacks \d+ migrations.*DATABASE_MIGRATION_URL/);

    // One role owns the tables and runs the service.
    await superuser.unsafe(`alter database ${name} owner to ${service}`);
    await migrate(asService.href);
    const client = connect({ ...database, url: asService.href });
    const queue = () =>
      client.inPlatform((tx) => tx.execute(sql`select graphile_worker.add_job('prune_expired')`));
    const jobs = () =>
      client.inPlatform((tx) =>
        tx.execute(sql`select count(*)::int as jobs from graphile_worker._private_jobs`),
      );
    await queue();
    await superuser.unsafe(`reassign owned by ${service} to ${owner}`);
    await expect(queue()).rejects.toThrow();
    await expect(migrate(asService.href)).rejects.toThrow(/lacks \d+ migrations/);

    // Any number of processes may migrate at once.
    await Promise.all(Array.from({ length: 5 }, () => migrate(database.ownerUrl, { service })));
    await migrate(asService.href);
    await queue();
    expect(await jobs()).toEqual([{ jobs: 2 }]);
    await expect(
      client.inPlatform((tx) => tx.execute(sql`alter table tenants disable row level security`)),
    ).rejects.toThrow();
  });

  test.each([
    ['superuser', 'postgres', /must be neither superuser/],
    ['a role that does not exist', 'nobody_at_all', /does not exist/],
  ])('%s is rejected as the role of the service', async (_what, service, message) => {
    const database = await open();
    await expect(migrate(database.ownerUrl, { service })).rejects.toThrow(message);
  });

  test('a member of the owner is rejected as the role of the service', async () => {
    const database = await open();
    const superuser = openSuperuser(database.superuserUrl);
    const owner = new URL(database.ownerUrl).username;
    await superuser.unsafe(`create role a_member login in role "${owner}"`);
    onTestFinished(async () => {
      await openSuperuser(database.superuserUrl).unsafe('drop role a_member');
    });
    await expect(migrate(database.ownerUrl, { service: 'a_member' })).rejects.toThrow(/is a member of/);
  });
});
