import { setTimeout as sleep } from 'node:timers/promises';
import { acquireMigrationLock } from '../migrate.ts';
import type { Session } from '../session.ts';
import { openCopySession } from './contents.ts';

/** Milliseconds after which an unknown result of a transaction is reported as unknown. */
const patience = 30_000;

/** Thrown if it is unknown whether a transaction was committed. Nothing was undone then. */
export class InDoubtError extends Error {
  override name = 'InDoubtError';
}

/** Returns the id of the transaction, with which another connection can find out the transaction's result. */
export async function transactionId(session: Session): Promise<string> {
  const [row] = await session.query<{ id: string }>('select pg_current_xact_id()::text as id');
  if (!row) throw new Error('PostgreSQL returned no id for the transaction');
  return row.id;
}

/**
 * Finds out, on a new connection, the result of a transaction that failed or whose connection has ended: its COMMIT
 * may have succeeded although the response was lost. If it was not committed, `undo` runs while the migration lock is
 * held, unless another process has created the service's tables since then.
 * @param id the id of the transaction; undefined if it did nothing
 * @returns whether the transaction was committed
 * @throws InDoubtError if PostgreSQL does not respond
 */
export async function settle(
  url: string,
  id: string | undefined,
  undo: (session: Session) => Promise<void>,
): Promise<boolean> {
  const inDoubt = (error: unknown) => {
    throw new InDoubtError(
      'PostgreSQL does not report whether the restore was committed; check whether the database has tables. Nothing was removed',
      { cause: error },
    );
  };
  const session = await openCopySession(url, 'lingualoop restore').catch(inDoubt);
  try {
    const outcome = await outcomeOf(session, id).catch(inDoubt);
    if (outcome === 'nothing') await undo(session);
    return outcome === 'committed';
  } finally {
    await session.end();
  }
}

/**
 * Returns `committed` if the transaction was committed, `others` if another process has created the service's tables
 * since then, and otherwise `nothing`. For `others` and `nothing`, the connection then holds the migration lock.
 */
async function outcomeOf(
  session: Session,
  id: string | undefined,
): Promise<'committed' | 'others' | 'nothing'> {
  const limit = AbortSignal.timeout(patience);
  if (id !== undefined && (await isCommitted(session, id, limit))) return 'committed';
  await acquireMigrationLock(session, limit);
  const [made] = await session.query(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
  );
  return made?.['exists'] ? 'others' : 'nothing';
}

async function isCommitted(session: Session, id: string, limit: AbortSignal): Promise<boolean> {
  for (;;) {
    const [row] = await session.query<{ status: string | null }>(
      'select pg_xact_status($1::text::xid8) as status',
      [id],
    );
    if (row?.status !== 'in progress') return row?.status === 'committed';
    limit.throwIfAborted();
    // End the transaction's session: while it executes a statement, such as the creation of an index, it does not
    // notice that its connection has ended.
    await session.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where backend_xid = $1::text::xid8::xid',
      [id],
    );
    await sleep(50);
  }
}
