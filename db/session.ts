import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { lossSettings } from './pool.ts';
import { advance, countSteps, noteObstacle } from './progress.ts';
import { queueUrl } from './queue-url.ts';

/** Seconds between two signs of life of an idle session, and between two looks at a statement that takes long. */
const beat = 15;

/** The connection to the database was lost, or ended by this process. */
const lost = () =>
  Object.assign(new Error('the database connection was lost'), { code: 'CONNECTION_CLOSED' });

/**
 * Settings with which PostgreSQL ends the session's transaction soon after this process has ended or has lost its
 * network: an open transaction would hold locks, and dead rows. A living process sends a sign of life more often.
 */
const endings = [
  ...lossSettings,
  `set idle_in_transaction_session_timeout = '2min'`,
  // A reader may stop for a while during a COPY.
  `set tcp_user_timeout = '2min'`,
];

/**
 * One session with PostgreSQL outside the pool, for work that takes as long as it needs: copies and migrations. It
 * runs one statement at a time. Uses `pg`, because postgres.js never continues a COPY whose reader was slow.
 */
export class Session {
  readonly #client: pg.Client;
  readonly #url: string;
  readonly #lost = Promise.withResolvers<never>();
  readonly #timer: NodeJS.Timeout;
  #pid = 0;
  /** Settled when the statement that was sent last has ended. */
  #last: Promise<unknown> = Promise.resolve();
  #running = 0;

