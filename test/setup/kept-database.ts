import postgres from 'postgres';
import { inject } from 'vitest';
import { type Database, openDatabase } from '#db/client.ts';
import { DatabaseBusyError } from '#db/pool.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

/** A migrated database without rows of tenants, and connections to it, that one application of one test file uses. */
export interface LentDatabase extends Omit<TestDatabase, 'drop'> {
  database: Database;
  /** Resolves when no statement of the borrower runs and its rows are gone. Its statements are rejected from then on. */
  giveBack(): Promise<void>;
}

/** A database that this process keeps for its next test file. */
interface Kept extends TestDatabase {
  pool: Database;
  superuser: postgres.Sql;
  /** All tables, with their schemas. */
  tables: string[];
  /** The tables that have rows after the migrations. */
  seeded: string[];
  /** The definitions and the rows after the migrations. */
  initial: string;
}

/** The databases of this process that no test file uses now. A file with two applications uses two. */
const free: Kept[] = [];
/** The connections of one application. */
const size = 5;
/** What a definition is stored in. Statistics and vacuuming do not replace its row. */
const catalogs = [
  'pg_class',
  'pg_attribute',
  'pg_trigger',
  'pg_proc',
  'pg_policy',
  'pg_constraint',
  'pg_index',
];
/** Above this many bytes, a new database takes less time than the deletion of rows. */
const large = 8 * 2 ** 20;

/**
 * Lends a database of this process to a test file, with open connections whose sessions know the tables and statements
 * already: to create a database and to warm up its connections takes more CPU time than the statements of a usual test file.
 */
export async function borrowDatabase(): Promise<LentDatabase> {
  const kept = free.pop() ?? (await create());
  const { url, ownerUrl, superuserUrl } = kept;
  let isLent = true;
  return {
    ...{ url, ownerUrl, superuserUrl },
    database: lend(kept.pool, () => isLent),
    async giveBack() {
      isLent = false;
      if (inject('pooler') === undefined && (await isIdle(kept)) && (await empty(kept))) free.push(kept);
      else await remove(kept);
    },
  };
}

/** A view of the pool for one borrower. An object of its own, because the service keeps what it has cached by it. */
function lend(pool: Database, isLent: () => boolean): Database {
  const use = <T>(work: () => Promise<T>): Promise<T> =>
    isLent() ? work() : Promise.reject(new DatabaseBusyError('the database pool is closed'));
  return {
    inTenant: (tenantId, work) => use(() => pool.inTenant(tenantId, work)),
    readInTenant: (tenantId, work) => use(() => pool.readInTenant(tenantId, work)),
    inTenantOfCredential: (presented, work) => use(() => pool.inTenantOfCredential(presented, work)),
    inTenantOfToken: (tokenHash, work) => use(() => pool.inTenantOfToken(tokenHash, work)),
    inPlatform: (work) => use(() => pool.inPlatform(work)),
    connections: () => pool.connections(),
    close: async () => {},
  };
}

async function create(): Promise<Kept> {
  const created = await createTestDatabase();
  const pool = openDatabase(created.url, { size, pooler: inject('pooler') });
  const superuser = postgres(created.superuserUrl, { max: 1, onnotice: () => {} });
  const found = await superuser<{ name: string }[]>`
    select format('%I.%I', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and nspname not like 'pg\\_%' and nspname <> 'information_schema' order by 1`;
  const tables = found.map(({ name }) => name);
  const seeded = (await filled(superuser, tables)).names;
  return { ...created, pool, superuser, tables, seeded, initial: await describe(superuser, seeded) };
}

async function remove({ pool, superuser, drop }: Kept): Promise<void> {
  await Promise.all([pool.close(), superuser.end()]);
  await drop();
}

/** Whether all statements end soon, and only the connections of this process remain. */
async function isIdle({ pool, superuser }: Kept): Promise<boolean> {
  for (const end = Date.now() + 5000; ; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const [{ others } = { others: 0 }] = await superuser<{ others: number }[]>`
      select count(*)::int as others from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`;
    const { inUse, idle } = pool.connections();
    if (inUse === 0 && others <= idle) return true;
    if (Date.now() > end) return false;
  }
}

/** Deletes all rows that are not from the migrations. Returns false if the database must be replaced, or better is. */
async function empty({ superuser, tables, seeded, initial }: Kept): Promise<boolean> {
  const { names, bytes } = await filled(
    superuser,
    tables.filter((name) => !seeded.includes(name)),
  );
  if (bytes > large || (await describe(superuser, seeded)) !== initial) return false;
  const deletions = names.map((name) => `delete from ${name};`);
  // Without triggers and foreign keys.
  await superuser.unsafe(`set session_replication_role = replica; ${deletions.join(' ')}`);
  return true;
}

/** Those of `tables` that have rows, and their sizes together. */
async function filled(superuser: postgres.Sql, tables: readonly string[]) {
  const probes = tables.map((name) => `('${name}', exists (select from ${name}))`);
  const [found] = await superuser.unsafe<{ names: string[]; bytes: number }[]>(`
    select coalesce(array_agg(name), '{}') as names, coalesce(sum(pg_table_size(name::regclass)), 0)::float8 as bytes
    from (values ${probes.join(', ')}) as probes (name, has_rows) where has_rows`);
  return found ?? { names: [], bytes: 0 };
}

/** A text that changes with each definition, right or setting of the database, and with the rows of the migrations. */
async function describe(superuser: postgres.Sql, seeded: readonly string[]): Promise<string> {
  const rows = seeded.map((name) => `(select md5(string_agg(t::text, ' ' order by t::text)) from ${name} t)`);
  const definitions = catalogs.map(
    (name) => `(select count(*) || ' ' || max(xmin::text::bigint) from ${name})`,
  );
  const [found] = await superuser.unsafe<{ text: string }[]>(`
    select concat_ws(' ', ${[...rows, ...definitions].join(', ')},
      (select string_agg(setconfig::text, ' ' order by setrole) from pg_db_role_setting
       where setdatabase = (select oid from pg_database where datname = current_database()))) as text`);
  return found?.text ?? '';
}
