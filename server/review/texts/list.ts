import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { readCursor } from '#server/http/paging.ts';
import type { Principal, SessionPrincipal } from '#server/identity/access/principal.ts';
import { contentOf, cursorOf, findJobs, selectPlaces } from '#server/texts/find-jobs.ts';
import { reviewableStatuses } from '#server/texts/job-states.ts';
import { selectJob } from '#server/texts/jobs.ts';
import { type JobStatus, jobStatus, type TranslationJob } from '#server/texts/schema.ts';
import type { JobCounts, SearchInput, SearchPage } from '#server/texts/search-schema.ts';
import { type Finding, findingView } from '#server/translation/findings.ts';
import { scanJobs } from '#server/translation/listing/bounded-scan.ts';
import { claimIfFree, holdersOf, itemsOfOthers } from '../claims.ts';
import type { Claimant } from '../item.ts';
import { hasCritical } from './findings.ts';
import type { NextReview, NextReviewInput, ReviewText, ReviewTextPage, ReviewTextsInput } from './schema.ts';
import { isWarning, submitter } from './text.ts';

/** Maximum number of characters of a text in the list. `translations.get` returns the whole text. */
const longest = 4000;

/** Maximum number of findings of a text in the list. */
const maxIssues = 20;

/**
 * Milliseconds for which a request searches for a first match. The editor would send the next request at once, so a longer
 * search costs the service less than a series of short ones.
 */
const patience = 1000;

type Row = Omit<ReviewText, 'claimed_by'>;

/**
 * Returns a page of the texts that await review, oldest first, or the texts with these IDs in
 * any status. Only the texts that a filter selects are returned; one request searches for a limited time, so a page may be
 * short although more texts follow.
 * @throws AppError 422 for an invalid cursor or an unsupported language
 */
export async function listTexts(
  tx: Tx,
  principal: SessionPrincipal,
  { job_ids: ids, limit, cursor, domain, submitter: sender, assignee, assigned, ...filter }: ReviewTextsInput,
): Promise<ReviewTextPage> {
  const tenantId = principal.tenant.id;
  const search = {
    statuses: [...reviewableStatuses],
    ...filter,
    ...(typeof domain === 'string' && { domain }),
  };
  const wanted = and(
    contentOf(search),
    domain === null ? sql`${translationJobs.request} ->> 'domain' is null` : undefined,
    sender === undefined ? undefined : sql`${submitter} is not distinct from ${sender}::text`,
    assignee === undefined ? undefined : isNext(tenantId, assignee),
    assigned && hasAssignment(tenantId, assigned),
  );
  const { found, more, last } = ids
    ? { found: await selectTexts(tx, principal, ids, undefined, ids.length), more: false, last: undefined }
    : await scanJobs<Row>({
        after: cursor === undefined ? undefined : readCursor(cursor),
        limit,
        patience,
        filtered: wanted !== undefined,
        places: (after, size) =>
          // The filter of metadata matches all texts. With it, the sizes of the requests count: each text is read whole.
          selectPlaces(
            tx,
            { tenantId, filter: { metadata: {}, ...search }, order: 'oldest', limit, cursor },
            after,
            size,
          ),
        pick: (some, missing) => selectTexts(tx, principal, some, wanted, missing),
      });
  return {
    texts: await withHolders(tx, principal, found),
    next_cursor: more && last ? cursorOf(last) : null,
  };
}

/** SQL: whether a member reviews a text next; null: whether no one does. */
const isNext = (tenantId: string, userId: string | null) => sql`(
  select a.holder from review_assignments a where a.tenant_id = ${tenantId} and a.item_kind = 'job'
    and a.item_id = ${translationJobs.jobId} and a.closed_at is null) is not distinct from ${userId}::text`;

