import { NoopLogger } from 'drizzle-orm';
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';

/*
 * The parts of Drizzle that its documentation does not name. Its own transactions send each statement unnamed and
 * wait for BEGIN; ours control how a statement is sent (`transaction.ts`), and use Drizzle to build it and to read
 * its rows. `test/db/drizzle-session.test.ts` fails if another version of Drizzle has other parts.
 */

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

const registered = new WeakSet<postgres.Sql>();

/** Drizzle's constructor sets the connection's parsers for dates and JSON in the way that its columns expect. */
export function registerTypes(sql: postgres.Sql): void {
  if (registered.has(sql)) return;
  registered.add(sql);
  drizzle(sql);
}
