import type { Tx } from '#db/client.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { cursorOf, findJobs } from '#server/translation/texts/find-jobs.ts';
import type { SearchInput, SearchPage } from '#server/translation/texts/search-schema.ts';
import { holdersOf } from '../claims.ts';

/**
 * Returns a page of the tenant's jobs that pass a filter, and for each job the other members who have claimed it.
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
