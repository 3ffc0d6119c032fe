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
export function teachDrizzleTypes(connection: Connection): void {
  if (taught.has(connection)) return;
  taught.add(connection);
  drizzle(connection.sql);
}
