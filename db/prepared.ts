import type { Connection } from './pool.ts';
import { buildQueriesWith, type QueryBuilder, type Send } from './query-builder.ts';

/** A query with `sql.placeholder`s for its values, as Drizzle's `.prepare(name)` answers it. */
export interface PreparedQuery<V> {
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
