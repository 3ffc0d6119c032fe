import postgres from 'postgres';

/** Every connection is busy and stayed so for as long as a request may wait. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
}

/** The connection went away in the middle of a transaction, which PostgreSQL then rolled back. */
export class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
}

/**
 * One PostgreSQL connection. postgres.js would reconnect by itself, in the middle of a transaction too, and after
 * some kinds of death it gives the old connection's error to the new one's first query, or never answers a
 * statement that was sent while the connection died. So a connection that was once `lost` is never used again, and
 * whoever uses it is told by `onLoss`.
 */
export interface Connection {
  readonly sql: postgres.Sql;
  lost: boolean;
  onLoss: (() => void) | undefined;
  /** Gives the connection up, whatever it is doing. */
  lose(): void;
}

export interface PoolOptions {
  /** Connections at the most. */
  size: number;
  /** Milliseconds that a caller waits for a free connection. */
  waitMs?: number;
  /** Callers that may wait at one time. */
  maxWaiting?: number;
  applicationName?: string;
}

export interface Pool {
  acquire(): Promise<Connection>;
  release(connection: Connection): void;
  close(): Promise<void>;
}

interface Waiter {
  resolve(connection: Connection): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/**
 * A pool of single-connection clients. postgres.js's own pool hands out a connection for a transaction only
 * after the round trip of its BEGIN, and queues callers without bound; here the transaction's first statements
 * travel together, and waiting has a limit.
 */
export function openPool(url: string | (() => string), options: PoolOptions): Pool {
  const { size, waitMs = 10_000, maxWaiting = 10_000 } = options;
  const all = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting = new Set<Waiter>();
  let closed = false;

  function connect(): Connection {
    const connection: Connection = {
      lost: false,
      onLoss: undefined,
      lose() {
        connection.lost = true;
        connection.onLoss?.();
      },
      sql: postgres(typeof url === 'string' ? url : url(), {
        max: 1,
        // A lifetime would end the connection between two statements of a transaction.
        max_lifetime: null,
        connect_timeout: 10,
        // Its look-up of array types rejects unhandled when a connection breaks during its first moments. Without
        // it no parameter can be an array: send JSON and unpack it.
        fetch_types: false,
        onnotice: () => {},
        onclose: () => {
          connection.lose();
        },
        connection: {
          application_name: options.applicationName ?? 'lingualoop',
          statement_timeout: 30_000,
          lock_timeout: 10_000,
          idle_in_transaction_session_timeout: 60_000,
        },
      }),
    };
    all.add(connection);
    return connection;
  }

  function discard(connection: Connection): void {
    all.delete(connection);
    // At once: nothing of it is waited for any more.
    connection.sql.end({ timeout: 0 }).catch(() => {});
  }

  /** A connection that can be used now: one that rests, or a new one while there is room. */
  function ready(): Connection | undefined {
    for (let connection = idle.pop(); connection; connection = idle.pop()) {
      if (!connection.lost) return connection;
      discard(connection);
    }
    return all.size < size ? connect() : undefined;
  }

  return {
    acquire() {
      if (closed) return Promise.reject(new DatabaseBusyError('the database pool is closed'));
      const connection = ready();
      if (connection) return Promise.resolve(connection);
      if (waiting.size >= maxWaiting)
        return Promise.reject(new DatabaseBusyError('too many requests wait for the database'));
      return new Promise((resolve, reject) => {
        const waiter: Waiter = {
          resolve,
          reject,
          timer: setTimeout(() => {
            waiting.delete(waiter);
            reject(new DatabaseBusyError(`no database connection was free within ${waitMs} ms`));
          }, waitMs),
        };
        waiting.add(waiter);
      });
    },

    release(connection) {
      if (connection.lost) discard(connection);
      else idle.push(connection);
      const [next] = waiting;
      if (!next) return;
      waiting.delete(next);
      clearTimeout(next.timer);
      next.resolve(ready() as Connection);
    },

    async close() {
      closed = true;
      for (const waiter of waiting) {
        clearTimeout(waiter.timer);
        waiter.reject(new DatabaseBusyError('the database pool is closed'));
      }
      waiting.clear();
      await Promise.all([...all].map((connection) => connection.sql.end({ timeout: 5 })));
    },
  };
}
