import postgres from 'postgres';

/** Every connection stayed busy for as long as a request may wait. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
}

/** The connection was lost during a transaction, which PostgreSQL then rolled back. */
export class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
}

/**
 * One PostgreSQL connection. postgres.js would reconnect automatically, even during a transaction. After some
 * failures it passes the old connection's error to the new one's first query, or never settles a statement that was
 * sent while the connection failed. Therefore a `lost` connection is never used again, and its user is notified by
 * `onLoss`.
 */
export interface Connection {
  readonly sql: postgres.Sql;
  lost: boolean;
  onLoss: (() => void) | undefined;
  /** Marks the connection as lost, whatever it is doing. */
  lose(): void;
}

export interface PoolOptions {
  /** Maximum connections. */
  size: number;
  /** How long, in milliseconds, a caller waits for a free connection. */
  waitMs?: number;
  /** Maximum callers that wait at the same time. */
  maxWaiting?: number;
  applicationName?: string;
}

export interface Pool {
  acquire(): Promise<Connection>;
  release(connection: Connection): void;
  connections(): PoolState;
  close(): Promise<void>;
}

/** The current usage of a pool. */
export interface PoolState {
  size: number;
  inUse: number;
  idle: number;
  /** Callers that wait for a connection. */
  waiting: number;
}

interface Waiter {
  resolve(connection: Connection): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** The limits of a session, in milliseconds. */
const setLimits = `select set_config('statement_timeout', '30000', false), set_config('lock_timeout', '10000', false),
  set_config('idle_in_transaction_session_timeout', '60000', false)`;

function openConnection(url: string, applicationName = 'lingualoop'): Connection {
  const connection: Connection = {
    lost: false,
    onLoss: undefined,
    lose() {
      connection.lost = true;
      connection.onLoss?.();
    },
    sql: postgres(url, {
      max: 1,
      // A maximum lifetime would end the connection between two statements of a transaction.
      max_lifetime: null,
      connect_timeout: 10,
      // Its lookup of array types causes an unhandled rejection if a connection breaks soon after it opens. Without
      // the lookup, a parameter cannot be an array: send JSON and unpack it.
      fetch_types: false,
      onnotice: () => {},
      onclose: () => {
        connection.lose();
      },
      connection: { application_name: applicationName },
    }),
  };
  // Not as parameters of the connection, which PgBouncer rejects. Sent in one packet with the first transaction.
  connection.sql
    .unsafe(setLimits)
    .execute()
    .catch(() => connection.lose());
  return connection;
}

/**
 * A pool of single-connection clients. postgres.js's own pool provides a connection for a transaction only after the
 * round trip of its BEGIN, and queues callers without a limit. Here the transaction's first statements are sent
 * together, and waiting is limited.
 */
export function openPool(url: string | (() => string), options: PoolOptions): Pool {
  const { size, waitMs = 10_000, maxWaiting = 10_000 } = options;
  const all = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting = new Set<Waiter>();
  let closed = false;

  function connect(): Connection {
    const connection = openConnection(typeof url === 'string' ? url : url(), options.applicationName);
    all.add(connection);
    return connection;
  }

  function discard(connection: Connection): void {
    all.delete(connection);
    // End it immediately: nothing waits for it.
    connection.sql.end({ timeout: 0 }).catch(() => {});
  }

  /** Returns an idle connection, or a new one if the pool is not full. */
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
        return Promise.reject(new DatabaseBusyError('too many requests are waiting for the database'));
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

    connections: () => ({
      size,
      inUse: all.size - idle.length,
      idle: idle.length,
      waiting: waiting.size,
    }),

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
