import type { Database, Tx } from '#db/client.ts';
import type { PageEnd } from '#server/http/paging.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { createConcurrencyLimit } from '#server/platform/concurrency-limit.ts';

/*
 * Listings with a filter that no index serves: row-level security lets no trigram or JSON operator use one, so jobs are read one after the
 * other in the order of an index, and at most so many for one request (docs/decisions/0053, 0073). A page may be short, or even empty,
 * although more follows: its cursor continues where the walk ended.
 */

/** What one walk may examine: jobs, and approximate bytes of the texts in them. */
const most = { jobs: 10_000, bytes: 32_000_000 };

/** Jobs that are examined by one statement. */
const chunk = 1000;

/** A job's place in the listing. */
export interface Place extends PageEnd {
  /** Approximate bytes of what the filter reads of it. */
  bytes: number;
}

export interface Walk<T> {
  /** The last job of the previous page. */
  after: PageEnd | undefined;
  limit: number;
  /** Whether a filter must examine the jobs; otherwise every place is a match. */
  filtered: boolean;
  /** Ids of jobs that are not wanted. */
  passOver?: ReadonlySet<string> | undefined;
  /** The next places of the listing, by an index. */
  places(after: PageEnd | undefined, limit: number): Promise<Place[]>;
  /** Those of these jobs that pass the filter, in the order of the listing, at most `limit`. */
  pick(ids: readonly string[], limit: number): Promise<T[]>;
}

export interface Walked<T> {
  found: T[];
  /** The last job that was examined; undefined if there was none. */
  last: PageEnd | undefined;
  /** Whether others follow it. */
  more: boolean;
}

/** The next jobs that pass a filter, until the page is full or the budget is spent. */
export async function walkJobs<T extends { id: string }>(walk: Walk<T>): Promise<Walked<T>> {
  const { limit, filtered, passOver = new Set() } = walk;
  const jobs: T[] = [];
  let { after } = walk;
  let budget = most;
  while (true) {
    const missing = limit - jobs.length;
    const size = filtered ? chunk : missing + Math.min(passOver.size, chunk);
    const places = await walk.places(after, size + 1);
    const affordable = withinBudget(places.slice(0, size), budget);
    const ids = affordable.places.map(({ id }) => id).filter((id) => !passOver.has(id));
    const found = ids.length === 0 ? [] : await walk.pick(ids, missing);
    jobs.push(...found);
    budget = affordable.left;
    const last = affordable.places.at(-1);
    const more = last !== undefined && affordable.places.length < places.length;
    if (found.length === missing) {
      // Its place in the listing: a review between the two statements may have given the job another.
      const end = affordable.places.find(({ id }) => id === found.at(-1)?.id) as Place;
      return { found: jobs, last: end, more: more || end !== last };
    }
    if (!more || budget.jobs <= 0 || budget.bytes <= 0) return { found: jobs, last: last ?? after, more };
    after = last;
  }
}

/** The first places that the budget allows, at least one, and the rest of the budget. */
function withinBudget(places: readonly Place[], { jobs, bytes }: typeof most) {
  let left = bytes;
  const end = places.findIndex((place, index) => {
    if (index === jobs || (index > 0 && left < place.bytes)) return true;
    left -= place.bytes;
    return false;
  });
  const affordable = end < 0 ? places : places.slice(0, end);
  // A budget that did not suffice is spent.
  return { places: affordable, left: { jobs: jobs - affordable.length, bytes: end < 0 ? left : 0 } };
}

/**
 * Walks of the process. Tenants share a few of its connections fairly, so that other requests get one.
 */
const slots = createConcurrencyLimit({
  slots: 3,
  maxWaiting: 300,
  refusal: 'too many searches are under way; try again later',
});

/**
 * Runs a search in the transaction that authenticates the caller if indexes serve its filter, else in one of a few slots.
 * @param walks whether it must examine jobs; called once the caller is authenticated
 * @throws AppError what `walks` throws; rate_limit if too many searches wait
 */
export async function runSearch<P extends Pick<Principal, 'tenant'>, T>(
  database: Pick<Database, 'inTenant'>,
  authenticated: <R>(work: (tx: Tx, principal: P) => Promise<R>) => Promise<R>,
  { walks, signal }: { walks: () => boolean; signal: AbortSignal },
  search: (tx: Tx, principal: P) => Promise<T>,
): Promise<T> {
  const begun = await authenticated(async (tx, principal) =>
    walks() ? { principal } : { found: await search(tx, principal) },
  );
  if ('found' in begun) return begun.found;
  const { principal } = begun;
  const tenantId = principal.tenant.id;
  return slots.run({ tenantId, signal }, () => database.inTenant(tenantId, (tx) => search(tx, principal)));
}
