import { applyMigration, createJournal, readMigrations } from '../apply-migrations.ts';
import { acquireMigrationLock, installJobQueue, migrationsFolder, refuseUnboundRole } from '../migrate.ts';
import { advance, afterStall, untilStalled } from '../progress.ts';
import type { Session } from '../session.ts';
import {
  columnsOf,
  listTables,
  openCopySession,
  ownSchemas,
  qualified,
  quoted,
  readSchemaVersion,
  type SchemaVersion,
  type SequenceValue,
  type Table,
} from './contents.ts';
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
  refuseOtherSchema(load.version);
  const session = await openCopySession(url, 'lingualoop restore');
  const state: State = { hasBegun: false, transaction: undefined };
  const loading = loadOn(session, url, load, state);
  try {
    await untilStalled(loading, load.stop, () => session.destroy());
  } catch (error) {
    session.destroy();
    await afterStall(error, async () => {
      await loading.catch(() => {});
      if (!state.hasBegun || !(await settle(url, state.transaction, (fresh) => undoLoad(fresh, load))))
        throw error;
    });
  } finally {
    await session.end();
  }
}

/** The progress of a load. */
interface State {
  /** True after the database was found empty: from then on, objects may have been created in it. */
  hasBegun: boolean;
  /** The id of the loading transaction, once it has begun. */
  transaction: string | undefined;
}

async function loadOn(session: Session, url: string, load: Load, state: State): Promise<void> {
  const { version, fill, stop } = load;
  await refuseUnboundRole(session);
  // Hold the lock until the end: a service that starts during the load waits for it, and then finds a complete
  // database.
  await acquireMigrationLock(session, stop);
  await refuseUsedDatabase(session);
  state.hasBegun = true;
  await installJobQueue(url);
  await session.transaction(async () => {
    state.transaction = await transactionId(session);
    await session.query(`select set_config('lingualoop.tenant_id', '*', true)`);
    await createSchema(session, version);
    await refuseOtherQueue(session, version);
    await loadInto(session, fill);
    stop?.throwIfAborted();
  });
}

/** Undoes what was done outside the transaction: graphile-worker's schema, and the work of `fill`. */
async function undoLoad(session: Session, { undo }: Load): Promise<void> {
  await session.query('drop schema if exists graphile_worker cascade');
  await undo?.();
}

/** Collects PostgreSQL's statistics. Until they exist, queries of a loaded database are slow. */
export async function analyze(url: string, stop?: AbortSignal): Promise<void> {
  const session = await openCopySession(url, 'lingualoop restore');
  try {
    await untilStalled(session.query('analyze'), stop, () => session.destroy());
  } finally {
    await session.end();
  }
}

async function loadInto(session: Session, fill: (target: Target) => Promise<void>): Promise<void> {
  const tables = new Map((await listTables(session)).map((table) => [qualified(table), table]));
  const restore = await dropForLoading(session);
  await fill({
    has: (table) => tables.has(qualified(table)),
    copyIn: (table, rows) => copyIn(session, tables, table, rows),
    async setSequences(values) {
      for (const { name, value, isCalled } of values)
        await session.query(
          'select setval(to_regclass($1), $2::bigint, $3) where to_regclass($1) is not null',
          [name, value, isCalled],
        );
    },
  });
  await restore();
}

async function copyIn(
  session: Session,
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
  const name = qualified(table);
  return session.copyIn(`copy ${name} (${columnsOf(table)}) from stdin`, noting(name, rows));
}

async function* noting(name: string, rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of rows) {
    advance(`adding the rows of ${name}`, piece.length);
    yield piece;
  }
}

function migrationsUpTo(newest: number) {
  return readMigrations(migrationsFolder).filter(({ folderMillis }) => folderMillis <= newest);
}

function refuseOtherSchema({ migration }: SchemaVersion): void {
  const newest = migrationsUpTo(migration).at(-1)?.folderMillis;
  if (newest === migration) return;
  throw new CannotLoadError(
    newest === undefined
      ? 'the copy is from an early version 0 of the service; restore it with the last version 0, and copy it again'
      : 'the copy is from a later version of the service, which has other tables; load it with that version',
  );
}

