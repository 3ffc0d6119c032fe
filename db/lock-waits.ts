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
