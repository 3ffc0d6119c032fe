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

/** An empty database that is being filled, in one transaction. */
export interface Target {
  /** Whether the database has this table; a copy may have others', which somebody keeps beside ours. */
  has(table: Table): boolean;
  /**
   * Adds rows in the text format of COPY. Call it once for each table.
   * @returns how many
   */
  copyIn(table: Table, rows: AsyncIterable<Uint8Array>): Promise<number>;
  setSequences(values: readonly SequenceValue[]): Promise<void>;
}

/** The database cannot be filled with this copy: in one sentence. Nothing was changed. */
export class CannotLoadError extends Error {
  override name = 'CannotLoadError';
}

/**
 * Fills an empty database: makes the schema of `version`, and lets `fill` add the rows. All of it becomes visible at once, or nothing does.
 * The caller migrates to the newest schema afterwards.
 * @param stop ends it at once, with nothing loaded
 * @throws CannotLoadError if the database is not empty, or the version is a later one than this service knows
 */
export async function loadDatabase(
  url: string,
  version: SchemaVersion,
  fill: (target: Target) => Promise<void>,
  stop?: AbortSignal,
): Promise<void> {
  refuseLaterSchema(version);
  const sql = openCopyConnection(url, 'lingualoop restore');
  const loading = loadOn(sql, url, version, fill, stop);
  try {
    await untilStopped(sql, stop, loading);
  } finally {
    await sql.end({ timeout: 1 });
    // It takes back what it has made.
    await loading.catch(() => {});
  }
}

async function loadOn(
  sql: postgres.Sql,
  url: string,
  version: SchemaVersion,
  fill: (target: Target) => Promise<void>,
  stop: AbortSignal | undefined,
): Promise<void> {
  await refuseUnboundRole(sql);
  // A service that starts now waits with its migrations, and finds everything there.
  await acquireMigrationLock(sql, stop);
  await refuseUsedDatabase(sql);
  await installJobQueue(url);
  try {
    await sql.begin(async (tx) => {
      await tx`select set_config('lingualoop.tenant_id', '*', true)`;
      await createSchema(tx, version);
      await refuseOtherQueue(tx, version);
      await loadInto(tx, fill);
      stop?.throwIfAborted();
    });
  } catch (error) {
    await dropJobQueue(url).catch(() => {});
    throw error;
  }
  await sql`analyze`;
}

/** graphile-worker's schema was made outside of the transaction. On a connection of its own, as the other one may have ended. */
async function dropJobQueue(url: string): Promise<void> {
  const sql = openCopyConnection(url, 'lingualoop restore');
  try {
    await sql.unsafe('drop schema if exists graphile_worker cascade');
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
      `the table ${table.schema}.${table.name} has no column "${unknown}" here: the copy was made by another version of this service`,
    );
  const into = await tx.unsafe(`copy ${qualified(table)} (${columnsOf(table)}) from stdin`).writable();
  await pipeline(Readable.from(rows, { objectMode: false }), into);
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
    'the copy was made by a later version of this service, whose tables this version does not know; use that version',
  );
}

async function refuseOtherQueue(tx: postgres.TransactionSql, { jobQueue }: SchemaVersion): Promise<void> {
  const here = (await readSchemaVersion(tx))?.jobQueue ?? 0;
  if (here < jobQueue)
    throw new CannotLoadError(
      `the copy was made with a later version of graphile-worker (migration ${jobQueue}, here ${here}); use the version of this service that made it`,
    );
}

/** As Drizzle's migrator does it, which opens a transaction of its own. */
async function createSchema(tx: postgres.TransactionSql, { migration }: SchemaVersion): Promise<void> {
  await tx.unsafe(`create schema if not exists drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`);
  for (const { sql, hash, folderMillis } of migrationsUpTo(migration)) {
    for (const statement of sql) await tx.unsafe(statement);
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;
  }
}

/** An interrupted load leaves an empty job queue at most. */
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
  if (job) throw notEmpty('its job queue has jobs');
  await sql.unsafe('drop schema graphile_worker cascade');
}

function notEmpty(what: string): CannotLoadError {
  return new CannotLoadError(
    `the database is not empty (${what}), and nothing in it is overwritten; begin with a new one`,
  );
}
