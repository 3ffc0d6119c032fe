import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { acquireMigrationLock, installJobQueue, migrationsFolder, refuseUnboundRole } from '../migrate.ts';
import {
  columnsOf,
  listTables,
  openCopyConnection,
  qualified,
  readSchemaVersion,
  type SchemaVersion,
  type SequenceValue,
  type Table,
  untilStopped,
} from './contents.ts';
import { dropForLoading } from './load-order.ts';
import { settle, transactionId } from './outcome.ts';

/** An empty database to fill, in one transaction. */
export interface Target {
  /**
   * Whether this database has the table. A copy may contain other tables, which an operator keeps in the service's
   * schemas.
   */
  has(table: Table): boolean;
  /**
   * Adds rows in the text format of COPY. Call it once for each table.
   * @returns the number of rows
   */
  copyIn(table: Table, rows: AsyncIterable<Uint8Array>): Promise<number>;
  setSequences(values: readonly SequenceValue[]): Promise<void>;
}

/**
 * Thrown if the database cannot be filled with this copy. The message gives the reason in one sentence. Nothing was
 * changed.
 */
export class CannotLoadError extends Error {
  override name = 'CannotLoadError';
}

/** The steps that fill a database, and the schema version that they need. */
export interface Load {
  version: SchemaVersion;
  /** Adds the rows. */
  fill(target: Target): Promise<void>;
  /** Undoes the work that `fill` has done outside the database. Called only if the transaction was not committed. */
  undo?(): Promise<void>;
  /** Stops the load immediately. After the COMMIT it has no effect. */
  stop?: AbortSignal;
}

/**
 * Fills an empty database: creates the schema of `version`, and lets `fill` add the rows. All of this is one
 * transaction: the promise resolves if and only if the transaction was committed, even if the connection is lost
 * during the COMMIT. Afterwards the caller runs `analyze` and migrates to the latest schema.
 * @throws CannotLoadError if the database is not empty, or `version` is later than the service's own
 * @throws InDoubtError if the connection was lost and PostgreSQL does not report the result
 */
