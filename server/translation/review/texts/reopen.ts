import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { unlearnJob } from '#server/language/translation-memory/learning.ts';
import { newId } from '#server/platform/ids.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import type { AgentRun } from '#server/translation/core/agent-run-schema.ts';
import {
  type DeletedJob,
  removeGoldenLater,
  removeGoldenNow,
} from '#server/translation/records/golden-deletion.ts';
import { reopen } from '#server/translation/texts/job-states.ts';
import { isJob, jobOfRow } from '#server/translation/texts/jobs.ts';
import { claimantOf } from '../claims.ts';
import { removeDecision } from '../figures.ts';
import { reopenMinutes, requireReopenable } from '../reopening.ts';
import type { ReopenedItem } from '../schema.ts';

/**
 * Withdraws the review that closed a job: the job awaits review again, with the decided text as its draft and a new
 * review task. The publication is withdrawn in the same transaction: the row no longer refers to a golden record, and
 * the job's segment leaves the TM, so that the previous target is served again. The next decision writes a record and a
 * segment for a new attempt. Translations that were already served from the segment stay. Nothing is billed, because
 * reviews are never billed.
 *
 * The record itself is removed after the commit, as for a deleted job. If a publication of the job is in progress, it
 * finds that the job has a new attempt, and removes its own record.
 * @throws AppError 403; 404; 409 conflict for a job that is not closed, is being published, or was decided too long ago
 */
export async function reopenJob(
  services: LocatingServices & Pick<Services, 'log'>,
  withBearer: <T>(work: (tx: Tx, principal: SessionPrincipal) => Promise<T>) => Promise<T>,
  origin: Origin,
  jobId: string,
): Promise<ReopenedItem> {
  const { item, withdrawn } = await withBearer((tx, principal) => reopenRow(tx, principal, origin, jobId));
  await removeGoldenNow(services, withdrawn);
  return item;
}

async function reopenRow(
  tx: Tx,
  principal: SessionPrincipal,
  origin: Origin,
  jobId: string,
): Promise<{ item: ReopenedItem; withdrawn: DeletedJob }> {
  const tenantId = principal.tenant.id;
  const { decidedAt, pipelineCandidate, replacedText, updatedAt } = translationJobs;
  const [found] = await tx
    .select({
      row: translationJobs,
      isRecent: sql<boolean | null>`${decidedAt} > now() - make_interval(mins => ${reopenMinutes})`,
    })
    .from(translationJobs)
    .where(isJob(tenantId, jobId))
    .for('no key update');
  if (!found) throw new AppError('not_found', 'job not found');
  const { row, isRecent } = found;
  const job = jobOfRow(row);
  const status = reopen(job.status);
  if (!status) {
    const why = job.status === 'approved' ? 'is being published; try again' : 'is not closed';
    throw new AppError('conflict', `the job ${why} (status=${job.status})`);
  }
  requireReopenable(principal, { what: `job ${jobId}`, isRecent, by: row.decidedBy });

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
      agentRun: withNewTask(job.agent_run, claimantOf(principal).name, new Date()),
      updatedAt: sql`greatest(now(), ${updatedAt} + interval '1 millisecond')`,
    })
    .where(isJob(tenantId, jobId))
    .returning({ updatedAt });
  if (!changed) throw new Error('a job was deleted although it was locked');
  await unlearnJob(tx, tenantId, jobId);
  if (row.decidedBy !== null && row.decidedAt)
    await removeDecision(tx, { tenantId, userId: row.decidedBy }, decisionOf(row), row.decidedAt);
  await recordEvent(tx, origin, {
    action: 'review_reopened',
    tenantId,
    actor: { kind: 'member', userId: principal.user.id },
    target: jobId,
    details: { kind: 'job', status: job.status, decided_by: row.decidedBy },
  });
  const withdrawn = { tenantId, jobId, attempt: row.attempt, goldenUri: row.goldenUri };
  await removeGoldenLater(tx, withdrawn);
  return {
    item: { kind: 'job', id: jobId, status, updated_at: changed.updatedAt.toISOString() },
    withdrawn,
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
    steps: [
      ...run.steps,
      {
        id: newId(),
        name: 'human_review',
        actor,
        kind: 'human',
        status: 'completed',
        input_summary: null,
        output_summary: 'reopen',
        tool_calls: [],
        decisions: [],
        error: null,
        started_at: at,
        completed_at: at,
      },
    ],
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
