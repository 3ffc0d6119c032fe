import postgres from 'postgres';

/** Thrown if no connection became free within the time that a request may wait for one. */
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError';
}

/** Thrown if the connection was lost during a transaction. PostgreSQL then rolls the transaction back. */
export class ConnectionLostError extends Error {
  override name = 'ConnectionLostError';
}

/**
 * One PostgreSQL connection. Once `lost`, it is never used again, and `onLoss` notifies its user. The reason is that
 * postgres.js reconnects automatically, even during a transaction. After some failures, it then reports the error of
 * the old connection for the first query on the new one, or never settles a statement that was sent while the
 * connection failed.
 */
export interface Connection {
  readonly sql: postgres.Sql;
  readonly pooler: PoolerKind | undefined;
  lost: boolean;
  onLoss: (() => void) | undefined;
  /** Marks the connection as lost, even if it is in use. */
  lose(): void;
}

/**
 * What a pooler in transaction mode keeps, such as PgBouncer. It gives each transaction any connection to PostgreSQL, so
 * that nothing may depend on a session.
 * - "prepared": the prepared statements of a session (PgBouncer 1.21 and newer).
 * - "unprepared": nothing, so that each statement is parsed and planned again.
 */
export type PoolerKind = 'prepared' | 'unprepared';

export interface PoolOptions {
  /** Maximum connections. */
  size: number;
  /** Milliseconds that a caller waits for a free connection. */
  waitMs?: number;
  /** Maximum callers that wait for a connection at the same time. */
  maxWaiting?: number;
  applicationName?: string;
  /** Set if the URL leads to a pooler in transaction mode. */
  pooler?: PoolerKind | undefined;
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

/**
 * The time limits of a session, in milliseconds. The last one ends the transactions of a host that was cut off: until then,
 * they hold locks that delay the requests to other hosts.
 */
const limits = Object.entries({
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
});
const setLimits = `select ${limits.map(([name, value]) => `set_config('${name}', '${value}', false)`).join(', ')}`;

/**
 * Settings with which PostgreSQL notices that a client was killed or has lost its network, so that its session ends. The
 * limits above do not apply between the parse and the execution of a statement, where locks would be held for two hours:
 * the default of TCP. A system may lack a setting: its error is ignored.
 */
export const lossSettings = [
  `set client_connection_check_interval = '10s'`,
  'set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3',
];

/** Ends a session that does not confirm data or keepalives for so long. On Linux, it replaces the number of keepalives. */
export const endUnconfirmed = `set tcp_user_timeout = '20s'`;

/** Sets the same limits for one transaction, because a pooler gives the next one another session. */
export const limitTransaction = limits.map(([name, value]) => `set local ${name} = ${value}`).join('; ');

function openConnection(url: string, { applicationName = 'lingualoop', pooler }: PoolOptions): Connection {
  const connection: Connection = {
    pooler,
    lost: false,
    onLoss: undefined,
    lose() {
      connection.lost = true;
      connection.onLoss?.();
    },
    sql: postgres(url, {
      max: 1,
      // Do not limit the lifetime: the connection could end between two statements of a transaction.
      max_lifetime: null,
      connect_timeout: 10,
      // Do not look up array types: this query causes an unhandled rejection if the connection breaks soon after it
      // opens. Without the types, a parameter cannot be an array: send JSON and unpack it in SQL.
      fetch_types: false,
      prepare: pooler !== 'unprepared',
      onnotice: () => {},
      onclose: () => {
        connection.lose();
      },
      // Statements must not depend on the settings of a database. Poolers know both parameters.
      connection: { application_name: applicationName, TimeZone: 'UTC', DateStyle: 'ISO, MDY' },
    }),
  };
  if (pooler) return connection;
  // Sent as a statement, because PgBouncer rejects these limits as parameters of the connection. postgres.js sends it
  // in one packet with the first transaction.
  connection.sql
    .unsafe(setLimits)
    .execute()
    .catch(() => connection.lose());
  for (const setting of [...lossSettings, endUnconfirmed])
    connection.sql
      .unsafe(setting)
      .execute()
      .catch(() => {});
  return connection;
}

/**
 * Opens a pool of postgres.js clients with one connection each. postgres.js has its own pool, but that provides a
 * connection for a transaction only after the round trip of BEGIN, and queues callers without a limit. Here BEGIN is
 * sent together with the transaction's first statements, and the queue is limited.
 */
export function openPool(url: string | (() => string), options: PoolOptions): Pool {
  const { size, waitMs = 10_000, maxWaiting = 10_000 } = options;
  const all = new Set<Connection>();
  const idle: Connection[] = [];
  const waiting = new Set<Waiter>();
  let closed = false;

  function connect(): Connection {
    const connection = openConnection(typeof url === 'string' ? url : url(), options);
    all.add(connection);
    return connection;
  }

  function discard(connection: Connection): void {
    all.delete(connection);
    // Close it without a timeout, because no caller uses it.
    connection.sql.end({ timeout: 0 }).catch(() => {});
  }

  /** Returns an idle connection, or a new one if the pool is not full; otherwise undefined. */
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
