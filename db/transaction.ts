import { NoopLogger } from 'drizzle-orm';
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { type Connection, ConnectionLostError, type Pool } from './pool.ts';

/** One open transaction: Drizzle's query builder, usable until the transaction ends. */
export interface Tx extends PgDatabase<PostgresJsQueryResultHKT, Record<string, never>> {
  /**
   * Sends the transaction's last statement and COMMIT together, in one round trip. Nothing can be decided
   * after it: whatever the statement answers is committed, unless it fails. Nothing may follow it.
   */
  last<T>(statement: PromiseLike<T>): Promise<T>;
}

const dialect = new PgDialect();
const sessionOptions = { logger: new NoopLogger() };

/** What Drizzle needs of a postgres.js client: text and parameters in, a running query out. */
type Execute = (
  text: string,
  parameters?: unknown[],
) => postgres.PendingQuery<(postgres.Row & Iterable<postgres.Row>)[]>;

/**
 * Runs `work` inside one transaction. BEGIN and the statement that `scope` sends travel in one packet with the
 * first statement of `work`, which is called at once: the connection answers in order, and what `work` sends
 * into a transaction whose scope failed fails with it.
 *
 * `scope` gets a way to send text that is prepared once per connection; its answer goes to `work`.
 */
export async function runTransaction<S, T>(
  pool: Pool,
  scope: (send: Execute) => PromiseLike<S>,
  work: (tx: Tx, scoped: Promise<S>) => Promise<T>,
): Promise<T> {
  const connection = await pool.acquire();
  try {
    return await transact(connection, scope, work);
  } finally {
    pool.release(connection);
  }
}

async function transact<S, T>(
  connection: Connection,
  scope: (send: Execute) => PromiseLike<S>,
  work: (tx: Tx, scoped: Promise<S>) => Promise<T>,
): Promise<T> {
  teachDrizzleTypes(connection);
  const { losses } = connection;
  let state: 'open' | 'committing' | 'over' = 'open';
  let failure: unknown;

  const send: Execute = (text, parameters = []) => {
    // `execute` now, not at the first `then`: statements must leave in the order they were written.
    return connection.sql.unsafe(text, parameters as never[], { prepare: true }).execute();
  };
  const sendOpen: Execute = (text, parameters) => {
    if (failure) throw failure;
    if (state !== 'open') throw new Error('a statement was sent after its transaction had ended');
    if (connection.losses !== losses) throw new ConnectionLostError('the database connection was lost');
    return send(text, parameters);
  };

  const commit = async () => {
    const { command } = await send('commit');
    // PostgreSQL answers COMMIT of a failed transaction with a ROLLBACK and no error.
    if (command !== 'COMMIT') throw new Error('the transaction had failed and was rolled back');
  };

  // First on the wire; a failure of either shows in every later statement too.
  const begun = send('begin');
  const scoped = Promise.resolve(scope(send));
  const opened = Promise.all([begun, scoped]).catch((error: unknown) => {
    failure = error;
    throw error;
  });
  opened.catch(() => {});

  const client = { unsafe: sendOpen, options: connection.sql.options };
  const session = new PostgresJsSession(client as never, dialect, undefined, sessionOptions as never);
  let committed: Promise<unknown> | undefined;
  const tx: Tx = Object.assign(
    new PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>(dialect, session as never, undefined),
    {
      async last<R>(statement: PromiseLike<R>): Promise<R> {
        // `then` makes Drizzle send it; only then is the way closed and COMMIT sent after it.
        const answer = statement.then((value) => value);
        state = 'committing';
        committed = Promise.all([answer, commit()]);
        const [value] = (await committed) as [R, unknown];
        return value;
      },
    },
  );

  try {
    const result = await work(tx, scoped);
    await opened;
    if (committed) await committed;
    else {
      state = 'committing';
      await commit();
    }
    return result;
  } catch (error) {
    // After `last`, COMMIT is already on its way and ended the transaction, one way or the other.
    if (!committed && connection.losses === losses) await send('rollback').catch(() => {});
    await committed?.catch(() => {});
    throw failure ?? error;
  } finally {
    state = 'over';
  }
}

const taught = new WeakSet<Connection>();

/** Drizzle's constructor is what sets the connection's parsers for dates and JSON to what its columns expect. */
function teachDrizzleTypes(connection: Connection): void {
  if (taught.has(connection)) return;
  taught.add(connection);
  drizzle(connection.sql);
}
