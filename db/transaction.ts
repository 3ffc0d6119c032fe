import { type Connection, ConnectionLostError, type Pool } from './pool.ts';
import {
  type BuildPrepared,
  buildQueriesWith,
  preparedQueriesOf,
  type QueryBuilder,
  registerDrizzleTypes,
  type Send,
  sendOn,
} from './query-builder.ts';

/** One open transaction: Drizzle's query builder, usable until the transaction ends. */
export interface Tx extends QueryBuilder {
  /**
   * Sends the transaction's last statement and COMMIT together, in one round trip. Nothing can be decided
   * after it: whatever the statement answers is committed, unless it fails. Nothing may follow it.
   */
  last<T>(statement: PromiseLike<T>): Promise<T>;
  /** What `prepare` uses. */
  executePrepared<V>(build: BuildPrepared<V>, values: Record<string, unknown>): Promise<V>;
}

/**
 * A query that Drizzle builds once for each connection, for the paths where building costs more than sending.
 * `build` has `sql.placeholder(name)` where each of the values goes, and ends in `.prepare(name)`.
 */
export function prepare<P extends object, V>(build: BuildPrepared<V>): (tx: Tx, values: P) => Promise<V> {
  return (tx, values) => tx.executePrepared(build, values as Record<string, unknown>);
}

/** Milliseconds. Above the server's own limits, for a server or a network that no longer answers at all. */
const transactionDeadline = 60_000;

/**
 * Runs `work` inside one transaction. BEGIN and the statement that `scope` sends travel in one packet with the
 * first statement of `work`, which is called at once: the connection answers in order, and what `work` sends
 * into a transaction whose scope failed fails with it. The answer of `scope` goes to `work`.
 */
export async function runTransaction<S, T>(
  pool: Pool,
  scope: (send: Send) => PromiseLike<S>,
  work: (tx: Tx, scoped: Promise<S>) => Promise<T>,
): Promise<T> {
  const connection = await pool.acquire();
  const deadline = setTimeout(() => connection.lose(), transactionDeadline);
  // Not left to the statements: some of a dying connection's are never answered.
  const loss = new Promise<never>((_resolve, reject) => {
    connection.onLoss = () => reject(new ConnectionLostError('the database connection was lost'));
  });
  try {
    return await Promise.race([transact(connection, scope, work), loss]);
  } finally {
    clearTimeout(deadline);
    connection.onLoss = undefined;
    pool.release(connection);
  }
}

async function transact<S, T>(
  connection: Connection,
  scope: (send: Send) => PromiseLike<S>,
  work: (tx: Tx, scoped: Promise<S>) => Promise<T>,
): Promise<T> {
  registerDrizzleTypes(connection);
  const send = sendOn(connection);
  let open = true;
  let failure: unknown;
  let committed: Promise<unknown> | undefined;

  const sendOpen: Send = (text, parameters) => {
    if (failure) throw failure;
    if (!open) throw new Error('a statement was sent after its transaction had ended');
    if (connection.lost) throw new ConnectionLostError('the database connection was lost');
    return send(text, parameters);
  };
  const commit = async () => {
    open = false;
    const { command } = await send('commit');
    // PostgreSQL answers COMMIT of a failed transaction with a ROLLBACK and no error.
    if (command !== 'COMMIT') throw new Error('the transaction had failed and was rolled back');
  };

  // First on the wire; a failure of either shows in every later statement too.
  const begun = send('begin');
  const scoped = Promise.resolve(scope(send));
  const begin = Promise.all([begun, scoped]).catch((error: unknown) => {
    failure = error;
    throw error;
  });
  begin.catch(() => {});

  const tx: Tx = Object.assign(buildQueriesWith(sendOpen), {
    async last<R>(statement: PromiseLike<R>): Promise<R> {
      // `then` makes Drizzle send it; only then is the way closed and COMMIT sent after it.
      const answer = statement.then((value) => value);
      const ended = Promise.allSettled([answer, commit()]).then(([answered, ending]) => {
        // The statement's own error says more than the commit's, which only follows from it.
        if (answered.status === 'rejected') throw answered.reason;
        if (ending.status === 'rejected') throw ending.reason;
        return answered.value;
      });
      committed = ended;
      return ended;
    },
    executePrepared: <V>(build: BuildPrepared<V>, values: Record<string, unknown>) =>
      preparedQueriesOf(connection).execute(build, values, sendOpen),
  });

  try {
    const result = await work(tx, scoped);
    await begin;
    await (committed ?? commit());
    return result;
  } catch (error) {
    // Before the ROLLBACK leaves: what came behind it would be committed on its own.
    open = false;
    // After `last`, COMMIT is on its way and ends the transaction, one way or the other.
    if (committed) await (committed as Promise<unknown>).catch(() => {});
    else if (!connection.lost) await send('rollback').catch(() => {});
    throw failure ?? error;
  } finally {
    open = false;
  }
}