  private constructor(url: string, applicationName: string) {
    this.#url = url;
    this.#client = new pg.Client({
      connectionString: queueUrl(url, applicationName),
      connectionTimeoutMillis: 30_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
    });
    this.#lost.promise.catch(() => {});
    // Ignore the error: the running statement fails with it, too.
    this.#client.on('error', () => this.destroy());
    this.#client.on('end', () => this.destroy());
    let seen = 0;
    this.#timer = setInterval(() => {
      if (this.#running === 0) this.query('select 1').catch(() => {});
      else if (seen === countSteps()) void this.#look();
      seen = countSteps();
    }, beat * 1000).unref();
  }

  /** Opens a session without time limits. The caller must end it. */
  static async open(url: string, applicationName: string): Promise<Session> {
    const session = new Session(url, applicationName);
    try {
      await session.#client.connect().catch((error: Error) => {
        // These errors of `pg` have no code.
        if (/timeout/.test(error.message)) Object.assign(error, { code: 'CONNECT_TIMEOUT' });
        if (/does not support SSL/.test(error.message)) Object.assign(error, { code: 'ECONNRESET' });
        throw error;
      });
      // Statements, because PgBouncer rejects some of these settings as parameters of the connection.
      const [row] = await session.query<{ pid: number }>(
        `select pg_backend_pid() as pid, set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`,
      );
      session.#pid = row?.pid ?? 0;
      for (const setting of endings) await session.query(setting).catch(() => {});
      return session;
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  /** The id of the server process. */
  get pid(): number {
    return this.#pid;
  }

  /** Returns the rows of a statement; without `values`, of the last of several statements. */
  query<Row = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]> {
    return this.#alone(async () => {
      const result: unknown = await (values ? this.#client.query(text, values) : this.#client.query(text));
      const last = (Array.isArray(result) ? result.at(-1) : result) as pg.QueryResult;
      return last.rows as Row[];
    });
  }

  /**
   * Returns the output of `copy … to stdout`. A piece may end in the middle of a row. If the caller stops reading
   * before the end, the session ends.
   */
  async *copyOut(statement: string): AsyncGenerator<Buffer> {
    const done = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<Readable>();
    this.#alone(() => {
      begun.resolve(this.#client.query(copyTo(statement)));
      return done.promise;
    }).catch(begun.reject);
    let isComplete = false;
    try {
      const pieces = (await begun.promise)[Symbol.asyncIterator]();
      for (;;) {
        const next: IteratorResult<Buffer> = await Promise.race([pieces.next(), this.#lost.promise]);
        if (next.done) break;
        yield next.value;
      }
      isComplete = true;
    } catch (error) {
      // PostgreSQL has ended the COPY, and the session can be used again.
      isComplete = error instanceof pg.DatabaseError;
      throw error;
    } finally {
      if (!isComplete) this.destroy();
      done.resolve();
    }
  }

  /**
   * Sends rows to `copy … from stdin`.
   * @returns the number of rows
   */
  copyIn(statement: string, rows: AsyncIterable<Uint8Array>): Promise<number> {
    return this.#alone(async () => {
      const into = this.#client.query(copyFrom(statement));
      // Errors are also thrown by the pipeline, but some are emitted after it has ended.
      into.on('error', () => {});
      await pipeline(Readable.from(rows, { objectMode: false }), into);
      return into.rowCount;
    });
  }

  /** Runs `work` in a transaction. @param mode such as `read only` */
  async transaction<T>(work: () => Promise<T>, mode = ''): Promise<T> {
    await this.query(`begin ${mode}`);
    let result: T;
    try {
      result = await work();
    } catch (error) {
      await this.query('rollback').catch(() => this.destroy());
      throw error;
    }
    await this.query('commit');
    return result;
  }

  /** Ends the session after the current statement, or after a second. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    let late: NodeJS.Timeout | undefined;
    const second = new Promise((resolve) => {
      late = setTimeout(resolve, 1000);
    });
    await Promise.race([this.#last.catch(() => {}).then(() => this.#client.end()), second]).catch(() => {});
    clearTimeout(late);
    this.destroy();
  }

  /** Ends the session at once: PostgreSQL rolls an open transaction back, and waiting statements fail. */
  destroy(): void {
    clearInterval(this.#timer);
    this.#lost.reject(lost());
    // `pg` closes a connection without a handshake only if a statement is running, and its types lack the socket.
    (this.#client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  /** Runs `work` after all statements before it. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const result = Promise.race([
      this.#last
        .catch(() => {})
        .then(() => {
          this.#running += 1;
          return work().finally(() => {
            this.#running -= 1;
          });
        }),
      this.#lost.promise,
    ]);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Looks, with another session, whether PostgreSQL works on the statement, and notes progress or the obstacle. */
  async #look(): Promise<void> {
    noteObstacle('PostgreSQL does not respond');
    const observer = await Session.open(this.#url, 'lingualoop').catch(() => undefined);
    const late = setTimeout(() => observer?.destroy(), 10_000);
    try {
      const [row] = await observer!.query<{ kind: string | null; statement: string }>(
        `select wait_event_type as kind, left(query, 100) as statement from pg_stat_activity
         where pid = $1 and state = 'active'`,
        [this.#pid],
      );
      if (!row) noteObstacle('PostgreSQL executes no statement of this process');
      else if (row.kind === 'Client') noteObstacle('PostgreSQL waits for this process');
      else if (row.kind === 'Lock')
        noteObstacle(
          `PostgreSQL waits for ${(await findWait(observer!, this.#pid))?.description ?? 'a lock'}`,
        );
      else advance(`PostgreSQL executes ${row.statement.replace(/\s+/g, ' ')}`);
    } catch {
      // Earlier notes remain.
    } finally {
      clearTimeout(late);
      await observer?.end();
    }
  }
}

/** A lock that a session waits for, and the session with the oldest transaction that prevents it. */
export interface LockWait {
  /** The id of that session's server process. */
  blocker: number;
  /** When its transaction began, as text. */
  since: string | null;
  /** The lock and that session, for the middle of a sentence. */
  description: string;
}

/** Returns the lock that a server process waits for; undefined if it waits for none. */
export async function findWait(
  observer: { query<Row>(text: string, values?: unknown[]): Promise<Row[]> },
  pid: number,
): Promise<LockWait | undefined> {
  const [row] = await observer.query<{
    target: string;
    blocker: number;
    since: string | null;
    name: string;
    address: string | null;
    seconds: number | null;
    state: string | null;
    query: string;
  }>(
    `select coalesce('the table ' || l.relation::regclass, 'a lock (' || l.locktype || ')') as target, b.pid as blocker,
       b.xact_start::text as since, b.application_name as name, host(b.client_addr) as address, b.state,
       extract(epoch from clock_timestamp() - coalesce(b.xact_start, b.backend_start))::int as seconds,
       left(regexp_replace(regexp_replace(b.query, '''[^'']*''', '''…''', 'g'), '\\s+', ' ', 'g'), 80) as query
     from pg_locks l, unnest(pg_blocking_pids(l.pid)) blocking, pg_stat_activity b
     where l.pid = $1 and not l.granted and b.pid = blocking
     order by b.xact_start nulls last limit 1`,
    [pid],
  );
  if (!row) return undefined;
  const { target, blocker, since, name, address, seconds, state, query } = row;
  // PostgreSQL shows the details of other roles' sessions only to members of `pg_read_all_stats`.
  const details =
    state === null ? '' : `, from ${address ?? 'this machine'}, for ${seconds} s, ${state}: ${query}`;
  return {
    blocker,
    since,
    description: `${target}, which the session "${name}" holds (PostgreSQL process ${blocker}${details})`,
  };
}
