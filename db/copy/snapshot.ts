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

/** All rows of a database in one consistent snapshot, whatever is written at the same time. */
export interface Snapshot {
  version: SchemaVersion;
  tables: Table[];
  /** When it was taken, by the database's clock. */
  takenAt: Date;
  /** The rows in the text format of COPY, one line per row, in pieces that end anywhere. */
  copyOut(table: Table): Promise<AsyncIterable<Buffer>>;
  sequences(): Promise<SequenceValue[]>;
  /** Runs a query in pages of `size` rows; it sees the rows of all tenants. */
  pages<Row extends postgres.MaybeRow>(query: string, size: number): AsyncIterable<Row[]>;
}

/** The database has none of our tables. */
export class NoSchemaError extends Error {
  override name = 'NoSchemaError';
}

/**
 * Reads in one read-only transaction, which sees one moment and does not block writers. While it runs, PostgreSQL
 * keeps dead rows, and a migration waits.
 * @param stop ends it immediately
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
    // No migration may run between the snapshot and the locks of its tables: tables that it rewrites would look
    // empty.
    await sql`select pg_advisory_lock_shared(${migrationLock})`;
    return (await sql.begin('isolation level repeatable read read only', (tx) => read(tx, noting))) as T;
  };
  try {
    return await untilStopped(sql, stop, reading());
  } catch (error) {
    // During a COPY the transaction cannot be rolled back, and its error would hide the reason. Ending the connection
    // does both.
    await sql.end({ timeout: 0 });
    throw failure ?? error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

async function read<T>(tx: postgres.TransactionSql, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  // The scope of the platform: row-level security applies to the owner of the tables, too.
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

/** A query, since COPY of a table with a policy would become one anyway. */
function copyOutStatement(table: Table): string {
  return `copy (select ${columnsOf(table)} from ${qualified(table)}) to stdout`;
}
