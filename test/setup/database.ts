import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';

export interface TestDatabase {
  /** The URL with the service's role, which owns nothing; of an empty database, the owner's. */
  url: string;
  /** The URL with the role that owns the database and its tables. */
  ownerUrl: string;
  /** The URL with the superuser, who can read all rows, because row-level policies do not apply to superusers. */
  superuserUrl: string;
  drop(): Promise<void>;
}

/** Creates a database: a clone of the migrated template, or an empty database. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const template = new URL(inject('templateUrl'));
  const owner = new URL(inject('ownerUrl'));
  const name = `test_${randomBytes(6).toString('hex')}`;
  // `file_copy` copies the template's files. Without fsync, this takes a fifth of the time of the default strategy,
  // which copies the pages through the write-ahead log.
  const source = options.empty ? '' : 'template template_lingualoop strategy file_copy';
  await asSuperuser(async (sql) => {
    await sql.unsafe(`create database ${name} ${source} owner "${owner.username}"`);
    // A clone has the tables and their rights, but not those of the database.
    if (!options.empty) await sql.unsafe(`revoke create, temporary on database ${name} from public`);
  });
  const superuser = new URL(inject('superuserUrl'));
  template.pathname = `/${name}`;
  owner.pathname = `/${name}`;
  superuser.pathname = `/${name}`;
  return {
    // In an empty database, the service has no rights before the owner migrates it.
    url: options.empty ? owner.href : template.href,
    ownerUrl: owner.href,
    superuserUrl: superuser.href,
    drop: () => asSuperuser((sql) => sql.unsafe(`drop database ${name} with (force)`)),
  };
}

async function asSuperuser(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(inject('superuserUrl'), { max: 1, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}

/** The databases that the test files of this process use one after another, and their superuser's connections. */
const shared: { database: TestDatabase; superuser: postgres.Sql; isUsed: boolean }[] = [];

/**
 * Returns a database with the rows of a new installation. `drop` removes all others, so that the next test file can use
 * it; if tests have changed its tables, functions or triggers, it drops the database.
 */
export async function borrowDatabase(): Promise<TestDatabase> {
  const free = shared.find(({ isUsed }) => !isUsed) ?? (await openShared());
  free.isUsed = true;
  const drop = async () => {
    const [change] = await free.superuser.unsafe(`${definitions} except table kept.definitions`);
    if (change) {
      shared.splice(shared.indexOf(free), 1);
      await free.superuser.end();
      return free.database.drop();
    }
    await free.superuser.begin((tx) => tx.unsafe(removeRows));
    free.isUsed = false;
  };
  return { ...free.database, drop };
}

async function openShared() {
  const database = await createTestDatabase();
  const superuser = postgres(database.superuserUrl, { max: 10, onnotice: () => {} });
  await superuser.unsafe(keepRows);
  const opened = { database, superuser, isUsed: true };
  shared.push(opened);
  return opened;
}

/** The tables of the service, of its queue and of its migrations. */
const tables = `select n.nspname as schema, c.relname as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname in ('public', 'graphile_worker', 'drizzle')`;

/** The definitions of the database, as one value. */
const definitions = `select md5(string_agg(one, ',' order by one)) from (
  select concat(oid, relname) from pg_class where relnamespace <> 'pg_toast'::regnamespace and relnamespace not in
    (select oid from pg_namespace where nspname in ('kept', 'pg_catalog') or nspname like 'pg%temp%')
  union all select concat(attrelid, attname, attnotnull, atthasdef) from pg_attribute where attrelid in
    (select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace)
  union all select concat(oid, prosrc) from pg_proc where pronamespace = 'public'::regnamespace
  union all select concat(oid, tgname, tgenabled) from pg_trigger
  union all select concat(oid, pg_get_constraintdef(oid)) from pg_constraint) as all_of_them(one)`;

/** Copies the rows of a new installation into the schema `kept`. */
const keepRows = `create schema kept;
do $$ declare t record; found boolean; begin
  for t in ${tables} loop
    execute format('select exists (select from %I.%I)', t.schema, t.name) into found;
    if found then execute format('create table kept.%I as table %I.%I', t.name, t.schema, t.name); end if;
  end loop;
end $$;
create table kept.definitions as ${definitions}`;

/** Without triggers and foreign keys, so that tables can be emptied in any order. */
const removeRows = `set local session_replication_role = replica; set local lock_timeout = '20s';
do $$ declare t record; found boolean; begin
  for t in ${tables} loop
    execute format('select exists (select from %I.%I)', t.schema, t.name) into found;
    if found then execute format('delete from %I.%I', t.schema, t.name); end if;
    if to_regclass(format('kept.%I', t.name)) is not null then
      execute format('insert into %I.%I overriding system value table kept.%I', t.schema, t.name, t.name);
    end if;
  end loop;
end $$`;

/**
 * Returns the superuser's connections to `url`, for statements and transactions. To open one takes longer than most
 * statements, so those to a borrowed database stay open. Others are closed after the current test.
 */
export function openSuperuser(url: string): postgres.Sql {
  return shared.find(({ database }) => database.superuserUrl === url)?.superuser ?? openSession(url);
}

/** Opens a session of the superuser, such as for a lock that outlives a transaction. It ends after the current test. */
export function openSession(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => sql.end());
  return sql;
}
