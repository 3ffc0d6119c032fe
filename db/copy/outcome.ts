import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { acquireMigrationLock } from '../migrate.ts';
import { openCopyConnection } from './contents.ts';

/** Milliseconds after which the result of a transaction counts as unknown. */
const patience = 30_000;

/** It is unknown whether the transaction was committed: nothing was undone. */
export class InDoubtError extends Error {
  override name = 'InDoubtError';
}

/** The id of the transaction, with which another connection can find out its result. */
export async function transactionId(tx: postgres.TransactionSql): Promise<string> {
  const [row] = await tx<{ id: string }[]>`select pg_current_xact_id()::text as id`;
  if (!row) throw new Error('PostgreSQL gives no id of the transaction');
  return row.id;
}

/**
 * Finds out the result of a transaction that failed or whose connection has ended, on a new connection. A COMMIT may
 * have succeeded although its response was lost. If it did not, `undo` is run under the lock of migrations, unless
 * another process has created our tables since.
 * @param id undefined if the transaction has done nothing yet
 * @returns whether it was committed
 * @throws InDoubtError if PostgreSQL does not respond
 */
export async function settle(
  url: string,
  id: string | undefined,
  undo: (sql: postgres.Sql) => Promise<void>,
): Promise<boolean> {
  const sql = openCopyConnection(url, 'lingualoop restore');
  try {
    const outcome = await outcomeOf(sql, id).catch((error: unknown) => {
      throw new InDoubtError(
        'PostgreSQL does not report whether the database was filled: check whether it has tables; nothing was removed',
        { cause: error },
      );
    });
    if (outcome === 'nothing') await undo(sql);
    return outcome === 'committed';
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Whether the transaction was committed, or another process has created our tables since, or there is nothing. Holds
 * the lock of migrations in the last case.
 */
async function outcomeOf(
  sql: postgres.Sql,
  id: string | undefined,
): Promise<'committed' | 'others' | 'nothing'> {
  const limit = AbortSignal.timeout(patience);
  if (id !== undefined && (await isCommitted(sql, id, limit))) return 'committed';
  await acquireMigrationLock(sql, limit);
  const [made] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as exists`;
  return made?.['exists'] ? 'others' : 'nothing';
}

async function isCommitted(sql: postgres.Sql, id: string, limit: AbortSignal): Promise<boolean> {
  for (;;) {
    const [row] = await sql<{ status: string | null }[]>`select pg_xact_status(${id}::text::xid8) as status`;
    if (row?.status !== 'in progress') return row?.status === 'committed';
    limit.throwIfAborted();
    // Its session does not notice the end of the connection during a statement, such as the creation of an index.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where backend_xid = ${id}::text::xid8::xid`;
    await sleep(50);
  }
}
