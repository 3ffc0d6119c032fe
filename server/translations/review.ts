import { and, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Principal, WithTenant } from '#server/access/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { extractHtml } from '#server/formats/html-segments.ts';
import { newId } from '#server/ids.ts';
import type { LanguageCode } from '#server/languages.ts';
import type { TermCheck } from '#server/terminology/service.ts';
import { publishJob } from './golden/pending-persistence.ts';
import { advance, sourcesOf } from './job-states.ts';
import { isJob, jobOfRow, selectJob } from './jobs.ts';
import type {
  AgentRun,
  AgentStep,
  JobStatus,
  ReviewAction,
  ReviewRequest,
  TranslationJob,
} from './schema.ts';

/**
 * A reviewer's action on a job (C 4 "Review"). The job is claimed in one transaction, so that of two closing reviews one
 * wins; the golden record is written after it, and a process that dies in between leaves the job `approved`, for the
 * sweep.
 * @throws AppError 404; 400 validation_error where the job is not reviewable; 502 where it is parked
 */
export async function reviewJob(
  services: Services,
  withTenant: WithTenant,
  jobId: string,
  request: ReviewRequest,
): Promise<TranslationJob> {
  let checked: Checked | undefined;
  const decide = async (tx: Tx, tenantId: string, reviewer: string | null) => {
    const found = await selectReviewable(tx, tenantId, jobId);
    if (!found) {
      const job = await selectJob(tx, tenantId, jobId);
      if (!job) throw new AppError('not_found', 'job not found');
      throw new AppError('validation_error', `job ${job.id} is not reviewable (status=${job.status})`);
    }
    const review: Review = {
      action: request.action,
      finalTranslation: request.final_translation ?? undefined,
      notes: request.notes ?? undefined,
      reviewer,
    };
    const missing = missingTerms(services, found.job, publishedText(found.job, review), checked);
    if (!Array.isArray(missing)) return { tenantId, reviewer, unchecked: missing };
    const change = decideReview(found.job, review, missing, new Date());
    const job = await updateReviewed(tx, tenantId, jobId, change);
    return { tenantId, reviewer, job, attempt: found.attempt, publishAs: change.publishAs };
  };
  let decided = await withTenant(async (tx, principal) =>
    decide(tx, principal.tenant.id, reviewerOf(principal, request.reviewer)),
  );
  // A long check holds no job and no connection. Drafts saved meanwhile are another text.
  for (let round = 0; 'unchecked' in decided; round++) {
    if (round === 5) throw new AppError('transient_error', 'the job keeps changing; try again');
    const { tenantId, reviewer, unchecked } = decided;
    const { missing_terms } = await services.glossaries.check(tenantId, unchecked);
    checked = { asked: unchecked, missing: missing_terms };
    decided = await services.database.inTenant(tenantId, (tx) => decide(tx, tenantId, reviewer));
  }
  const { tenantId, job, attempt, publishAs } = decided;
  if (!publishAs) return job;
  // A reviewer who hangs up does not leave a claimed job behind when the process stops.
  return services.backgroundWork.track(publishJob(services, tenantId, { job, attempt, publishAs }));
}

/** A check that was made between two transactions. */
interface Checked {
  asked: TermCheck;
  missing: string[];
}

/** The terms that a text misses, by a check that takes no time or was made before; else the check to make. */
function missingTerms(
  { glossaries }: Services,
  job: TranslationJob,
  text: string | null,
  checked: Checked | undefined,
): string[] | TermCheck {
  const asked = text === null ? null : finalTermCheck(job, text);
  if (!asked) return [];
  if (checked?.asked.translation === asked.translation && isSame(checked.asked.expected, asked.expected))
    return checked.missing;
  return glossaries.checkAtOnce(asked)?.missing_terms ?? asked;
}

