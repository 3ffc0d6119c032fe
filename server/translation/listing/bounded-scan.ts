import type { Database, Tx } from '#db/client.ts';
import type { PageEnd } from '#server/http/paging.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';

/*
 * Lists jobs with a filter that no index supports: under row-level security, trigram and JSON operators cannot use an
 * index. Jobs are examined one by one in the order of another index, up to a limit per request (docs/decisions/0053). So
 * a page may be short, or even empty, although more jobs follow: its cursor continues at the end of the scan.
 */

/** The limits of one scan, or of a part of a longer one: number of jobs, and approximate bytes of their texts. */
const most = { jobs: 10_000, bytes: 32_000_000 };

/** Number of jobs that one statement examines. */
const chunk = 1000;

/** A job's position in the listing. */
export interface Place extends PageEnd {
  /** Approximate bytes of this job that the filter reads. */
  bytes: number;
}

export interface Scan<T> {
  /** The last job of the previous page. */
  after: PageEnd | undefined;
  limit: number;
  /** Whether the jobs must be examined by a filter; if not, every job matches. */
  filtered: boolean;
  /** IDs of jobs to skip. */
  skip?: ReadonlySet<string> | undefined;
  /**
   * Milliseconds for which a scan without a match goes beyond the limits, so that a filter with few matches needs few
   * requests. By default 0.
   */
  patience?: number;
  /** Reads the next positions in the listing, by an index. */
  places(after: PageEnd | undefined, limit: number): Promise<Place[]>;
  /** Returns those of these jobs that pass the filter, in the order of the listing, at most `limit`. */
  pick(ids: readonly string[], limit: number): Promise<T[]>;
}

interface Scanned<T> {
  found: T[];
  /** The last examined job; undefined if none was examined. */
  last: PageEnd | undefined;
  /** Whether more jobs follow. */
  more: boolean;
}

/**
 * Returns the next jobs that pass the filter, until the page is full or the limit of the scan is reached. Without a match,
 * the scan also continues until its time is over.
 */
export async function scanJobs<T extends { id: string }>(scan: Scan<T>): Promise<Scanned<T>> {
  const { limit, filtered, skip = new Set(), patience = 0 } = scan;
  const deadline = performance.now() + patience;
  const jobs: T[] = [];
  let { after } = scan;
  let budget = most;
  while (true) {
    const missing = limit - jobs.length;
    const size = filtered ? chunk : missing + Math.min(skip.size, chunk);
    const places = await scan.places(after, size + 1);
    const affordable = withinBudget(places.slice(0, size), budget);
    const ids = affordable.places.map(({ id }) => id).filter((id) => !skip.has(id));
    const found = ids.length === 0 ? [] : await scan.pick(ids, missing);
    jobs.push(...found);
    budget = affordable.left;
    const last = affordable.places.at(-1);
    const more = last !== undefined && affordable.places.length < places.length;
    if (found.length === missing) {
      // The position of the page's last job as the scan read it: a review between the two statements may have moved the
      // job.
      const end = affordable.places.find(({ id }) => id === found.at(-1)?.id) as Place;
      return { found: jobs, last: end, more: more || end !== last };
    }
    const isSpent = budget.jobs <= 0 || budget.bytes <= 0;
    if (!more || (isSpent && (jobs.length > 0 || performance.now() >= deadline)))
      return { found: jobs, last: last ?? after, more };
    if (isSpent) budget = most;
    after = last;
  }
}

/** Returns the first positions that the remaining budget allows, at least one, and what then remains of the budget. */
function withinBudget(places: readonly Place[], { jobs, bytes }: typeof most) {
  let left = bytes;
  const end = places.findIndex((place, index) => {
    if (index === jobs || (index > 0 && left < place.bytes)) return true;
    left -= place.bytes;
    return false;
  });
  const affordable = end < 0 ? places : places.slice(0, end);
  // If the budget did not suffice for all, it is used up.
  return { places: affordable, left: { jobs: jobs - affordable.length, bytes: end < 0 ? left : 0 } };
}

/**
 * Limits the concurrent scans of the process. Tenants get the few slots in turn, so that other requests always get a
 * database connection.
 */
const slots = createConcurrencyLimit({
  slots: 3,
  maxWaiting: 300,
  refusal: 'too many searches in progress; try again later',
});

/**
 * Runs a search. If indexes support its filter, the search runs in the transaction that authenticates the caller;
 * otherwise it needs one of a few slots.
 * @param scans whether the search must examine jobs; called after the caller is authenticated
 * @throws AppError the error that `scans` throws; rate_limit if too many searches are queued
 */
export async function runSearch<P extends Pick<Principal, 'tenant'>, T>(
  database: Pick<Database, 'inTenant'>,
  authenticated: <R>(work: (tx: Tx, principal: P) => Promise<R>) => Promise<R>,
  { scans, signal }: { scans: () => boolean; signal: AbortSignal },
  search: (tx: Tx, principal: P) => Promise<T>,
): Promise<T> {
  const begun = await authenticated(async (tx, principal) =>
    scans() ? { principal } : { found: await search(tx, principal) },
  );
  if ('found' in begun) return begun.found;
  const { principal } = begun;
  const tenantId = principal.tenant.id;
  return slots.run({ tenantId, signal }, () => database.inTenant(tenantId, (tx) => search(tx, principal)));
}
