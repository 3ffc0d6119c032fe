import type { Tx } from '#db/client.ts';
import type { Principal } from '#server/access/principal.ts';
import { createConcurrencyLimit } from '#server/concurrency-limit.ts';
import type { Services } from '#server/context.ts';
import { holdersOf } from '#server/reviews/claims.ts';
import { contentOf, cursorOf, findJobs } from './find-jobs.ts';
import type { JobFilter, SearchInput, SearchPage } from './search-schema.ts';

/**
 * Searches that read jobs one after the other. Tenants share a few of the process's connections fairly, so that other requests get one.
 */
const slots = createConcurrencyLimit({
  slots: 3,
  maxWaiting: 300,
  refusal: 'too many searches are under way; try again later',
});

/**
 * Runs a search in the transaction that authenticates the caller if indexes serve its filter, else in one of a few slots.
 * @throws AppError 422 for an unsupported language; rate_limit if too many searches wait
 */
export async function runSearch<P extends Pick<Principal, 'tenant'>, T>(
  { database }: Pick<Services, 'database'>,
  authenticated: <R>(work: (tx: Tx, principal: P) => Promise<R>) => Promise<R>,
  { filter, signal }: { filter: JobFilter; signal: AbortSignal },
  search: (tx: Tx, principal: P) => Promise<T>,
): Promise<T> {
  const begun = await authenticated(async (tx, principal) =>
    contentOf(filter) ? { principal } : { found: await search(tx, principal) },
  );
  if ('found' in begun) return begun.found;
  const { principal } = begun;
  const tenantId = principal.tenant.id;
  return slots.run({ tenantId, signal }, () => database.inTenant(tenantId, (tx) => search(tx, principal)));
}

/**
 * A page of the tenant's jobs that pass a filter, and who is on each of them besides the member who asks.
 * @throws AppError 422 for an invalid cursor or an unsupported language
 */
export async function searchJobs(
  tx: Tx,
  principal: Principal,
  { order, limit, cursor, ...filter }: SearchInput,
): Promise<SearchPage> {
  const tenantId = principal.tenant.id;
  const { jobs, last, more } = await findJobs(tx, { tenantId, filter, order, limit, cursor });
  const asker = principal.kind === 'session' ? principal.user.id : null;
  const ids = jobs.map(({ id }) => id);
  const holders = await holdersOf(tx, tenantId, 'job', ids, asker);
  const reached = last && more ? last : null;
  return {
    jobs: jobs.map((job) => ({ ...job, claimed_by: holders.get(job.id) ?? [] })),
    next_cursor: reached && cursorOf(reached),
    searched_to: reached?.updatedAt.toISOString() ?? null,
  };
}