async function refuseOtherQueue(session: Session, { jobQueue }: SchemaVersion): Promise<void> {
  const here = (await readSchemaVersion(session))?.jobQueue ?? 0;
  if (here < jobQueue)
    throw new CannotLoadError(
      `the copy has the job queue of a later graphile-worker (migration ${jobQueue}; this version has ${here}); load it with the version of the service that created it`,
    );
}

/** Applies the migrations up to this version. */
async function createSchema(session: Session, { migration }: SchemaVersion): Promise<void> {
  await createJournal(session);
  for (const one of migrationsUpTo(migration)) await applyMigration(session, one);
}

/** Rejects a database that is not empty. Only an empty job queue is allowed, which an interrupted load may leave. */
async function refuseUsedDatabase(session: Session): Promise<void> {
  const [found] = await session.query<{ name: string }>(`
    select format('%s.%s', nspname, relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where nspname not in ('pg_catalog', 'information_schema', 'graphile_worker') and nspname !~ '^pg_(toast|temp)'
      and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and not exists (select from pg_depend where objid = c.oid and deptype = 'e' and classid = 'pg_class'::regclass)
    order by relkind <> 'r', 1 limit 1`);
  if (found) throw notEmpty(`it has ${found.name}`);
  const [queue] = await session.query(`select to_regclass('graphile_worker.jobs') is not null as exists`);
  if (!queue?.['exists']) return;
  const [job] = await session.query('select from graphile_worker.jobs limit 1');
  if (job) throw notEmpty('jobs are queued');
  await session.query('drop schema graphile_worker cascade');
}

function notEmpty(what: string): CannotLoadError {
  return new CannotLoadError(`the database is not empty (${what}) and would be overwritten; use a new one`);
}

const schemas = ownSchemas.map((name) => `'${name}'`).join(', ');

/**
 * Removes what prevents loading rows table by table, or makes it slow: foreign keys, indexes that no constraint
 * needs, triggers, and row-level security for the tables' owner.
 * @returns a function that restores all of this; foreign keys are checked then
 */
async function dropForLoading(session: Session): Promise<() => Promise<void>> {
  const constraints = await statements(
    session,
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
       format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as restore
     from pg_constraint
     where contype = 'f' and connamespace in (select oid from pg_namespace where nspname in (${schemas})) order by 1`,
  );
  const indexes = await statements(
    session,
    `select format('drop index %s', indexrelid::regclass) as drop, pg_get_indexdef(indexrelid) as restore
     from pg_index join pg_class c on c.oid = indrelid join pg_namespace n on n.oid = relnamespace
     where nspname in (${schemas}) and not exists (select from pg_constraint where conindid = indexrelid) order by 1`,
  );
  const tables = await session.query<{ schema: string; name: string; forced: boolean }>(
    `select nspname as schema, relname as name, relforcerowsecurity as forced
     from pg_class c join pg_namespace n on n.oid = relnamespace where nspname in (${schemas}) and relkind = 'r'
     and not exists (select from pg_depend where objid = c.oid and deptype = 'e' and classid = 'pg_class'::regclass)`,
  );
  const alter = (isBefore: boolean) =>
    tables.flatMap(({ schema, name, forced }) => {
      const table = `${quoted(schema)}.${quoted(name)}`;
      return [
        `alter table ${table} ${isBefore ? 'disable' : 'enable'} trigger user`,
        ...(forced ? [`alter table ${table} ${isBefore ? 'no force' : 'force'} row level security`] : []),
      ];
    });
  const run = async (all: readonly string[]) => {
    for (const statement of all) await session.query(statement);
  };
  await run([...constraints.map(({ drop }) => drop), ...indexes.map(({ drop }) => drop), ...alter(true)]);
  return async () => {
    await run(indexes.map(({ restore }) => restore));
    // Before `alter`: a foreign key is checked by queries, which see the rows of all tenants only while the policies
    // do not apply.
    await run(constraints.map(({ restore }) => restore));
    await run(alter(false));
  };
}

interface DropAndRestore {
  drop: string;
  restore: string;
}

function statements(session: Session, query: string): Promise<DropAndRestore[]> {
  return session.query<DropAndRestore>(query);
}
