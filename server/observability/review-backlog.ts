import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { reviewableStatuses } from '#server/texts/job-states.ts';
import { remembered } from './bounded-reading.ts';

/** The items of all workspaces that await review. */
export interface ReviewBacklog {
  kind: 'text' | 'document';
  /** At most `maxCounted`. */
  items: number;
  /** Seconds since the last change of the item that has not changed for the longest time; 0 without items. */
  oldestSeconds: number;
}

/**
 * Milliseconds for which a result is cached. The queries look up each workspace in an index: about 10 µs for each
 * workspace.
 */
const maximumAge = 60_000;

/** Maximum items that are counted for each kind. */
export const maxCounted = 10_000;

/** Returns a function that counts what awaits review. */
export function watchReviews(database: Database): () => Promise<ReviewBacklog[]> {
  return remembered(maximumAge, () => database.inPlatform(readReviewBacklog));
}

/** The rows of one workspace, `t.tenant_id`, that await review. An index has them in the order of `updated_at`. */
const waitingOfTenant = {
  text: reviewableStatuses.map(
    (status) =>
      sql`select updated_at from translation_jobs where tenant_id = t.tenant_id and status = ${sql.raw(`'${status}'`)}`,
  ),
  document: [
    sql`select updated_at from document_jobs
      where tenant_id = t.tenant_id and status = 'translated' and approved_at is null`,
  ],
};

/** Counts what awaits review. Platform scope. */
export async function readReviewBacklog(tx: Tx): Promise<ReviewBacklog[]> {
  await tx.execute(sql`set local statement_timeout = '3s'`);
  // To compile the query would take longer than to run it.
  await tx.execute(sql`set local jit = off`);
  const backlog: ReviewBacklog[] = [];
  for (const kind of ['text', 'document'] as const) {
    const [row] = await tx.execute<{ items: number; oldestSeconds: number }>(reviewBacklogQuery(kind));
    if (!row) throw new Error('the database returned no count');
    backlog.push({ kind, items: row.items, oldestSeconds: row.oldestSeconds });
  }
  return backlog;
}

/** The query for one kind. Exported for a test of its plan. */
export function reviewBacklogQuery(kind: ReviewBacklog['kind']) {
  const parts = waitingOfTenant[kind];
  const first = parts.map((part) => sql`(${part} order by updated_at limit 1)`);
  const some = parts.map((part) => sql`(${part} order by updated_at limit ${maxCounted})`);
  const union = sql` union all `;
  return sql`
    select (select count(*)::int from (
        select from tenants t cross join lateral (${sql.join(some, union)}) w limit ${maxCounted}) counted) as items,
      coalesce((select greatest(0, extract(epoch from now() - min(w.updated_at)))::float8
        from tenants t cross join lateral (${sql.join(first, union)}) w), 0) as "oldestSeconds"`;
}
