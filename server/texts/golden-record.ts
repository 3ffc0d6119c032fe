import { and, eq, gt, gte, inArray, isNotNull, lt, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  type AnnouncedRecord,
  announcedJobs,
  type GoldenRecord,
  isOfAttempt,
  listGolden,
  type NewGoldenRecord,
  type RecordedJobs,
  removeGolden,
  type Verdict,
  writeGolden,
} from '#server/records/golden-records.ts';
import {
  type Destination,
  type DestinationServices,
  destinationOf,
  isInAccount,
} from '#server/storage/destination.ts';
import type { AgentStep } from '#server/translation/agent-run-schema.ts';
import { isJob, jobOfRow } from './jobs.ts';
import type { JobStatus, TranslationJob } from './schema.ts';
import { tenantView } from './tenant-view.ts';

/** The golden records of text jobs, for `checkGoldenRecords`. */
export const textRecords: RecordedJobs = {
  kind: 'text',
  async judge(tx, announced) {
    const jobs = await selectRecorded(tx, announced);
    return announced.map((one) => verdictOn(one, jobs.get(`${one.tenant_id} ${one.job_id}`)));
  },
  async tenantsSince(tx, since) {
    const rows = await tx
      .selectDistinct({ tenantId: translationJobs.tenantId })
      .from(translationJobs)
      .where(publishedSince(since));
    return rows.map(({ tenantId }) => tenantId);
  },
  async recordsBetween(tx, tenantId, { from, to, after, limit }) {
    const rows = await tx
      .select()
      .from(translationJobs)
      .where(
        and(
          eq(translationJobs.tenantId, tenantId),
          publishedSince(from),
          lt(translationJobs.updatedAt, to),
          gt(translationJobs.jobId, after),
        ),
      )
      .orderBy(translationJobs.jobId)
      .limit(limit);
    return rows.map((row) => recordOfRow(tenantId, row));
  },
  async recordOf(tx, tenantId, jobId) {
    const [row] = await tx
      .select()
      .from(translationJobs)
      .where(and(isJob(tenantId, jobId), isNotNull(translationJobs.goldenUri)));
    return row && recordOfRow(tenantId, row);
  },
  async relocate(tx, tenantId, jobId, { from, to }) {
    const { count } = await tx
      .update(translationJobs)
      .set({ goldenUri: to })
      .where(and(isJob(tenantId, jobId), eq(translationJobs.goldenUri, from)));
    return count > 0;
  },
};

function recordOfRow(tenantId: string, row: typeof translationJobs.$inferSelect): GoldenRecord {
  const { attempt, updatedAt: recordedAt } = row;
  const uri = row.goldenUri as string;
  const record = goldenRecord(tenantId, jobOfRow(row), { attempt, inAccount: isInAccount(uri), recordedAt });
  return { ...record, uri };
}

/**
 * Decides what happens to an announced record. The record of an earlier attempt can no longer be published. The record
 * of a failed job was written by a run that could not store its result; the next run writes another one. A job that is
 * being published announces its record again.
 */
function verdictOn({ job_id, golden_uri: uri }: AnnouncedRecord, job: RecordedJob | undefined): Verdict {
  if (!job) return 'remove';
  if (job.goldenUri === uri) return 'listed';
  // The job is running, or its process died and the stale sweep will mark the job as failed.
  if (job.status === 'pending') return 'wait';
  if (!isOfAttempt(uri, job_id, job.attempt)) return 'remove';
  if (['failed', 'published', 'human_edited'].includes(job.status)) return 'remove';
  return 'keep';
}

/** The columns of a job's row that concern its golden record. */
interface RecordedJob {
  status: JobStatus;
  /** Number of the latest attempt. */
  attempt: number;
  goldenUri: string | null;
}

/** Returns jobs keyed by `tenant job`. Platform scope. */
async function selectRecorded(tx: Tx, wanted: readonly AnnouncedRecord[]): Promise<Map<string, RecordedJob>> {
  const rows = await tx
    .select({
      tenantId: translationJobs.tenantId,
      jobId: translationJobs.jobId,
      status: translationJobs.status,
      attempt: translationJobs.attempt,
      goldenUri: translationJobs.goldenUri,
    })
    .from(translationJobs)
    .innerJoin(
      announcedJobs(wanted),
      sql`wanted.tenant_id = ${translationJobs.tenantId} and wanted.job_id = ${translationJobs.jobId}`,
    );
  return new Map(
    rows.map(({ tenantId, jobId, status, attempt, goldenUri }) => [
      `${tenantId} ${jobId}`,
      { status: status as JobStatus, attempt, goldenUri },
    ]),
  );
}