export async function loadDatabase(url: string, load: Load): Promise<void> {
  refuseLaterSchema(load.version);
  const sql = openCopyConnection(url, 'lingualoop restore');
  const state: State = { hasBegun: false, transaction: undefined };
  const loading = loadOn(sql, url, load, state);
  try {
    await untilStopped(sql, load.stop, loading);
  } catch (error) {
    await sql.end({ timeout: 1 });
    await loading.catch(() => {});
    if (!state.hasBegun || !(await settle(url, state.transaction, (fresh) => undoLoad(fresh, load))))
      throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The progress of a load. */
interface State {
  /** True after the database was found empty: from then on, objects may have been created in it. */
  hasBegun: boolean;
  /** The id of the loading transaction, once it has begun. */
  transaction: string | undefined;
}

async function loadOn(sql: postgres.Sql, url: string, load: Load, state: State): Promise<void> {
  const { version, fill, stop } = load;
  await refuseUnboundRole(sql);
  // Hold the lock until the end: a service that starts during the load waits for it, and then finds a complete
  // database.
  await acquireMigrationLock(sql, stop);
  await refuseUsedDatabase(sql);
  state.hasBegun = true;
  await installJobQueue(url);
  await sql.begin(async (tx) => {
    state.transaction = await transactionId(tx);
    await tx`select set_config('lingualoop.tenant_id', '*', true)`;
    await createSchema(tx, version);
    await refuseOtherQueue(tx, version);
    await loadInto(tx, fill);
    stop?.throwIfAborted();
  });
}

/** Undoes what was done outside the transaction: graphile-worker's schema, and the work of `fill`. */
async function undoLoad(sql: postgres.Sql, { undo }: Load): Promise<void> {
  await sql.unsafe('drop schema if exists graphile_worker cascade');
  await undo?.();
}

/** Collects PostgreSQL's statistics. Until they exist, queries of a loaded database are slow. */
export async function analyze(url: string, stop?: AbortSignal): Promise<void> {
  const sql = openCopyConnection(url, 'lingualoop restore');
  try {
    await untilStopped(sql, stop, sql`analyze`);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function loadInto(tx: postgres.TransactionSql, fill: (target: Target) => Promise<void>): Promise<void> {
  const tables = new Map((await listTables(tx)).map((table) => [qualified(table), table]));
  const restore = await dropForLoading(tx);
  await fill({
    has: (table) => tables.has(qualified(table)),
    copyIn: (table, rows) => copyIn(tx, tables, table, rows),
    async setSequences(values) {
      for (const { name, value, isCalled } of values)
        await tx`select setval(to_regclass(${name}), ${value}::bigint, ${isCalled}) where to_regclass(${name}) is not null`;
    },
  });
  await restore();
}

async function copyIn(
  tx: postgres.TransactionSql,
  tables: ReadonlyMap<string, Table>,
  table: Table,
  rows: AsyncIterable<Uint8Array>,
): Promise<number> {
  const known = new Set(tables.get(qualified(table))?.columns);
  const unknown = table.columns.find((column) => !known.has(column));
  if (unknown !== undefined)
    throw new CannotLoadError(
      `the table ${table.schema}.${table.name} has no column "${unknown}" in this version of the service; load the copy with the version that created it`,
    );
  const copying = tx.unsafe(`copy ${qualified(table)} (${columnsOf(table)}) from stdin`);
  const into = await copying.writable();
  // The rows of a small table are checked only after all of them have arrived. The query is settled by then, so that
  // the driver reports an error neither through the query nor through the stream.
  const refused = Promise.withResolvers<never>();
  Object.assign(copying, { reject: refused.reject });
  await Promise.race([pipeline(Readable.from(rows, { objectMode: false }), into), refused.promise]);
  const [count] = await tx.unsafe<{ rows: string }[]>(
    `select count(*)::text as rows from ${qualified(table)}`,
  );
  return Number(count?.rows);
}

function migrationsUpTo(newest: number) {
  return readMigrationFiles({ migrationsFolder }).filter(({ folderMillis }) => folderMillis <= newest);
}

function refuseLaterSchema({ migration }: SchemaVersion): void {
  if (migrationsUpTo(migration).at(-1)?.folderMillis === migration) return;
  throw new CannotLoadError(
    'the copy is from a later version of the service, which has other tables; load it with that version',
  );
}

async function refuseOtherQueue(tx: postgres.TransactionSql, { jobQueue }: SchemaVersion): Promise<void> {
  const here = (await readSchemaVersion(tx))?.jobQueue ?? 0;
  if (here < jobQueue)
    throw new CannotLoadError(
      `the copy has the job queue of a later graphile-worker (migration ${jobQueue}; this version has ${here}); load it with the version of the service that created it`,
    );
}

/**
 * Applies the migrations up to this version. Does the same as Drizzle's migrator, which cannot be used because it
 * opens its own transaction.
 */
async function createSchema(tx: postgres.TransactionSql, { migration }: SchemaVersion): Promise<void> {
  await tx.unsafe(`create schema if not exists drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
  for (const { sql, hash, folderMillis } of migrationsUpTo(migration)) {
    for (const statement of sql) await tx.unsafe(statement);
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;
  }
}

/** Rejects a database that is not empty. Only an empty job queue is allowed, which an interrupted load may leave. */
async function refuseUsedDatabase(sql: postgres.Sql): Promise<void> {
  const [found] = await sql<{ name: string }[]>`
    select format('%s.%s', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where nspname not in ('pg_catalog', 'information_schema', 'graphile_worker') and nspname !~ '^pg_(toast|temp)'
      and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and not exists (select from pg_depend where objid = c.oid and deptype = 'e' and classid = 'pg_class'::regclass)
    order by relkind <> 'r', 1 limit 1`;
  if (found) throw notEmpty(`it has ${found.name}`);
  const [queue] = await sql`select to_regclass('graphile_worker._private_jobs') is not null as exists`;
  if (!queue?.['exists']) return;
  const [job] = await sql`select from graphile_worker._private_jobs limit 1`;
  if (job) throw notEmpty('jobs are queued');
  await sql.unsafe('drop schema graphile_worker cascade');
}

function notEmpty(what: string): CannotLoadError {
  return new CannotLoadError(`the database is not empty (${what}) and would be overwritten; use a new one`);
}
