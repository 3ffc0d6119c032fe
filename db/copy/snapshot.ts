import type postgres from 'postgres';
import { migrationLock } from '../migrate.ts';
import {
  columnsOf,
  listTables,
  openCopyConnection,
  qualified,
  readSchemaVersion,
  readSequences,
  type SchemaVersion,
  type SequenceValue,
  type Table,
  untilStopped,
} from './contents.ts';

/** All rows of a database at one moment, even if other sessions write at the same time. */
export interface Snapshot {
  version: SchemaVersion;
  tables: Table[];
  /** When the snapshot was taken, by the database's clock. */
  takenAt: Date;
  /** Returns the rows in the text format of COPY, with one line per row. A piece may end in the middle of a line. */
  copyOut(table: Table): Promise<AsyncIterable<Buffer>>;
  sequences(): Promise<SequenceValue[]>;
  /** Runs a query over the rows of all tenants, and returns the results in pages of `size` rows. */
  pages<Row extends postgres.MaybeRow>(query: string, size: number): AsyncIterable<Row[]>;
}

/** Thrown if the database has none of the service's tables. */
export class NoSchemaError extends Error {
  override name = 'NoSchemaError';
}

/**
 * Runs `work` with a snapshot: in one read-only transaction, which sees the database at one moment and does not block
 * writers. While the transaction runs, PostgreSQL cannot remove dead rows, and migrations wait.
 * @param stop ends the transaction immediately
 * @throws NoSchemaError if the database has none of our tables
 */
export async function withSnapshot<T>(
  url: string,
  applicationName: string,
  work: (snapshot: Snapshot) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const sql = openCopyConnection(url, applicationName);
  let failure: unknown;
  const noting = (snapshot: Snapshot) =>
    work(snapshot).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  const reading = async () => {
    // Prevent a migration between the start of the snapshot and the locks of its tables: a table that the migration
    // rewrites would look empty to the snapshot.
    await sql`select pg_advisory_lock_shared(${migrationLock})`;
    return (await sql.begin('isolation level repeatable read read only', (tx) => read(tx, noting))) as T;
  };
  try {
    return await untilStopped(sql, stop, reading());
  } catch (error) {
    // End the connection instead of rolling back: during a COPY a rollback fails, and its error would hide the first
    // one.
    await sql.end({ timeout: 0 });
    throw failure ?? error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function read<T>(tx: postgres.TransactionSql, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  // Set the scope of the platform, because row-level security also applies to the owner of the tables.
  await tx`select set_config('lingualoop.tenant_id', '*', true)`;
  const version = await readSchemaVersion(tx);
  if (!version) throw new NoSchemaError('the database has no tables of this service');
  const tables = await listTables(tx);
  for (const table of tables) await tx.unsafe(`lock table ${qualified(table)} in access share mode`);
  await tx`select pg_advisory_unlock_shared(${migrationLock})`;
  const [clock] = await tx<{ now: string }[]>`select now()::text as now`;
  return work({
    version,
    tables,
    takenAt: new Date(clock?.now ?? ''),
    copyOut: (table) => tx.unsafe(copyOutStatement(table)).readable(),
    sequences: () => readSequences(tx),
    pages: (query, size) => tx.unsafe(query).cursor(size) as never,
  });
}

/** Returns a COPY of a query. COPY of a table with a policy would be executed as a query, too. */
function copyOutStatement(table: Table): string {
  return `copy (select ${columnsOf(table)} from ${qualified(table)}) to stdout`;
}
