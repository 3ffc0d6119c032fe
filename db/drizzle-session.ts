import { NoopLogger } from 'drizzle-orm';
import { PgDatabase, PgDialect } from 'drizzle-orm/pg-core';
import { drizzle, type PostgresJsQueryResultHKT, PostgresJsSession } from 'drizzle-orm/postgres-js';
import type postgres from 'postgres';

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
