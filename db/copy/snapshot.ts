import { migrationLock } from '../migrate.ts';
import { advance, untilStalled } from '../progress.ts';
import type { Session } from '../session.ts';
import {
  columnsOf,
  listTables,
  openCopySession,
  qualified,
  readSchemaVersion,
  readSequences,
  type SchemaVersion,
  type SequenceValue,
  type Table,
} from './contents.ts';

/** All rows of a database at one moment, even if other sessions write at the same time. */
export interface Snapshot {
  version: SchemaVersion;
  tables: Table[];
  /** When the snapshot was taken, by the database's clock. */
  takenAt: Date;
  /** Returns the rows in the text format of COPY, with one line per row. A piece may end in the middle of a line. */
  copyOut(table: Table): AsyncIterable<Buffer>;
  sequences(): Promise<SequenceValue[]>;
  /** Runs a query over the rows of all tenants, and returns the results in pages of `size` rows. */
  pages<Row>(query: string, size: number): AsyncIterable<Row[]>;
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
 * @throws StalledError after a minute without progress
 */
export async function withSnapshot<T>(
  url: string,
  applicationName: string,
  work: (snapshot: Snapshot) => Promise<T>,
  stop?: AbortSignal,
): Promise<T> {
  const session = await openCopySession(url, applicationName);
  const reading = async () => {
    // Prevent a migration between the start of the snapshot and the locks of its tables: a table that the migration
    // rewrites would look empty to the snapshot.
    await session.query(`select pg_advisory_lock_shared(${migrationLock})`);
    return session.transaction(() => read(session, work), 'isolation level repeatable read read only');
  };
  try {
    return await untilStalled(reading(), stop, () => session.destroy());
  } finally {
    await session.end();
  }
}

async function read<T>(session: Session, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  // Set the scope of the platform, because row-level security also applies to the owner of the tables.
  await session.query(`select set_config('lingualoop.tenant_id', '*', true)`);
  const version = await readSchemaVersion(session);
  if (!version) throw new NoSchemaError('the database has no tables of this service');
  const tables = await listTables(session);
  // A snapshot of another role would be complete and empty.
  if (tables.length === 0)
    throw new NoSchemaError(
      'the role of this connection does not own the tables: set DATABASE_MIGRATION_URL to the URL of the role that owns them',
    );
  for (const table of tables) await session.query(`lock table ${qualified(table)} in access share mode`);
  await session.query(`select pg_advisory_unlock_shared(${migrationLock})`);
  const [clock] = await session.query<{ now: string }>('select now()::text as now');
  return work({
    version,
    tables,
    takenAt: new Date(clock?.now ?? ''),
    copyOut: (table) => copyOut(session, table),
    sequences: () => readSequences(session),
    pages: (query, size) => pagesOf(session, query, size),
  });
}

/** Copies a query, because COPY of a table with a policy would be executed as a query, too. */
async function* copyOut(session: Session, table: Table): AsyncGenerator<Buffer> {
  const name = qualified(table);
  for await (const piece of session.copyOut(`copy (select ${columnsOf(table)} from ${name}) to stdout`)) {
    advance(`reading the rows of ${name}`, piece.length);
    yield piece;
  }
}

async function* pagesOf<Row>(session: Session, query: string, size: number): AsyncGenerator<Row[]> {
  // Without parameters or other names: a snapshot reads one list at a time.
  await session.query(`declare pages no scroll cursor for ${query}`);
  for (;;) {
    const page = await session.query<Row>(`fetch ${size} from pages`);
    if (page.length > 0) yield page;
    if (page.length < size) break;
  }
  await session.query('close pages');
}
