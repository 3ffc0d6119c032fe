import { and, desc, eq, lt, or, Param, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { prepare, type Tx } from '#db/client.ts';
import { usageRecords } from '#db/schema/metering.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { AgentRun, JobStatus, TranslationJob, TranslationRequest } from './schema.ts';

type JobRow = typeof translationJobs.$inferSelect;

/** A stored job, in the operator's full shape, and what only the service needs of it. */
export interface StoredJob {
  job: TranslationJob;
  attempt: number;
  /** Left pending for longer than the stale-pending time: a resend may run it again (B 4.2). */
  stalePending: boolean;
}

const emptyRun: AgentRun = {
  status: 'pending',
  steps: [],
  quality_gate: null,
  human_review_task: null,
  error: null,
};

export interface NewJob {
  tenantId: string;
  jobId: string;
  request: TranslationRequest;
}

export interface Admitted {
  jobId: string;
  attempt: number;
  createdAt: Date;
}

const insertPending = prepare<NewJob & { idempotencyKey: string | null }, Admitted[]>((db) =>
  db
    .insert(translationJobs)
    .values({
      tenantId: sql.placeholder('tenantId'),
      jobId: sql.placeholder('jobId'),
      status: 'pending',
      idempotencyKey: sql.placeholder('idempotencyKey'),
      request: sql.placeholder('request'),
      agentRun: emptyRun,
    })
    .onConflictDoNothing({ target: [translationJobs.tenantId, translationJobs.idempotencyKey] })
    .returning({
      jobId: translationJobs.jobId,
      attempt: translationJobs.attempt,
      createdAt: translationJobs.createdAt,
    })
    .prepare('insert_pending'),
);

/** Inserts a pending job; no row comes back where the tenant has a job of that idempotency key already. */
export function insertJob(tx: Tx, job: NewJob): Promise<Admitted[]> {
  return insertPending(tx, { ...job, idempotencyKey: job.request.idempotency_key ?? null });
}

/** Sets a failed or stale job to pending again, under the next attempt; no row where it is neither any more. */
export function restartJob(tx: Tx, tenantId: string, jobId: string, staleSeconds: number) {
  return tx
    .update(translationJobs)
    .set({
      status: 'pending',
      attempt: sql`${translationJobs.attempt} + 1`,
      agentRun: emptyRun,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        eq(translationJobs.jobId, jobId),
        or(eq(translationJobs.status, 'failed'), isStalePending(staleSeconds)),
      ),
    )
    .returning({
      jobId: translationJobs.jobId,
      attempt: translationJobs.attempt,
      createdAt: translationJobs.createdAt,
    });
}

export interface FinishedJob {
  tenantId: string;
  jobId: string;
  attempt: number;
  status: JobStatus;
  baselineTranslation: string | null;
  finalTranslation: string | null;
  qualityAssessment: unknown;
  refinement: unknown;
  verification: unknown;
  agentRun: AgentRun;
}

export interface JobUsage {
  sourceLang: string;
  targetLang: string;
  sourceChars: number;
  billableChars: number;
  fastPath: string | null;
  inputTokens: number;
  outputTokens: number;
  models: string[];
}

const value = sql.placeholder;

const finishPending = prepare<FinishedJob & JobUsage, { updatedAt: Date }[]>((db) => {
  const finished = db.$with('finished').as(
    db
      .update(translationJobs)
      .set({
        status: bound('status'),
        baselineTranslation: bound('baselineTranslation'),
        finalTranslation: bound('finalTranslation'),
        qualityAssessment: bound('qualityAssessment', translationJobs.qualityAssessment),
        refinement: bound('refinement', translationJobs.refinement),
        verification: bound('verification', translationJobs.verification),
        agentRun: bound('agentRun', translationJobs.agentRun),
        updatedAt: sql`now()`,
      })
      .where(
        and(
          eq(translationJobs.tenantId, value('tenantId')),
          eq(translationJobs.jobId, value('jobId')),
          eq(translationJobs.attempt, value('attempt')),
          eq(translationJobs.status, 'pending'),
        ),
      )
      .returning({
        tenantId: translationJobs.tenantId,
        jobId: translationJobs.jobId,
        status: translationJobs.status,
        updatedAt: translationJobs.updatedAt,
      }),
  );
  return db
    .with(finished)
    .insert(usageRecords)
    .select(
      sql`select ${finished.tenantId}, ${finished.jobId}, 'text',
        to_char(${finished.updatedAt} at time zone 'UTC', 'YYYY-MM'),
        ${value('sourceLang')}, ${value('targetLang')}, ${value('sourceChars')}::int,
        ${value('billableChars')}::int, ${finished.status}, ${value('fastPath')},
        ${value('inputTokens')}::int, ${value('outputTokens')}::int,
        ${value('inputTokens')}::int + ${value('outputTokens')}::int,
        ${bound('models', usageRecords.models)}::jsonb, ${finished.updatedAt} from ${finished}`,
    )
    .returning({ updatedAt: usageRecords.recordedAt })
    .prepare('finish_pending');
});

/** A placeholder as a value to set; with a column, written as that column writes its values. */
function bound(name: string, column?: PgColumn): SQL {
  return column ? sql`${new Param(value(name), column)}` : sql`${value(name)}`;
}

/**
 * Writes a finished run and its usage record, in one statement: no record without the job, and neither for a
 * run whose attempt is no longer the job's. Answers the job's new updated_at, or no row.
 */
export function finishJob(tx: Tx, job: FinishedJob, usage: JobUsage): Promise<{ updatedAt: Date }[]> {
  return finishPending(tx, { ...job, ...usage });
}

/** Says that a pending job is still being run, unless another attempt has taken it over. */
export function touchJob(
  tx: Tx,
  tenantId: string,
  { jobId, attempt }: Pick<Admitted, 'jobId' | 'attempt'>,
): PromiseLike<unknown> {
  return tx
    .update(translationJobs)
    .set({ updatedAt: sql`now()` })
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        eq(translationJobs.jobId, jobId),
        eq(translationJobs.attempt, attempt),
        eq(translationJobs.status, 'pending'),
      ),
    );
}

