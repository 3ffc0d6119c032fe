import { and, asc, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { type Page, type PageEnd, readCursor, writeCursor } from '#server/http/paging.ts';
import { hasText } from '#server/http/text-search.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { TriggerCode } from '#server/translation/agent-run-schema.ts';
import { type Place, runSearch, scanJobs } from '#server/translation/listing/bounded-scan.ts';
import {
  earliestChange,
  filterCondition,
  readsRequest,
} from '#server/translation/listing/job-list-filter.ts';
import { ofEachStatus, selectJobs } from './jobs.ts';
import { type JobStatus, jobStatus, type ListQuery, type TranslationJob } from './schema.ts';
import type { JobFilter, JobSummary, SearchInput } from './search-schema.ts';

/** Maximum number of characters of a text in a summary. */
const excerpt = 300;

/** A job that the search found, without its claims. */
type FoundJob = Omit<JobSummary, 'claimed_by'>;

interface Found {
  jobs: FoundJob[];
  /** The last examined job; undefined if none was examined. */
  last: PageEnd | undefined;
  /** Whether more jobs follow. */
  more: boolean;
}

export interface Search {
  tenantId: string;
  filter: JobFilter;
  order: SearchInput['order'];
  limit: number;
  cursor: string | undefined;
  /** IDs of jobs to skip. */
  skip?: ReadonlySet<string>;
}

/**
 * Returns the tenant's jobs that pass a filter, in the order of `updated_at` and ID. Status and time have an index;
 * with other filters, a limited number of jobs is examined one by one (`scanJobs`).
 * @throws AppError 422 for an invalid cursor, or like `contentOf`
 */
export async function findJobs(tx: Tx, search: Search): Promise<Found> {
  const { tenantId, order, limit, skip, cursor } = search;
  const wanted = contentOf(search.filter);
  const { found, last, more } = await scanJobs({
    after: cursor === undefined ? undefined : readCursor(cursor),
    limit,
    filtered: wanted !== undefined,
    skip,
    places: (after, size) => selectPlaces(tx, search, after, size),
    pick: (ids, missing) => selectSummaries(tx, tenantId, ids, wanted, order, missing),
  });
  return { jobs: found, last, more };
}

/** Returns the cursor after the last job that a search has examined. */
export function cursorOf({ updatedAt, id }: PageEnd): string {
  return writeCursor({ updated_at: updatedAt.toISOString(), id });
}

const { request, finalTranslation, agentRun, updatedAt, jobId } = translationJobs;

/**
 * SQL: approximate bytes of a job that a filter reads, computed from stored sizes, so that no value is decompressed.
 * Compressed JSON counts four times. The size of the translation also stands for the source, which is about as long.
 */
function bytesRead(filter: JobFilter): SQL<number> {
  const { trigger, text } = filter;
  const whole = text !== undefined || readsRequest(filter) ? sql`pg_column_size(${request})` : sql`0`;
  const texts = text === undefined ? sql`0` : sql`2 * octet_length(coalesce(${finalTranslation}, ''))`;
  const run = trigger === undefined ? sql`0` : sql`pg_column_size(${agentRun})`;
  return sql`4 * (${whole} + ${run}) + ${texts}`;
}

/** Returns the next positions in the listing, using the index of statuses. */
export async function selectPlaces(
  tx: Tx,
  { tenantId, filter, order }: Search,
  after: PageEnd | undefined,
  limit: number,
): Promise<Place[]> {
  const { updated_from: from, updated_to: to } = filter;
  const comparison = order === 'newest' ? sql`<` : sql`>`;
  const statuses = filter.statuses ? [...new Set(filter.statuses)] : jobStatus.options;
  return ofEachStatus(statuses, inOrder(order), limit, (status) =>
    tx
      .select({ id: jobId, updatedAt, bytes: bytesRead(filter).as('bytes') })
      .from(translationJobs)
      .where(
        and(
          eq(translationJobs.tenantId, tenantId),
          eq(translationJobs.status, status),
          from === undefined ? undefined : gte(updatedAt, new Date(from)),
          to === undefined ? undefined : lt(updatedAt, new Date(to)),
          earliestChange(translationJobs, filter),
          after &&
            sql`(${updatedAt}, ${jobId}) ${comparison} (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
        ),
      )
      .$dynamic(),
  );
}

export function inOrder(order: SearchInput['order']): SQL[] {
  return order === 'newest' ? [desc(updatedAt), desc(jobId)] : [asc(updatedAt), asc(jobId)];
}

/**
 * Returns the part of a filter that no index supports; undefined if none exists.
 * @throws AppError 422 like `filterCondition`
 */
export function contentOf({ trigger, text, ...listFilter }: JobFilter): SQL | undefined {
  return and(
    filterCondition(translationJobs, listFilter),
    trigger && sql`${agentRun} #> '{quality_gate,triggers}' @> ${JSON.stringify([{ code: trigger }])}::jsonb`,
    text === undefined
      ? undefined
      : or(
          hasText(sql`${request} ->> 'source_text'`, text, 'contains'),
          hasText(sql`${finalTranslation}`, text, 'contains'),
        ),
  );
}

/** Returns those of these jobs that pass the filter, at most `limit`. */
async function selectSummaries(
  tx: Tx,
  tenantId: string,
  ids: readonly string[],
  wanted: SQL | undefined,
  order: SearchInput['order'],
  limit: number,
): Promise<FoundJob[]> {
  const field = (name: string) => sql<string | null>`${request} ->> ${name}`;
  const rows = await tx
    .select({
      id: jobId,
      status: translationJobs.status,
      sourceLang: field('source_lang'),
      targetLang: field('target_lang'),
      textType: field('text_type'),
      sourceExcerpt: sql<string>`left(${request} ->> 'source_text', ${excerpt})`,
      translationExcerpt: sql<string | null>`left(${finalTranslation}, ${excerpt})`,
      gate: sql<{ score: number; triggers: { code: TriggerCode }[] } | null>`${agentRun} -> 'quality_gate'`,
      createdAt: translationJobs.createdAt,
      updatedAt,
    })
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        sql`${jobId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
        wanted,
      ),
    )
    .orderBy(...inOrder(order))
    .limit(limit);
  return rows.map(({ id, gate, ...row }) => ({
    id,
    status: row.status as JobStatus,
    source_lang: row.sourceLang ?? '',
    target_lang: row.targetLang ?? '',
    text_type: row.textType === 'Html' ? 'Html' : 'Plain',
    source_excerpt: row.sourceExcerpt,
    translation_excerpt: row.translationExcerpt,
    score: gate?.score ?? null,
    triggers: [...new Set(gate?.triggers.map(({ code }) => code))],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }));
}

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
