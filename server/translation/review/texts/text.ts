import { and, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { AppError } from '#server/errors.ts';
import type { ClaimedVia } from '#server/identity/access/claimed-via.ts';
import { unlearnJob } from '#server/language/translation-memory/learning.ts';
import { newId } from '#server/platform/ids.ts';
import type { AgentRun, AgentStep } from '#server/translation/core/agent-run-schema.ts';
import type { Finding } from '#server/translation/core/findings.ts';
import { reopen, reviewableStatuses } from '#server/translation/texts/job-states.ts';
import { getJob, isJob, jobOfRow } from '#server/translation/texts/jobs.ts';
import type { TranslationJob } from '#server/translation/texts/schema.ts';
import { removeDecision } from '../figures.ts';
import { type Decision, type ReviewKind, reopenMinutes } from '../item.ts';
import { listWaitingTexts } from './waiting.ts';

/** Texts as items for review. */
export const texts: ReviewKind = {
  table: translationJobs,
  is: isJob,
  unknown: unknownJob,
  hasSegment: async () => false,
  listWaiting: listWaitingTexts,
  selectDecision,
  reopenIn: (_services, withBearer, _id, { work }) => withBearer(work),
};

function unknownJob(): AppError {
  return new AppError('not_found', 'job not found');
}

/** The job has changed since the reviewer read it. */
export class JobChanged extends AppError {
  readonly job: TranslationJob;
  constructor(job: TranslationJob) {
    super('conflict', `job ${job.id} has changed since it was read (status=${job.status})`);
    this.job = job;
  }
}

/**
 * Selects a job that can be reviewed, and locks it until the transaction ends. If two reviews close a job at the same
 * time, the second one finds none.
 * @param seen the `updated_at` of the job that the reviewer saw; undefined for any version
 * @throws AppError 404; JobChanged; 400 validation_error if the job cannot be reviewed in its status
 */
export async function selectReviewable(tx: Tx, tenantId: string, jobId: string, seen?: string) {
  const [row] = await tx
    .select()
    .from(translationJobs)
    .where(and(isJob(tenantId, jobId), inArray(translationJobs.status, reviewableStatuses)))
    .for('no key update');
  const present = row ? jobOfRow(row) : await getJob(tx, tenantId, jobId);
  if (seen !== undefined && Date.parse(seen) !== Date.parse(present.updated_at))
    throw new JobChanged(present);
  if (!row)
    throw new AppError('validation_error', `job ${present.id} is not reviewable (status=${present.status})`);
  return { job: present, stored: row.findings as Finding[] | null, attempt: row.attempt };
}

/**
 * SQL: the new `updated_at` of a job. It must be later than the previous one, even if the transaction began earlier: it
 * identifies the version of the job for reviewers.
 */
export const nextVersion = sql`greatest(now(), ${translationJobs.updatedAt} + interval '1 millisecond')`;

/** Returns the step of a review in the trace of a job. */
export function reviewStep(
  { actor, claimedVia }: { actor: string; claimedVia?: ClaimedVia | null },
  action: string,
  at: string,
): AgentStep {
  return {
    id: newId(),
    name: 'human_review',
    actor,
    ...(claimedVia && { claimed_via: claimedVia }),
    kind: 'human',
    status: 'completed',
    input_summary: null,
    output_summary: action,
    tool_calls: [],
    decisions: [],
    error: null,
    started_at: at,
    completed_at: at,
  };
}

/**
 * Selects and locks a closed job. It is reopened with the decided text as its draft and a new review task. The next
 * decision writes a record and a segment for a new attempt. Translations that were already served from the segment stay.
 * Nothing is billed, because reviews are never billed. If a publication of the job is in progress, it finds that the job
 * has a new attempt, and removes its own record.
 * @throws AppError 404; 409 conflict for a job that is not closed, or is being published
 */
async function selectDecision(tx: Tx, tenantId: string, jobId: string): Promise<Decision> {
  const { decidedAt, pipelineCandidate, replacedText, updatedAt } = translationJobs;
  const [found] = await tx
    .select({
      row: translationJobs,
      isRecent: sql<boolean | null>`${decidedAt} > now() - make_interval(mins => ${reopenMinutes})`,
    })
    .from(translationJobs)
    .where(isJob(tenantId, jobId))
    .for('no key update');
  if (!found) throw unknownJob();
  const { row, isRecent } = found;
  const job = jobOfRow(row);
  const status = reopen(job.status);
  if (!status) {
    const why = job.status === 'approved' ? 'is being published; try again' : 'is not closed';
    throw new AppError('conflict', `the job ${why} (status=${job.status})`);
  }
  return {
    what: `job ${jobId}`,
    status: job.status,
    isRecent,
    by: row.decidedBy,
    published: { tenantId, jobId, attempt: row.attempt, goldenUri: row.goldenUri },
    async withdraw(actor) {
      const [changed] = await tx
        .update(translationJobs)
        .set({
          status,
          // With a new attempt, a publication of the previous decision that is still running writes nothing more.
          attempt: row.attempt + 1,
          goldenUri: null,
          publishAs: null,
          decidedAt: null,
          decidedBy: null,
          pipelineCandidate: sql`coalesce(${pipelineCandidate}, ${replacedText})`,
          replacedText: null,
          pipelineMetadata: withoutOverride(row.pipelineMetadata),
          agentRun: withNewTask(job.agent_run, actor, new Date()),
          updatedAt: nextVersion,
        })
        .where(isJob(tenantId, jobId))
        .returning({ updatedAt });
      if (!changed) throw new Error('a job was deleted although it was locked');
      await unlearnJob(tx, tenantId, jobId);
      if (row.decidedBy !== null && row.decidedAt)
        await removeDecision(tx, { tenantId, userId: row.decidedBy }, decisionOf(row), row.decidedAt);
      return { status, ...changed };
    },
  };
}

/** The previous reviewer accepted missing glossary terms; the next reviewer must confirm them again. */
function withoutOverride(metadata: Record<string, unknown> | null) {
  if (!metadata) return metadata;
  const { terminology_gate_override: _, ...kept } = metadata;
  return kept;
}

function decisionOf({ status, publishAs }: typeof translationJobs.$inferSelect) {
  if (status === 'rejected') return 'rejected';
  return publishAs === 'published' ? 'approved' : 'edited';
}

/** The previous task stays in the trace, in the steps of its reviews. */
function withNewTask(run: AgentRun, actor: string, now: Date): AgentRun {
  const at = now.toISOString();
  const task = run.human_review_task;
  return {
    ...run,
    steps: [...run.steps, reviewStep({ actor }, 'reopen', at)],
    human_review_task: task && {
      ...task,
      id: newId(),
      status: 'open',
      completed_by: null,
      claimed_via: null,
      created_at: at,
      completed_at: null,
      metadata: { reopened_by: actor },
    },
  };
}