/** Marks a pending job failed, unless another attempt has taken it over. */
export function failJob(
  tx: Tx,
  job: Pick<FinishedJob, 'tenantId' | 'jobId' | 'attempt' | 'agentRun'>,
): PromiseLike<unknown> {
  return tx
    .update(translationJobs)
    .set({ status: 'failed', agentRun: job.agentRun, updatedAt: sql`now()` })
    .where(
      and(
        eq(translationJobs.tenantId, job.tenantId),
        eq(translationJobs.jobId, job.jobId),
        eq(translationJobs.attempt, job.attempt),
        eq(translationJobs.status, 'pending'),
      ),
    );
}

export async function selectJob(
  tx: Tx,
  tenantId: string,
  jobId: string,
): Promise<TranslationJob | undefined> {
  const [row] = await tx
    .select()
    .from(translationJobs)
    .where(and(eq(translationJobs.tenantId, tenantId), eq(translationJobs.jobId, jobId)));
  return row && jobOfRow(row);
}

const selectByKey = prepare<
  { idempotencyKey: string; staleSeconds: number },
  { row: JobRow; stalePending: boolean }[]
>((db) =>
  db
    .select({
      row: translationJobs,
      stalePending: sql<boolean>`${translationJobs.status} = 'pending' and
        ${translationJobs.updatedAt} < now() - make_interval(secs => ${sql.placeholder('staleSeconds')})`,
    })
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, sql`current_setting('lingualoop.tenant_id')`),
        eq(translationJobs.idempotencyKey, sql.placeholder('idempotencyKey')),
      ),
    )
    .prepare('select_by_key'),
);

/** The job of a key, in the transaction's own tenant: it can be asked before anybody knows which that is. */
export async function selectJobByKey(
  tx: Tx,
  idempotencyKey: string,
  staleSeconds: number,
): Promise<StoredJob | undefined> {
  const [found] = await selectByKey(tx, { idempotencyKey, staleSeconds });
  if (!found) return undefined;
  return { job: jobOfRow(found.row), attempt: found.row.attempt, stalePending: found.stalePending };
}

export interface JobListing {
  tenantId: string;
  status?: JobStatus | undefined;
  limit: number;
  /** The last job of the page before. */
  after?: { updatedAt: Date; jobId: string } | undefined;
}

/** Newest updated_at first; one more than `limit` tells whether there is a next page. */
export async function selectJobs(tx: Tx, { tenantId, status, limit, after }: JobListing) {
  const rows = await tx
    .select()
    .from(translationJobs)
    .where(
      and(
        eq(translationJobs.tenantId, tenantId),
        status && eq(translationJobs.status, status),
        after &&
          sql`(${translationJobs.updatedAt}, ${translationJobs.jobId}) < (${after.updatedAt.toISOString()}::timestamptz, ${after.jobId})`,
      ),
    )
    .orderBy(desc(translationJobs.updatedAt), desc(translationJobs.jobId))
    .limit(limit + 1);
  return rows.map(jobOfRow);
}

/** The tenants that have stale pending jobs; read in platform scope. */
export async function selectTenantsWithStaleJobs(tx: Tx, staleSeconds: number): Promise<string[]> {
  const rows = await tx
    .selectDistinct({ tenantId: translationJobs.tenantId })
    .from(translationJobs)
    .where(isStalePending(staleSeconds));
  return rows.map((row) => row.tenantId);
}

/** Marks one tenant's stale pending jobs failed, and tells how many there were. */
export async function failStaleJobs(tx: Tx, tenantId: string, staleSeconds: number, message: string) {
  const rows = await tx
    .update(translationJobs)
    .set({
      status: 'failed',
      agentRun: sql`${translationJobs.agentRun} || jsonb_build_object('status', 'failed', 'error', ${message}::text)`,
      updatedAt: sql`now()`,
    })
    .where(and(eq(translationJobs.tenantId, tenantId), isStalePending(staleSeconds)))
    .returning({ jobId: translationJobs.jobId });
  return rows.length;
}

function isStalePending(staleSeconds: number): SQL | undefined {
  return and(
    eq(translationJobs.status, 'pending'),
    lt(translationJobs.updatedAt, sql`now() - make_interval(secs => ${staleSeconds})`),
  );
}

function jobOfRow(row: JobRow): TranslationJob {
  return {
    id: row.jobId,
    request: row.request as TranslationRequest,
    status: row.status as JobStatus,
    baseline_translation: row.baselineTranslation,
    final_translation: row.finalTranslation,
    quality_assessment: row.qualityAssessment as TranslationJob['quality_assessment'],
    refinement: row.refinement as TranslationJob['refinement'],
    verification: row.verification as TranslationJob['verification'],
    agent_run: row.agentRun as AgentRun,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