function publishedSince(since: Date) {
  return and(
    inArray(translationJobs.status, ['published', 'human_edited']),
    isNotNull(translationJobs.goldenUri),
    gte(translationJobs.updatedAt, since),
  );
}

/**
 * Returns the golden record of a text job: the complete job in platform storage, or a redacted copy in the tenant's own
 * account.
 */
function goldenRecord(
  tenantId: string,
  job: TranslationJob,
  { attempt, inAccount, recordedAt }: { attempt: number; inAccount: boolean; recordedAt: Date },
): NewGoldenRecord {
  const { source_lang, target_lang } = job.request;
  return {
    kind: 'text',
    tenantId,
    jobId: job.id,
    attempt,
    recordedAt,
    content: JSON.stringify({
      schema_version: '1.0',
      kind: 'text',
      tenant_id: tenantId,
      job_id: job.id,
      recorded_at: recordedAt.toISOString(),
      job: inAccount ? redactedCopy(job) : job,
    }),
    summary: { status: job.status, source_lang, target_lang },
  };
}

export type PersistingServices = DestinationServices &
  Pick<Services, 'backgroundWork' | 'storage' | 'settings' | 'log'>;

/** A golden record that is stored, although the job's row does not refer to it yet. */
export interface PersistedGolden {
  uri: string;
  /** Call this after the row refers to the record. */
  list(): void;
  /** Removes the record, because the row could not be stored. Never fails. */
  remove(): Promise<unknown>;
}

/**
 * Writes a job's golden record. Call this before the job's row is published: a job without a record is not published.
 * @returns the error if the record could not be written; the job is then published later
 */
export async function persistGolden(
  services: PersistingServices,
  tenantId: string,
  job: TranslationJob,
  attempt: number,
): Promise<PersistedGolden | AppError> {
  let destination: Destination;
  try {
    destination = await destinationOf(services, tenantId);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  const inAccount = destination.provider !== 'platform';
  const record = goldenRecord(tenantId, job, { attempt, inAccount, recordedAt: new Date() });
  const place = await writeGolden(services, record, destination);
  if (!place) return persistenceFailed();
  const uri = place.address;
  return {
    uri,
    list: () => listGolden(services, { ...record, uri }, place),
    remove: () => removeGolden(services, tenantId, job.id, uri),
  };
}

/**
 * Returns the error for a job that is stored and billed, but whose golden record could not be written. The sweep
 * publishes the job later.
 */
export function persistenceFailed(): AppError {
  return new AppError(
    'persistence_failed',
    'the golden record could not be written; the translation is saved and will be published automatically; do not resend',
  );
}

/**
 * Returns the copy of a job for the tenant's own account. It has the text, the reasons for review, scores and
 * decisions. It has no model names, token counts and reasoning, and not the work of agents and tools in each step.
 * Contains only the fields that are listed here or in `tenantView`.
 */
function redactedCopy(job: TranslationJob): TranslationJob {
  const view = tenantView(job);
  return { ...view, agent_run: { ...view.agent_run, steps: view.agent_run.steps.map(redactedStep) } };
}

function redactedStep(step: AgentStep): AgentStep {
  const isHuman = step.kind === 'human';
  return {
    id: step.id,
    name: step.name,
    actor: step.actor,
    kind: step.kind,
    status: step.status,
    // The input of a reviewer's step describes the decision, so it is kept.
    input_summary: isHuman ? step.input_summary : null,
    output_summary: isHuman ? step.output_summary : null,
    tool_calls: [],
    decisions: step.decisions.map(({ id, label, outcome, confidence, created_at }) => ({
      id,
      label,
      outcome,
      rationale: null,
      confidence,
      created_at,
    })),
    error: step.error,
    started_at: step.started_at,
    completed_at: step.completed_at,
  };
}
