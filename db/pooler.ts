import postgres from 'postgres';

/** Maximum milliseconds for each statement. A pooler without a free connection lets a session wait. */
const patience = 10_000;

/**
 * Rejects a connection pooler between the service and PostgreSQL that distributes the statements of one session over
 * several server processes, such as PgBouncer in transaction or statement mode. With such a pooler, the migration
 * lock, LISTEN and the limits of a session would be lost without an error. A pooler that uses one server process for
 * the whole session is supported.
 * @throws Error that names a supported configuration
 */
export async function refuseSharedSessions(url: string): Promise<void> {
  const sessions = [openSession(url), openSession(url)] as const;
  try {
    if (await areShared(...sessions))
      throw new Error(
        'DATABASE_URL: a connection pooler runs the statements of one session on several connections; connect to PostgreSQL itself, or set pool_mode = session in PgBouncer for this database',
      );
  } finally {
    await Promise.all(sessions.map((session) => session.end({ timeout: 0 })));
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
