import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { type Page, readCursor, writeCursor } from '#server/http/paging.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { runSearch } from '#server/translation/listing/bounded-scan.ts';
import { contentOf, cursorOf, findJobs } from './find-jobs.ts';
import { selectJobs } from './jobs.ts';
import type { ListQuery, TranslationJob } from './schema.ts';

/**
 * Returns a page of the tenant's jobs, the most recent updated_at first: at most `limit` jobs, fewer if they are long.
 * With a filter other than the status, one request examines a bounded number of jobs, so a page may be short or empty
 * although more follow.
 * @throws AppError 422 for an invalid cursor, an unsupported language or a metadata key that filters may not use
 */
export function listJobs(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
  query: ListQuery,
  signal: AbortSignal,
): Promise<Page<TranslationJob[]>> {
  const { status, limit, cursor, ...filter } = query;
  return runSearch(
    database,
    withTenant,
    { scans: () => contentOf(filter) !== undefined, signal },
    async (tx, { tenant: { id } }) => {
      if (contentOf(filter)) return selectFiltered(tx, id, query);
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const { jobs, more } = await selectJobs(tx, { tenantId: id, status, limit, after });
      const last = jobs.at(-1);
      return { content: jobs, nextCursor: more && last ? writeCursor(last) : null };
    },
  );
}

async function selectFiltered(
  tx: Tx,
  tenantId: string,
  { status, limit, cursor, ...listFilter }: ListQuery,
): Promise<Page<TranslationJob[]>> {
  const filter = { ...listFilter, ...(status && { statuses: [status] }) };
  const found = await findJobs(tx, { tenantId, filter, order: 'newest', limit, cursor });
  const ids = found.jobs.map(({ id }) => id);
  // The status is checked again, because a job may have changed since the first statement.
  const { jobs, more } = await selectJobs(tx, { tenantId, status, limit, ids });
  const last = jobs.at(-1);
  if (more && last) return { content: jobs, nextCursor: writeCursor(last) };
  return { content: jobs, nextCursor: found.more && found.last ? cursorOf(found.last) : null };
}
