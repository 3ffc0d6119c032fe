import { NoopLogger } from 'drizzle-orm';
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import { type Connection, ConnectionLostError, limitTransaction, type Pool } from './pool.ts';

/*
 * The parts of Drizzle that are used here without being documented. Drizzle's own transactions send each statement as
 * an unnamed one and wait for BEGIN. The service sends statements itself (`transaction.ts`); Drizzle only builds them
 * and reads their rows. `test/db/drizzle-session.test.ts` fails if these parts change in a new version of Drizzle.
 */

/** Drizzle's query builder over PostgreSQL. */
export type QueryBuilder = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

/**
 * The part of a postgres.js client that Drizzle uses: a function that takes SQL and parameters, and returns a running
 * query.
 */
export type Send = (
  text: string,
  parameters?: unknown[],
) => postgres.PendingQuery<(postgres.Row & Iterable<postgres.Row>)[]>;

const dialect = new PgDialect();
const sessionOptions = { logger: new NoopLogger() };

/** Returns a query builder that sends its statements through `send`. Creating a query builder is cheap. */
export function buildQueriesWith(send: Send): QueryBuilder {
  const session = new PostgresJsSession(
    { unsafe: send } as never,
    dialect,
    undefined,
    sessionOptions as never,
  );
  return new PgDatabase(dialect, session as never, undefined);
}

const registered = new WeakSet<postgres.Sql>();

/**
 * Sets the connection's parsers for dates and JSON as Drizzle's columns expect them. Drizzle's constructor does this.
 */
export function registerTypes(sql: postgres.Sql): void {
  if (registered.has(sql)) return;
  registered.add(sql);
  drizzle(sql);
}

/** An open transaction. It is Drizzle's query builder and can be used until the transaction ends. */
export interface Tx extends QueryBuilder {
  /**
   * Sends the last statement of the transaction together with COMMIT, in one round trip. The transaction is committed
   * unless the statement fails; its result cannot prevent the commit. No statement may follow.
   */
  last<T>(statement: PromiseLike<T>): Promise<T>;
  /** Used by `prepare`. */
  executePrepared<V>(build: BuildPrepared<V>, values: Record<string, unknown>): Promise<V>;
}

/**
 * Prepares a query that Drizzle builds once per connection, for code in which building takes longer than sending.
 * `build` uses `sql.placeholder(name)` for each value and ends with `.prepare(name)`.
 */
export function prepare<P extends object, V>(build: BuildPrepared<V>): (tx: Tx, values: P) => Promise<V> {
  return (tx, values) => tx.executePrepared(build, values as Record<string, unknown>);
}

/**
 * Maximum milliseconds of a transaction. Longer than the server's own limits, for a server or network that no longer
 * responds.
 */
const transactionDeadline = 60_000;

/** In a transaction that begins with `begin read only`, PostgreSQL rejects each write. */
type Begin = 'begin' | 'begin read only';

/**
 * Runs `work` inside one transaction. `work` is called immediately, with the future result of `scope`. BEGIN and the
 * statement of `scope` are sent in one packet with the first statement of `work`. The server executes statements in
 * their order, so if the statement of `scope` fails, those of `work` fail, too.
 */
export async function runTransaction<S, T>(
  pool: Pool,
  scope: (send: Send) => PromiseLike<S>,
  work: (tx: Tx, scoped: Promise<S>) => Promise<T>,
  begin: Begin = 'begin',
): Promise<T> {
  const connection = await pool.acquire();
  const deadline = setTimeout(() => connection.lose(), transactionDeadline);
  // Listen for the loss of the connection: some statements of a failing connection are never settled.
  const loss = new Promise<never>((_resolve, reject) => {
    connection.onLoss = () => reject(new ConnectionLostError('the database connection was lost'));
  });
  try {
    return await Promise.race([transact(connection, scope, work, begin), loss]);
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
  statement: Begin,
): Promise<T> {
  registerTypes(connection.sql);
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
    // If the transaction has failed, PostgreSQL executes COMMIT as ROLLBACK, without an error.
    if (command !== 'COMMIT') throw new Error('a statement of the transaction failed, so it was rolled back');
  };

  // BEGIN and the scope are sent first. If either fails, every later statement fails, too.
  const begun = connection.pooler
    ? connection.sql.unsafe(`${statement}; ${limitTransaction}`).simple().execute()
    : send(statement);
  const scoped = Promise.resolve(scope(send));
  const begin = Promise.all([begun, scoped]).catch((error: unknown) => {
    failure = error;
    throw error;
  });
  begin.catch(() => {});

  const tx: Tx = Object.assign(buildQueriesWith(sendOpen), {
    async last<R>(statement: PromiseLike<R>): Promise<R> {
      // `then` makes Drizzle send the statement. After that, `commit` closes the transaction for further statements
      // and sends COMMIT.
      const result = statement.then((value) => value);
      const ended = Promise.allSettled([result, commit()]).then(([settled, ending]) => {
        // If both fail, throw the statement's error: it has caused the error of COMMIT.
        if (settled.status === 'rejected') throw settled.reason;
        if (ending.status === 'rejected') throw ending.reason;
        return settled.value;
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
    // Close the transaction first: a statement after ROLLBACK would be committed on its own.
    open = false;
    // If `last` was called, COMMIT has already been sent and ends the transaction, with or without success.
    if (committed) await (committed as Promise<unknown>).catch(() => {});
    else if (!connection.lost) await send('rollback').catch(() => {});
    throw failure ?? error;
  } finally {
    open = false;
  }
}

/**
 * Returns a function that sends SQL as a statement that is prepared once per connection if possible. The statement is sent at
 * once, not when `then` is called, because the order of statements matters.
 */
function sendOn(connection: Connection): Send {
  return (text, parameters = []) => {
    const query = connection.sql.unsafe(text, parameters as never[], { prepare: true });
    // Without prepared statements, postgres.js would ask for the types of the parameters before it sends them. PostgreSQL
    // finds the types without that.
    if (connection.pooler === 'unprepared')
      Object.defineProperty(query, 'describeFirst', { get: () => false, set: () => {} });
    return query.execute();
  };
}

/** A query in which `sql.placeholder` stands for each value, as returned by Drizzle's `.prepare(name)`. */
interface PreparedQuery<V> {
  execute(values: Record<string, unknown>): Promise<V>;
}

type BuildPrepared<V> = (db: QueryBuilder) => PreparedQuery<V>;

/** The prepared queries of one connection. A query is built when it is used on the connection for the first time. */
export class PreparedQueries {
  /** Set only while a query is being sent, so that the query is sent in the transaction that executes it. */
  #send: Send | undefined;
  readonly #built = new Map<unknown, PreparedQuery<unknown>>();
  readonly #builder = buildQueriesWith((text, parameters) => {
    if (!this.#send) throw new Error('a prepared query was sent outside its transaction');
    return this.#send(text, parameters);
  });

  execute<V>(build: BuildPrepared<V>, values: Record<string, unknown>, send: Send): Promise<V> {
    let query = this.#built.get(build) as PreparedQuery<V> | undefined;
    if (!query) {
      query = build(this.#builder);
      this.#built.set(build, query);
    }
    this.#send = send;
    try {
      // `#send` can be reset immediately, because Drizzle sends the query before its first await.
      return query.execute(values);
    } finally {
      this.#send = undefined;
    }
  }
}

const ofConnection = new WeakMap<Connection, PreparedQueries>();

function preparedQueriesOf(connection: Connection): PreparedQueries {
  let queries = ofConnection.get(connection);
  if (!queries) {
    queries = new PreparedQueries();
    ofConnection.set(connection, queries);
  }
  return queries;
}