/** SQL: whether a text has exactly this assignment. The API states due dates in milliseconds. */
const hasAssignment = (
  tenantId: string,
  { step, assignee, second, due_at: dueAt }: NonNullable<ReviewTextsInput['assigned']>,
) => sql`exists (
  select from review_assignments a where a.tenant_id = ${tenantId} and a.item_kind = 'job'
    and a.item_id = ${translationJobs.jobId} and a.closed_at is null
    and (a.passed_at is null) = ${step === 'first'} and a.assignee is not distinct from ${assignee}::text
    and a.second is not distinct from ${second}::text
    and date_trunc('milliseconds', a.due_at) is not distinct from ${dueAt}::timestamptz)`;

/** Adds to each text the other members who have claimed it. */
async function withHolders<T extends { id: string }>(tx: Tx, principal: Principal, found: readonly T[]) {
  const caller = principal.kind === 'session' ? principal.user.id : null;
  const ids = found.map(({ id }) => id);
  const holders = await holdersOf(tx, principal.tenant.id, 'job', ids, caller);
  return found.map((text) => ({ ...text, claimed_by: holders.get(text.id) ?? [] }));
}

/** Returns those of these texts that pass the filter, at most `limit`, in the order of the list. */
async function selectTexts(
  tx: Tx,
  { tenant, user }: SessionPrincipal,
  ids: readonly string[],
  wanted: SQL | undefined,
  limit: number,
): Promise<Row[]> {
  const { jobId, request, finalTranslation, pipelineCandidate, agentRun, updatedAt, status, decidedBy } =
    translationJobs;
  const field = (name: string) => sql<string | null>`${request} ->> ${name}`;
  const rows = await tx
    .select({
      id: jobId,
      updatedAt,
      jobStatus: status,
      decidedBy,
      severity: sql<'critical' | 'warning' | 'todo'>`case when ${hasCritical} then 'critical'
        when ${isWarning} then 'warning' else 'todo' end`,
      source_lang: sql<string>`coalesce(${field('source_lang')}, '')`,
      target_lang: sql<string>`coalesce(${field('target_lang')}, '')`,
      context: field('context'),
      max_length: sql<number | null>`(${field('max_length')})::int`,
      length_unit: field('length_unit'),
      is_html: sql<boolean>`coalesce(${field('text_type')} = 'Html', false)`,
      domain: field('domain'),
      submitter: sql<string | null>`${submitter}`,
      source: sql<string>`left(${request} ->> 'source_text', ${longest + 1})`,
      target: sql<string | null>`left(${finalTranslation}, ${longest + 1})`,
      pipeline_text: sql<string | null>`left(${pipelineCandidate}, ${longest})`,
      issues: sql<Finding[] | null>`(select coalesce(json_agg(issue), '[]') from (
        select distinct issue from jsonb_array_elements(case when findings is not null then findings
          when pipeline_candidate is null then coalesce(refinement -> 'issues', '[]') || coalesce(verification -> 'issues', '[]')
          else '[]' end) issue limit ${maxIssues}) judged)`,
      gate: sql<{
        score: number;
        threshold: number;
        triggers: { code: string }[];
        reasons: string[];
      } | null>`
        ${agentRun} -> 'quality_gate'`,
    })
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenant.id),
        sql`${jobId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
        wanted,
      ),
    )
    .orderBy(updatedAt, jobId)
    .limit(limit);
  return rows.map((row) => {
    const { updatedAt, jobStatus, severity, decidedBy, source, target, gate, issues, ...same } = row;
    return {
      ...same,
      updated_at: updatedAt.toISOString(),
      status: statusOf(jobStatus, severity, same.pipeline_text !== null),
      is_own_decision: decidedBy === user.id,
      source_text: source.slice(0, longest),
      target_text: target?.slice(0, longest) ?? null,
      is_cut: source.length > longest || (target?.length ?? 0) > longest,
      issues: (issues ?? []).map(findingView),
      score: gate?.score ?? null,
      threshold: gate?.threshold ?? null,
      reasons: (gate?.triggers ?? []).map(({ code }, index) => ({
        code: code as Row['reasons'][number]['code'],
        reason: gate?.reasons[index] ?? null,
      })),
    };
  });
}

/** The status of a text in the editor, as in the inbox. */
function statusOf(job: string, severity: 'critical' | 'warning' | 'todo', isDraft: boolean): Row['status'] {
  if (job === 'rejected') return 'rejected';
  if (!reviewableStatuses.some((one) => one === job)) return 'confirmed';
  return isDraft && severity === 'todo' ? 'draft' : severity;
}

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
  const reached = last && more ? last : null;
  return {
    jobs: await withHolders(tx, principal, jobs),
    next_cursor: reached && cursorOf(reached),
    searched_to: reached?.updatedAt.toISOString() ?? null,
  };
}

/** Maximum number of jobs that are counted per status. Each counted job is an index entry that the request reads. */
const maxCounted = 10_000;

/** Counts the tenant's jobs by status, up to `maxCounted` per status, using the index of statuses. */
export async function countJobs(tx: Tx, tenantId: string): Promise<JobCounts> {
  const { tenantId: tenant, status, updatedAt } = translationJobs;
  const ofStatus = sql`from ${translationJobs} where ${tenant} = ${tenantId} and ${status} = wanted.status`;
  const rows = await tx.execute<{ status: JobStatus; jobs: number; oldest: string | null }>(sql`
    select wanted.status, jobs, to_json(oldest) #>> '{}' as oldest
    from json_array_elements_text(${JSON.stringify(jobStatus.options)}::json) wanted(status),
      lateral (select count(*)::int as jobs from (select ${ofStatus} limit ${maxCounted + 1}) capped) counted,
      lateral (select (select ${updatedAt} ${ofStatus} order by ${updatedAt} limit 1) as oldest) first`);
  const bounded = (count: number) => ({ count: Math.min(count, maxCounted), more: count > maxCounted });
  const waiting = rows.filter((row) => reviewableStatuses.includes(row.status));
  const oldest = waiting.flatMap((row) => (row.oldest === null ? [] : [Date.parse(row.oldest)]));
  return {
    by_status: rows.map((row) => ({ status: row.status, ...bounded(row.jobs) })),
    waiting: {
      ...bounded(waiting.reduce((sum, row) => sum + row.jobs, 0)),
      oldest_at: oldest.length > 0 ? new Date(Math.min(...oldest)).toISOString() : null,
    },
  };
}

/** Maximum number of jobs that are tried one after another, if other members claim them at the same time. */
const maxAttempts = 20;

/**
 * Returns the job that has awaited review longest, starting after the job of the cursor, without jobs that others have
 * claimed. A job's place in the queue is its `updated_at`. This changes only when a draft is saved; then the job moves
 * to the end.
 * @throws AppError 422 for an invalid cursor or an unsupported language
 */
export async function nextReview(
  tx: Tx,
  claimant: Claimant,
  { after, claim, ...filter }: NextReviewInput,
): Promise<Omit<NextReview, 'job'> & { job: TranslationJob | null }> {
  const { tenantId } = claimant;
  const skip = await itemsOfOthers(tx, claimant, 'job');
  let cursor = after;
  for (let tries = 0; tries < maxAttempts; tries++) {
    const { jobs, last, more } = await findJobs(tx, {
      tenantId,
      filter: { ...filter, statuses: [...reviewableStatuses] },
      order: 'oldest',
      limit: 1,
      cursor,
      skip,
    });
    const [found] = jobs;
    if (!found || !last) return { job: null, cursor: more && last ? cursorOf(last) : null, claim: null };
    cursor = cursorOf(last);
    const claimed = claim ? await claimIfFree(tx, claimant, { kind: 'job', id: found.id }) : null;
    if (claimed === undefined) continue;
    const job = await selectJob(tx, tenantId, found.id);
    // The job may have been closed since the search.
    if (job && reviewableStatuses.includes(job.status)) return { job, cursor, claim: claimed };
  }
  return { job: null, cursor: cursor ?? null, claim: null };
}
