import { and, desc, eq, type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { PgSelect } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { AppError } from '#server/errors.ts';
import type { Warning } from '#server/http/warnings.ts';
import type { AgentRun } from '#server/translation/agent-run-schema.ts';
import { type Finding, idOf } from '#server/translation/findings.ts';
import { type JobStatus, jobStatus, type TranslationJob, type TranslationRequest } from './schema.ts';

export async function selectJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
): Promise<TranslationJob | undefined> {
  const [row] = await tx.select().from(translationJobs).where(isJob(tenantId, jobId));
  return row && jobOfRow(row);
}

interface JobListing {
  tenantId: string;
  status?: JobStatus | undefined;
  limit: number;
  /** The last job of the previous page. */
  after?: { updatedAt: Date; id: string } | undefined;
  /** If given, only jobs with these ids. */
  ids?: readonly string[] | undefined;
}

/** Maximum size of a page in bytes, approximately. A page of long texts contains fewer jobs than the limit. */
const pageBytes = 3_000_000;

/**
 * SQL: approximate bytes of a job in a response, computed from stored sizes, so that no value is decompressed.
 * Compressed JSON is counted four times.
 */
const jobBytes = sql<number>`octet_length(coalesce(${translationJobs.finalTranslation}, ''))
  + octet_length(coalesce(${translationJobs.baselineTranslation}, ${translationJobs.finalTranslation}, ''))
  + 4 * (pg_column_size(${translationJobs.request}) + pg_column_size(${translationJobs.agentRun})
    + coalesce(pg_column_size(${translationJobs.qualityAssessment}), 0)
    + coalesce(pg_column_size(${translationJobs.refinement}), 0)
    + coalesce(pg_column_size(${translationJobs.verification}), 0)
    + coalesce(pg_column_size(${translationJobs.findings}), 0))`;

/**
 * Returns a page of jobs, the most recent updated_at first: at most `limit` jobs and about `pageBytes`, but at least
 * one job. `more`: whether other jobs follow.
 */
export async function selectJobs(
  tx: Tx,
  { tenantId, status, limit, after, ids }: JobListing,
): Promise<{ jobs: TranslationJob[]; more: boolean }> {
  const { jobId, updatedAt } = translationJobs;
  const latestFirst = [desc(updatedAt), desc(jobId)];
  const places = ofEachStatus(status ? [status] : jobStatus.options, latestFirst, limit + 1, (one) =>
    tx
      .select({ jobId, updatedAt, bytes: jobBytes.as('bytes') })
      .from(translationJobs)
      .where(
        and(
          eq(translationJobs.tenantId, tenantId),
          eq(translationJobs.status, one),
          ids && sql`${jobId} = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`,
          after &&
            sql`(${updatedAt}, ${jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.id})`,
        ),
      )
      .$dynamic(),
  ).as('places');
  const order = sql`${places.updatedAt} desc, ${places.jobId} desc`;
  const page = tx.$with('page').as(
    tx
      .select({
        jobId: places.jobId,
        bytesBefore:
          sql<number>`sum(${places.bytes}) over (order by ${order} rows unbounded preceding) - ${places.bytes}`.as(
            'bytes_before',
          ),
        place: sql<number>`row_number() over (order by ${order})`.as('place'),
      })
      .from(places),
  );
  const rows = await tx
    .with(page)
    .select({ row: translationJobs, found: sql<number>`(select count(*)::int from ${page})` })
    .from(page)
    .innerJoin(
      translationJobs,
      and(eq(translationJobs.tenantId, tenantId), eq(translationJobs.jobId, page.jobId)),
    )
    .where(sql`${page.bytesBefore} < ${pageBytes} and ${page.place} <= ${limit}`)
    .orderBy(...latestFirst);
  return {
    jobs: rows.map(({ row }) => jobOfRow(row)),
    more: rows.length < (rows[0]?.found ?? 0),
  };
}

/**
 * Selects the first jobs of several statuses in the order of `updated_at` and ID, or in the reverse order. The index of
 * statuses has the jobs of each status in this order, and PostgreSQL merges these, so no index of all jobs by time is
 * needed. It does so only if each part has the order and the limit, too.
 * @param select selects the jobs of a status, with the columns `job_id` and `updated_at`
 */
export function ofEachStatus<Q extends PgSelect>(
  statuses: readonly JobStatus[],
  order: readonly SQL[],
  limit: number,
  select: (status: JobStatus) => Q,
): Q {
  const [first, ...others] = statuses.map(
    (status) =>
      select(status)
        .orderBy(...order)
        .limit(limit) as Q,
  ) as [Q, ...Q[]];
  if (others.length === 0) return first;
  return others
    .reduce((all, one) => all.unionAll(one as never) as Q, first)
    .orderBy(...order)
    .limit(limit) as Q;
}

/** Returns the tenant of a job, for the operator. Platform scope. */
export async function selectTenantOfJob(tx: Tx, jobId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(eq(translationJobs.jobId, jobId));
  return row?.tenantId;
}

