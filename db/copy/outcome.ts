import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import { acquireMigrationLock } from '../migrate.ts';
import { openCopyConnection } from './contents.ts';

/** Milliseconds after which it counts as unknown what became of a transaction. */
const patience = 30_000;

/** It is not known whether the transaction was committed: nothing was undone. */
export class InDoubtError extends Error {
  override name = 'InDoubtError';
}

/** The id of the transaction, by which another connection learns what became of it. */
export async function transactionId(tx: postgres.TransactionSql): Promise<string> {
  const [row] = await tx<{ id: string }[]>`select pg_current_xact_id()::text as id`;
  if (!row) throw new Error('PostgreSQL gives no id of the transaction');
  return row.id;
}

/**
 * Finds out what became of a transaction that failed or whose connection has ended, on a new connection. A COMMIT may have been done although its answer is
 * missing. If it was not done, `undo` is run under the lock of migrations, unless another process has made our tables since.
 * @param id undefined if the transaction has done nothing yet
 * @returns whether it was committed
 * @throws InDoubtError if PostgreSQL does not answer
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
        'PostgreSQL does not say whether the database was filled: look whether it has tables; nothing was removed',
        { cause: error },
      );
    });
    if (outcome === 'nothing') await undo(sql);
    return outcome === 'committed';
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Whether the transaction was committed, or another process has made our tables since, or there is nothing. Holds the lock of migrations then. */
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
    // Its session does not see that the connection has ended before its statement does, such as the making of an index.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where backend_xid = ${id}::text::xid8::xid`;
    await sleep(50);
  }
}
