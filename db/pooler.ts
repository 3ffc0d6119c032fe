import pg from 'pg';
import postgres from 'postgres';
import type { PoolerKind } from './pool.ts';
import { queueUrl } from './queue-url.ts';

/** What to set if DATABASE_URL leads to a pooler in transaction mode. */
export const sharedAdvice =
  'set DATABASE_URL to the address of PostgreSQL itself, and pooler of DATABASE_POOLS to that of the pooler (docs/scaling.md)';

/** Maximum milliseconds for each statement. A pooler without a free connection lets a session wait. */
const patience = 10_000;

/**
 * Rejects a connection pooler between the service and PostgreSQL that distributes the statements of one session over
 * several server processes, such as PgBouncer in transaction or statement mode. With such a pooler, the migration
 * lock, LISTEN and the limits of a session would be lost without an error. A pooler that uses one server process for
 * the whole session is supported; another one only between the pools and PostgreSQL (`inspectPooler`).
 * @throws Error that names a supported configuration
 */
export async function refuseSharedSessions(url: string): Promise<void> {
  const sessions = [openSession(url), openSession(url)] as const;
  try {
    if (await areShared(...sessions))
      throw new Error(
        `DATABASE_URL: a connection pooler runs the statements of one session on several connections; ${sharedAdvice}`,
      );
  } finally {
    await Promise.all(sessions.map((session) => session.end({ timeout: 0 })));
  }
}

/** Returns the URL of the database at `url` through a pooler whose address has no role and no password. */
export function urlThrough(pooler: string, url: string): string {
  const through = new URL(pooler);
  const { username, password, pathname } = new URL(url);
  through.username = username;
  through.password = password;
  if (through.pathname.length < 2) through.pathname = pathname;
  return through.href;
}

/** A pooler in transaction mode between the pools and PostgreSQL. */
export interface Pooler {
  url: string;
  kind: PoolerKind;
}

/** An id of the database, which also differs between a server and its standby. */
const identity = `select system_identifier::text || '/' || (select oid from pg_database where datname = current_database())
  || '/' || pg_is_in_recovery() as id from pg_control_system()`;

/**
 * Finds out what the pooler at `through` keeps of a session.
 * @param through the database through the pooler
 * @param url the database itself
 * @throws Error if the pooler leads to another database or a standby, or gives each statement another session
 */
export async function inspectPooler(through: string, url: string): Promise<Pooler> {
  const [pooled, direct] = [through, url].map(
    (address) =>
      new pg.Client({
        connectionString: queueUrl(address, 'lingualoop start'),
        connectionTimeoutMillis: patience,
        query_timeout: patience,
      }),
  ) as [pg.Client, pg.Client];
  for (const client of [pooled, direct]) client.on('error', () => {});
  try {
    await Promise.all([pooled.connect(), direct.connect()]);
    const [there, here] = await Promise.all([pooled.query(identity), direct.query(identity)]);
    if (there.rows[0].id !== here.rows[0].id)
      throw new Error('DATABASE_POOLS: pooler leads to another database than DATABASE_URL, or to a standby');
    await pooled.query('begin');
    // A pooler that prepares statements again renames them.
    const name = `lingualoop_${process.pid}_${performance.now()}`;
    const { rows } = await pooled.query({
      name,
      text: 'select from pg_prepared_statements where name = $1',
      values: [name],
    });
    if (rows.length === 1) await pooled.query(`deallocate "${name}"`);
    await pooled.query('commit');
    return { url: through, kind: rows.length === 1 ? 'unprepared' : 'prepared' };
  } catch (error) {
    if (!(error instanceof Error) || error.message.startsWith('DATABASE_POOLS')) throw error;
    const { host } = new URL(through);
    throw new Error(`DATABASE_POOLS: the pooler at ${host} cannot be used: ${error.message}`, {
      cause: error,
    });
  } finally {
    await Promise.allSettled([pooled.end(), direct.end()]);
  }
}

function openSession(url: string): postgres.Sql {
  return postgres(url, {
    max: 1,
    max_lifetime: null,
    connect_timeout: patience / 1000,
    fetch_types: false,
    onnotice: () => {},
    connection: { application_name: 'lingualoop start' },
  });
}

/**
 * Whether two sessions share one server process, or one session uses several. Poolers select the connection that was
 * used last, or each in turn; the order of the statements below detects both kinds.
 */
async function areShared(one: postgres.Sql, other: postgres.Sql): Promise<boolean> {
  const seen = { one: new Set<number>(), other: new Set<number>() };
  for (const which of ['one', 'one', 'other', 'one', 'other', 'other', 'one'] as const)
    seen[which].add(await processOf(which === 'one' ? one : other));
  return seen.one.size > 1 || seen.other.size > 1 || [...seen.one].some((pid) => seen.other.has(pid));
}

/** Returns the id of the server process that runs the statement. */
async function processOf(session: postgres.Sql): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new Error(
            `DATABASE_URL: a second connection got no response within ${patience / 1000} s; with a connection pooler, its pool is too small (docs/scaling.md shows how to calculate its size)`,
          ),
        ),
      patience,
    );
  });
  try {
    // Sent without parameters: a pooler without prepared statements must be able to run it.
    const response = session.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid');
    response.catch(() => {});
    const [row] = await Promise.race([response, late]);
    return row?.pid ?? 0;
  } finally {
    clearTimeout(timer);
  }
}