/** @throws AppError 404 for an unknown or deleted ID, or one of another tenant; the response is the same */
export async function getJob(tx: Tx, tenantId: string, jobId: string): Promise<TranslationJob> {
  const job = await selectJob(tx, tenantId, jobId);
  if (!job) throw unknownJob();
  return job;
}

export function unknownJob(): AppError {
  return new AppError('not_found', 'job not found');
}

/** Returns the latest failed jobs of a tenant, with the message of each failure. */
export async function selectLatestFailures(
  tx: Tx,
  tenantId: string,
  limit: number,
): Promise<{ id: string; failedAt: Date; error: string | null }[]> {
  return tx
    .select({
      id: translationJobs.jobId,
      failedAt: translationJobs.updatedAt,
      error: sql<string | null>`${translationJobs.agentRun} ->> 'error'`,
    })
    .from(translationJobs)
    .where(and(eq(translationJobs.tenantId, tenantId), eq(translationJobs.status, 'failed')))
    .orderBy(desc(translationJobs.updatedAt), desc(translationJobs.jobId))
    .limit(limit);
}

export type JobRow = typeof translationJobs.$inferSelect;

/** A stored job in the operator's full view, with fields for internal use. */
export interface StoredJob {
  job: TranslationJob;
  attempt: number;
  /**
   * Fingerprint of the request that created the job; null without a key, and for jobs that are older than the
   * fingerprints.
   */
  requestFingerprint: Uint8Array | null;
  /**
   * Whether the job has been pending for longer than STALE_PENDING_SECONDS: if the request is sent again, the job may
   * run again.
   */
  stalePending: boolean;
}

/** The run of a job that has not started. */
export const emptyRun: AgentRun = {
  status: 'pending',
  steps: [],
  quality_gate: null,
  human_review_task: null,
  error: null,
};

/** Fields of a request without effect on a run, which a row lacks if they are null. */
const omittedFields = {
  idempotency_key: null,
  deployment_name: null,
  adaptive_dataset_id: null,
  allow_fallback: null,
};

/** Returns a request as rows store it. */
export function storedRequest(request: TranslationRequest): Partial<TranslationRequest> {
  const stored: Partial<TranslationRequest> = { ...request };
  for (const name of Object.keys(omittedFields) as (keyof typeof omittedFields)[])
    if (request[name] === null) delete stored[name];
  return stored;
}

/** Returns the job of a row. Some metadata that the server writes has separate columns. */
export function jobOfRow(row: JobRow): TranslationJob {
  const request: TranslationRequest = { ...omittedFields, ...(row.request as TranslationRequest) };
  const written = {
    ...row.pipelineMetadata,
    ...(row.pipelineCandidate !== null && { review_pipeline_candidate: row.pipelineCandidate }),
    ...(row.goldenUri !== null && { golden_uri: row.goldenUri }),
  };
  return {
    id: row.jobId,
    request: { ...request, metadata: { ...request.metadata, ...written } },
    status: row.status as JobStatus,
    ...withDecisions(runOf(row), row.findings as Finding[] | null),
    warnings: (row.warnings as Warning[] | null) ?? [],
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

type RunFields = Pick<
  TranslationJob,
  | 'baseline_translation'
  | 'final_translation'
  | 'quality_assessment'
  | 'refinement'
  | 'verification'
  | 'agent_run'
>;

function runOf(row: JobRow): RunFields {
  return {
    baseline_translation: row.baselineTranslation,
    final_translation: row.finalTranslation,
    quality_assessment: row.qualityAssessment as RunFields['quality_assessment'],
    refinement: row.refinement as RunFields['refinement'],
    verification: row.verification as RunFields['verification'],
    agent_run: row.agentRun as AgentRun,
  };
}

/** Returns the fields of a run, whose issues have the states that a review has given them. */
function withDecisions(run: RunFields, findings: readonly Finding[] | null): RunFields {
  if (!findings) return run;
  const byId = new Map(findings.map((finding) => [idOf(finding), finding]));
  const decided = <T extends { issues: Finding[] }>(judged: T | null): T | null =>
    judged && { ...judged, issues: judged.issues.map((issue) => byId.get(idOf(issue)) ?? issue) };
  return { ...run, refinement: decided(run.refinement), verification: decided(run.verification) };
}

/** Matches one job by tenant and ID. The row-level policy is only the second line of defense. */
export function isJob(tenantId: string, jobId: string): SQL | undefined {
  return and(eq(translationJobs.tenantId, tenantId), eq(translationJobs.jobId, jobId));
}

/**
 * Matches pending jobs without progress. A job in the queue of the workers is stale after a day.
 * @param staleSeconds a number, or a placeholder of a prepared statement
 */
export function isStalePending(staleSeconds: number | Placeholder): SQL {
  const { status, updatedAt, queued } = translationJobs;
  return sql`(${status} = 'pending' and ${updatedAt} < now() - make_interval(secs => ${staleSeconds})
    and (not ${queued} or ${updatedAt} < now() - interval '1 day'))`;
}
