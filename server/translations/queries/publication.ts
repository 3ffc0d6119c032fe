import { and, eq, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { sourcesOf } from '../job-states.ts';
import type { AgentRun, JobStatus, TranslationJob } from '../schema.ts';
import { isJob, jobOfRow } from './rows.ts';

/** What a review sets; what is undefined stays as it is. */
export interface ReviewChange {
  status: JobStatus;
  agentRun: AgentRun;
  finalTranslation?: string;
  pipelineCandidate?: string;
  /** Added to what the pipeline wrote. */
  override?: Record<string, unknown>;
  publishAs?: 'published' | 'human_edited';
}

/**
 * The job, if a reviewer may act on it (B 3.1), locked for the rest of the transaction: of two closing reviews the second
 * finds no such job. Answers the job, or nothing where it is in no state for it.
 */
export async function selectReviewable(tx: Tx, tenantId: string, jobId: string) {
  const [row] = await tx
    .select()
    .from(translationJobs)
    .where(and(isJob(tenantId, jobId), inArray(translationJobs.status, sourcesOf('approved'))))
    .for('no key update');
  return row && { job: jobOfRow(row), attempt: row.attempt };
}

/** Writes a review of a job that `selectReviewable` has locked. */
export async function updateReviewed(
  tx: Tx,
  tenantId: string,
  jobId: string,
  { override, ...change }: ReviewChange,
): Promise<TranslationJob> {
  const { pipelineMetadata } = translationJobs;
  const [row] = await tx
    .update(translationJobs)
    .set({
      ...change,
      ...(override && {
        pipelineMetadata: sql`coalesce(${pipelineMetadata}, '{}') || ${JSON.stringify(override)}::jsonb`,
      }),
      updatedAt: sql`now()`,
    })
    .where(isJob(tenantId, jobId))
    .returning();
  if (!row) throw new Error('a locked job is gone');
  return jobOfRow(row);
}

/**
 * Whether a job's row says that this very record of it is published: a condition of a statement behind the one that publishes
 * it. Each attempt has its own record: what a run writes that another has replaced is none of it.
 */
export function isPublished(tenantId: string, jobId: string, goldenUri: string): SQL {
  return sql`exists (select from ${translationJobs} where ${isJob(tenantId, jobId)}
    and ${inArray(translationJobs.status, ['published', 'human_edited'])}
    and ${eq(translationJobs.goldenUri, goldenUri)})`;
}

/**
 * Ends a publication: from `approved` or `persistence_failed`, wherever the table of states allows it. No row where
 * somebody else ended it first.
 */
export async function endPublication(
  tx: Tx,
  tenantId: string,
  jobId: string,
  to: 'published' | 'human_edited' | 'persistence_failed',
  goldenUri: string | null,
): Promise<TranslationJob | undefined> {
  const [row] = await tx
    .update(translationJobs)
    .set({ status: to, goldenUri, updatedAt: sql`now()` })
    .where(and(isJob(tenantId, jobId), inArray(translationJobs.status, sourcesOf(to))))
    .returning();
  return row && jobOfRow(row);
}

/** A job whose golden record is still to be written. */
export interface UnpersistedJob {
  job: TranslationJob;
  attempt: number;
  publishAs: 'published' | 'human_edited';
}

/** States in which a job's golden record is still to be written. */
export const unpersisted = ['persistence_failed', 'approved'] as const;

/** Where a replay is in the jobs of one state, the oldest first. */
export interface UnpersistedPlace {
  status: (typeof unpersisted)[number];
  /** The last job that was tried. */
  after: { updatedAt: string; id: string } | null;
}

/**
 * The jobs of a state to persist again: parked ones, and those whose process died while it published them. At most `limit`
 * behind those that were tried already, in the order of the index of states. Those that were parked since `until` wait for the
 * next time.
 */
export async function selectUnpersisted(
  tx: Tx,
  tenantId: string,
  { status, after }: UnpersistedPlace,
  { staleSeconds, limit, until }: { staleSeconds: number; limit: number; until: Date },
): Promise<UnpersistedJob[]> {
  const { updatedAt, jobId } = translationJobs;
  const rows = await tx
    .select()
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        eq(translationJobs.status, status),
        status === 'approved'
          ? lt(updatedAt, sql`now() - make_interval(secs => ${staleSeconds})`)
          : lt(updatedAt, until),
        after === null
          ? undefined
          : sql`(${updatedAt}, ${jobId}) > (${after.updatedAt}::timestamptz, ${after.id})`,
      ),
    )
    .orderBy(updatedAt, jobId)
    .limit(limit);
  return rows.map((row) => ({
    job: jobOfRow(row),
    attempt: row.attempt,
    publishAs: row.publishAs ?? 'published',
  }));
}

/** The moment by the database's clock. */
export async function selectNow(tx: Tx): Promise<Date> {
  const [row] = await tx.execute<{ at: string }>(sql`select to_json(now()) #>> '{}' as at`);
  return new Date(row!.at);
}

/** The tenants that have jobs to persist again; read in platform scope. */
export async function selectTenantsWithUnpersisted(tx: Tx, staleSeconds: number): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(isUnpersisted(staleSeconds));
  return rows.map((row) => row.tenantId);
}

function isUnpersisted(staleSeconds: number) {
  return and(
    inArray(translationJobs.status, ['approved', 'persistence_failed']),
    sql`(${eq(translationJobs.status, 'persistence_failed')} or ${lt(
      translationJobs.updatedAt,
      sql`now() - make_interval(secs => ${staleSeconds})`,
    )})`,
  );
}
