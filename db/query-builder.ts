import { NoopLogger } from 'drizzle-orm';
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import type { Connection } from './pool.ts';

/** Drizzle's query builder over PostgreSQL. */
export type QueryBuilder = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

/** What Drizzle needs of a postgres.js client: text and parameters in, a running query out. */
export type Send = (
  text: string,
  parameters?: unknown[],
) => postgres.PendingQuery<(postgres.Row & Iterable<postgres.Row>)[]>;

const dialect = new PgDialect();
const sessionOptions = { logger: new NoopLogger() };

/** A query builder whose statements go out through `send`. Making one costs next to nothing. */
export function buildQueriesWith(send: Send): QueryBuilder {
  const session = new PostgresJsSession(
    { unsafe: send } as never,
    dialect,
    undefined,
    sessionOptions as never,
  );
  return new PgDatabase(dialect, session as never, undefined);
}

/** Sends text that is prepared once per connection. It leaves now, not at the first `then`: order matters. */
export function sendOn(connection: Connection): Send {
  return (text, parameters = []) =>
    connection.sql.unsafe(text, parameters as never[], { prepare: true }).execute();
}

const taught = new WeakSet<Connection>();

/** Drizzle's constructor is what sets the connection's parsers for dates and JSON to what its columns expect. */
export function registerDrizzleTypes(connection: Connection): void {
  if (taught.has(connection)) return;
  taught.add(connection);
  drizzle(connection.sql);
}

/** A query with `sql.placeholder`s for its values, as Drizzle's `.prepare(name)` answers it. */
interface PreparedQuery<V> {
  execute(values: Record<string, unknown>): Promise<V>;
}

export type BuildPrepared<V> = (db: QueryBuilder) => PreparedQuery<V>;

/** The prepared queries of one connection. Each is built there at its first use, and kept. */
export class PreparedQueries {
  /** Set only while a query is being sent: a query goes into the transaction that sends it, or nowhere. */
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
      // Drizzle sends before its first await.
      return query.execute(values);
    } finally {
      this.#send = undefined;
    }
  }
}

const ofConnection = new WeakMap<Connection, PreparedQueries>();

export function preparedQueriesOf(connection: Connection): PreparedQueries {
  let queries = ofConnection.get(connection);
  if (!queries) {
    queries = new PreparedQueries();
    ofConnection.set(connection, queries);
  }
  return queries;
}