/** The job may have been run again meanwhile, with other terms. */
function isSame(one: TermCheck['expected'], other: TermCheck['expected']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** B 5: the session says who reviews; what the body says counts only where there is none. */
function reviewerOf(principal: Principal, said: string | null | undefined): string | null {
  if (principal.kind === 'session') return principal.user.email || principal.user.id;
  return said ?? null;
}

interface Review {
  action: ReviewAction;
  finalTranslation: string | undefined;
  notes: string | undefined;
  /** Who reviews; null where nobody said so. */
  reviewer: string | null;
}

/** The text that a review publishes; null where it publishes none. */
function publishedText(job: TranslationJob, { action, finalTranslation }: Review): string | null {
  if (action === 'reject' || action === 'save') return null;
  return finalTranslation ?? job.final_translation ?? '';
}

/**
 * What a review makes of a job (B 3.1, C 4 "Review"): `save` keeps a draft, the others close the task. An approved
 * text counts as edited where it differs from what the pipeline itself would have published.
 * @param missing the glossary's terms that the published text misses: a reviewer may publish it all the same
 */
function decideReview(
  job: TranslationJob,
  review: Review,
  missing: readonly string[],
  now: Date,
): ReviewChange {
  const agentRun = recordReview(job.agent_run, review, now);
  const kept = job.request.metadata['review_pipeline_candidate'];
  const pipelineOwn = typeof kept === 'string' ? kept : job.final_translation;
  const text = review.finalTranslation ?? job.final_translation ?? '';
  const { action } = review;

  if (action === 'reject') return { status: advance(job.status, 'rejected'), agentRun };
  if (action === 'save')
    return {
      status: advance(job.status, 'awaiting_review'),
      agentRun,
      finalTranslation: text,
      pipelineCandidate: pipelineOwn ?? '',
    };
  return {
    status: advance(job.status, 'approved'),
    agentRun,
    finalTranslation: text,
    publishAs: action === 'approve' && text === pipelineOwn ? 'published' : 'human_edited',
    ...(missing.length > 0 && {
      override: {
        terminology_gate_override: {
          action,
          reviewer: review.reviewer,
          missing_terms: missing,
          created_at: now.toISOString(),
        },
      },
    }),
  };
}

function recordReview(run: AgentRun, { action, notes, reviewer }: Review, now: Date): AgentRun {
  const at = now.toISOString();
  const step: AgentStep = {
    id: newId(),
    name: 'human_review',
    actor: reviewer ?? 'reviewer',
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
  const task = run.human_review_task;
  const last = run.steps.at(-1);
  // Drafts that one reviewer saves one after the other are one step: a job must not grow with every save.
  const kept = action === 'save' && isDraftOf(last, step) ? run.steps.slice(0, -1) : run.steps;
  return {
    ...run,
    steps: [...kept, step],
    human_review_task: task && {
      ...task,
      ...(action !== 'save' && { status: 'completed' as const, completed_by: reviewer, completed_at: at }),
      metadata: { ...task.metadata, last_action: action, ...(notes !== undefined && { notes }) },
    },
  };
}

function isDraftOf(last: AgentStep | undefined, step: AgentStep): boolean {
  return last?.name === step.name && last.output_summary === 'save' && last.actor === step.actor;
}

/** One of `terminology_matches`, as `writtenMetadata` wrote it. */
interface WrittenMatch {
  source_term: string;
  target_terms: [string, ...string[]];
  case_sensitive: boolean;
  count: number;
}

/**
 * What a text that a reviewer publishes is held against: the terms that the pipeline found in the source. Null where it
 * found none.
 */
function finalTermCheck({ request }: TranslationJob, finalText: string): TermCheck | null {
  const written = request.metadata['terminology_matches'];
  if (!Array.isArray(written)) return null;
  return {
    expected: (written as WrittenMatch[]).map((match) => ({
      sourceTerm: match.source_term,
      targetTerms: match.target_terms,
      caseSensitive: match.case_sensitive,
      count: match.count,
    })),
    translation:
      request.text_type === 'Html'
        ? extractHtml(finalText)
            .map((segment) => segment.text)
            .join('\n')
        : finalText,
    language: request.target_lang as LanguageCode,
  };
}

/** What a review sets; what is undefined stays as it is. */
interface ReviewChange {
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
async function selectReviewable(tx: Tx, tenantId: string, jobId: string) {
  const [row] = await tx
    .select()
    .from(translationJobs)
    .where(and(isJob(tenantId, jobId), inArray(translationJobs.status, sourcesOf('approved'))))
    .for('no key update');
  return row && { job: jobOfRow(row), attempt: row.attempt };
}

/** Writes a review of a job that `selectReviewable` has locked. */
async function updateReviewed(
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
