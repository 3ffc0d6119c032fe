import { NoopLogger } from 'drizzle-orm';
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';
import type { Connection } from './pool.ts';

/** Drizzle's query builder over PostgreSQL. */
export type QueryBuilder = PgDatabase<PostgresJsQueryResultHKT, Record<string, never>>;

/** The part of a postgres.js client that Drizzle uses: takes text and parameters, returns a running query. */
export type Send = (
  text: string,
  parameters?: unknown[],
) => postgres.PendingQuery<(postgres.Row & Iterable<postgres.Row>)[]>;

const dialect = new PgDialect();
const sessionOptions = { logger: new NoopLogger() };

/** Returns a query builder that sends its statements through `send`. Creating one is cheap. */
export function buildQueriesWith(send: Send): QueryBuilder {
  const session = new PostgresJsSession(
    { unsafe: send } as never,
    dialect,
    undefined,
    sessionOptions as never,
  );
  return new PgDatabase(dialect, session as never, undefined);
}

/**
 * Sends text that is prepared once per connection. It is sent now, not at the first `then`, because the order of statements matters.
 */
export function sendOn(connection: Connection): Send {
  return (text, parameters = []) =>
    connection.sql.unsafe(text, parameters as never[], { prepare: true }).execute();
}

const taught = new WeakSet<Connection>();

/** Drizzle's constructor sets the connection's parsers for dates and JSON to what its columns expect. */
export function registerDrizzleTypes(connection: Connection): void {
  if (taught.has(connection)) return;
  taught.add(connection);
  drizzle(connection.sql);
}

/** A query with `sql.placeholder`s for its values, as returned by Drizzle's `.prepare(name)`. */
interface PreparedQuery<V> {
  execute(values: Record<string, unknown>): Promise<V>;
}

export type BuildPrepared<V> = (db: QueryBuilder) => PreparedQuery<V>;

/** The prepared queries of one connection, built at their first use there. */
export class PreparedQueries {
  /** Set only while a query is being sent, so that a query can only go into the transaction that sends it. */
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
      // Drizzle sends the query before its first await.
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
