import { and, inArray, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { type ClaimedVia, claimedViaOf } from '#server/identity/access/claimed-via.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import type { TermCheck } from '#server/matching/terms/glossary.ts';
import { newId } from '#server/platform/ids.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import type { AgentRun, AgentStep, ReviewAction } from '#server/translation/core/agent-run-schema.ts';
import { type Finding, findingView, isOpenCritical } from '#server/translation/core/findings.ts';
import { advance, reviewableStatuses } from '#server/translation/texts/job-states.ts';
import { getJob, isJob, jobOfRow } from '#server/translation/texts/jobs.ts';
import { publishJob } from '#server/translation/texts/parked-jobs.ts';
import type { JobStatus, TranslationJob } from '#server/translation/texts/schema.ts';
import { UnconfirmedFindings, Unopened } from '../confirmation.ts';
import { recordDecision } from '../decision-event.ts';
import { recordOpening } from '../openings.ts';
import { JobChanged } from '../review-conflict.ts';
import { type ClosingReview, compareLater, countReview } from './count-review.ts';
import type { ReviewRequest } from './review-schema.ts';
import { finalTermCheck } from './review-terms.ts';
import {
  findingsOf,
  type JobWithFindings,
  keptCandidate,
  keptFindings,
  pipelineText,
} from './text-findings.ts';

/**
 * Applies a reviewer's action to a job. One transaction locks the job and makes the decision: if two reviews close it
 * at the same time, the first one wins. A member's closing review is counted in the same transaction
 * (docs/decisions/0053). The golden record is written after the transaction. If the process dies before that, the job
 * stays `approved`, and the sweep publishes it.
 * @param seen the `updated_at` of the job that the reviewer saw; undefined to review any version
 * @param workedMs milliseconds that the reviewer spent on the job; undefined if not known
 * @param confirmCritical whether the reviewer confirms the critical issues of the published text; undefined if no
 *   confirmation is required
 * @param isUnopened whether the reviewer approves several jobs and has not opened this one
 * @throws AppError 404; 400 validation_error if the job cannot be reviewed in its status; 502 persistence_failed if its
 *   golden record is not written yet; JobChanged; UnconfirmedFindings; Unopened
 */
export async function reviewJob(
  services: Pick<
    Services,
    | 'accountStores'
    | 'backgroundWork'
    | 'database'
    | 'embedder'
    | 'glossaries'
    | 'log'
    | 'settings'
    | 'storage'
  >,
  withTenant: WithTenant,
  origin: Origin,
  jobId: string,
  request: ReviewRequest,
  {
    seen,
    workedMs,
    confirmCritical,
    isUnopened = false,
  }: {
    seen?: string | undefined;
    workedMs?: number | undefined;
    confirmCritical?: boolean | undefined;
    isUnopened?: boolean;
  } = {},
): Promise<TranslationJob> {
  let checked: Checked | undefined;
  let inspected: Inspected | undefined;
  const decide = async (tx: Tx, tenantId: string, reviewer: Reviewer) => {
    const found = await selectReviewable(tx, tenantId, jobId, seen);
    const review: Review = {
      action: request.action,
      finalTranslation: request.final_translation ?? undefined,
      notes: request.notes ?? undefined,
      reviewer: reviewer.name,
      claimedVia: reviewer.claimedVia,
      confirmCritical,
    };
    const text = publishedText(found.job, review);
    if (isUnopened && text !== null) throw new Unopened(`job ${jobId}`);
    if (confirmCritical === false && text !== null && !isOf(inspected, found.job, text))
      return { tenantId, reviewer, uninspected: { job: found.job, stored: found.stored, text } };
    const missing = missingTerms(services, found.job, text, checked);
    if (!Array.isArray(missing)) return { tenantId, reviewer, unchecked: missing };
    const change = decideReview(found, review, missing, new Date());
    const job = await updateReviewed(tx, tenantId, jobId, reviewer, change);
    if (review.action !== 'save')
      await recordDecision(tx, origin, {
        ...reviewer,
        tenantId,
        kind: 'job',
        id: jobId,
        action: review.action === 'reject' ? 'review_rejected' : 'review_approved',
        ...(change.publishAs && { edited: change.publishAs === 'human_edited' }),
      });
    // A member who saves a draft has opened the job, even if only briefly.
    if (review.action === 'save' && reviewer.userId !== null)
      await recordOpening(tx, { tenantId, userId: reviewer.userId }, { kind: 'job', id: jobId });
    const by = { tenantId, userId: reviewer.userId, workedMs };
    const uncompared = await countReview(tx, by, found.job, closingOf(found.job, change));
    return { tenantId, reviewer, job, attempt: found.attempt, publishAs: change.publishAs, uncompared };
  };
  let decided = await withTenant(async (tx, principal) =>
    decide(tx, principal.tenant.id, await reviewerOf(tx, principal, request.reviewer)),
  );
  // The text is checked outside of the transaction. Another text may be saved during the checks: then they are
  // repeated.
  for (let round = 0; !('job' in decided); round++) {
    if (round === 10)
      throw new AppError(
        'transient_error',
        'the job was changed by other requests at the same time; try again',
      );
    const { tenantId, reviewer } = decided;
    if ('uninspected' in decided) {
      inspected = decided.uninspected;
      const found = await findingsOf(tenantId, inspected, inspected.text);
      const findings = found.filter(isOpenCritical).map(findingView);
      if (findings.length > 0) throw new UnconfirmedFindings(`job ${jobId}`, findings);
    } else {
      const { missing_terms } = await services.glossaries.check(tenantId, decided.unchecked);
      checked = { asked: decided.unchecked, missing: missing_terms };
    }
    decided = await services.database.inTenant(tenantId, (tx) => decide(tx, tenantId, reviewer));
  }
  const { tenantId, job, attempt, publishAs, uncompared } = decided;
  // Not awaited: the comparison runs in the background.
  if (uncompared) void services.backgroundWork.track(compareLater(services, uncompared));
  if (job.status === 'rejected') countEvent('jobs', 'text rejected');
  if (!publishAs) return job;
  // When the process stops, it waits for the publication, even if the reviewer has disconnected.
  return services.backgroundWork.track(publishJob(services, tenantId, { job, attempt, publishAs }));
}

/** The result of a terminology check that was made between two transactions. */
interface Checked {
  asked: TermCheck;
  missing: string[];
}

/** A text that was checked between two transactions and has no critical issue. */
interface Inspected extends JobWithFindings {
  text: string;
}

/** Whether the check was made for exactly this text and this version of the job. */
function isOf(inspected: Inspected | undefined, job: TranslationJob, text: string): boolean {
  return inspected?.job.updated_at === job.updated_at && inspected.text === text;
}

/**
 * Returns the terms that a text misses, if they are known or can be found quickly; otherwise returns the check that has
 * to be made.
 */
function missingTerms(
  { glossaries }: Pick<Services, 'glossaries'>,
  job: TranslationJob,
  text: string | null,
  checked: Checked | undefined,
): string[] | TermCheck {
  const asked = text === null ? null : finalTermCheck(job, text);
  if (!asked) return [];
  if (checked?.asked.translation === asked.translation && isSame(checked.asked.expected, asked.expected))
    return checked.missing;
  return glossaries.checkInline(asked)?.missing_terms ?? asked;
}

/** Whether the expected terms are the same. They differ if the job has run again in between. */
function isSame(one: TermCheck['expected'], other: TermCheck['expected']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The reviewer. `userId` is null for an API key: its request can only contain a name, which is a claim. */
export interface Reviewer {
  name: string | null;
  userId: string | null;
  claimedVia: ClaimedVia | null;
}

/** Returns the reviewer: the session's member. `reviewer` in the body counts only for a caller without a session. */
export async function reviewerOf(
  tx: Tx,
  principal: Principal,
  said: string | null | undefined,
): Promise<Reviewer> {
  if (principal.kind !== 'session')
    return { name: said ?? null, userId: null, claimedVia: await claimedViaOf(tx, principal) };
  const { email, id } = principal.user;
  return { name: email || id, userId: id, claimedVia: null };
}

interface Review {
  action: ReviewAction;
  finalTranslation: string | undefined;
  notes: string | undefined;
  /** The name of the reviewer; null if not known. */
  reviewer: string | null;
  claimedVia: ClaimedVia | null;
  confirmCritical?: boolean | undefined;
}

/** Returns the text that a review publishes; null if it does not publish. */
function publishedText(job: TranslationJob, { action, finalTranslation }: Review): string | null {
  if (action === 'reject' || action === 'save') return null;
  return finalTranslation ?? job.final_translation ?? '';
}

/**
 * Returns the change that a review makes. `save` stores a draft; the other actions close the review task. An approved
 * text counts as edited if it differs from the machine translation.
 * @param missing glossary terms that the published text misses; they are recorded as overridden
 */
function decideReview(
  of: JobWithFindings,
  review: Review,
  missing: readonly string[],
  now: Date,
): ReviewChange {
  const { job } = of;
  const agentRun = recordReview(job.agent_run, review, now);
  const pipelineOwn = pipelineText(job);
  const text = review.finalTranslation ?? job.final_translation ?? '';
  const { action } = review;

  if (action === 'reject') return { status: advance(job.status, 'rejected'), agentRun };
  const findings = keptFindings(of, text);
  if (action === 'save')
    return {
      status: advance(job.status, 'awaiting_review'),
      agentRun,
      findings,
      finalTranslation: text,
      pipelineCandidate: pipelineOwn ?? '',
    };
  return {
    status: advance(job.status, 'approved'),
    agentRun,
    findings,
    finalTranslation: text,
    // Keep the machine translation in case the job is reopened. If a draft was saved, the first draft has already kept
    // it.
    ...(text !== pipelineOwn && { replacedText: keptCandidate(job) === undefined ? pipelineOwn : null }),
    publishAs: action === 'approve' && text === pipelineOwn ? 'published' : 'human_edited',
    ...(missing.length > 0 && {
      override: {
        terminology_gate_override: {
          action,
          reviewer: review.reviewer,
          ...(review.claimedVia && { claimed_via: review.claimedVia }),
          missing_terms: missing,
          created_at: now.toISOString(),
        },
      },
    }),
  };
}

function recordReview(
  run: AgentRun,
  { action, notes, reviewer, claimedVia, confirmCritical }: Review,
  now: Date,
): AgentRun {
  const at = now.toISOString();
  const step: AgentStep = {
    id: newId(),
    name: 'human_review',
    actor: reviewer ?? 'reviewer',
    ...(reviewer !== null && claimedVia && { claimed_via: claimedVia }),
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
  // Consecutive drafts of the same reviewer become one step, so that the trace does not grow with each save.
  const kept = action === 'save' && isDraftOf(last, step) ? run.steps.slice(0, -1) : run.steps;
  return {
    ...run,
    steps: [...kept, step],
    human_review_task: task && {
      ...task,
      ...(action !== 'save' && {
        status: 'completed' as const,
        completed_by: reviewer,
        ...(reviewer !== null && claimedVia && { claimed_via: claimedVia }),
        completed_at: at,
      }),
      metadata: {
        ...task.metadata,
        last_action: action,
        ...(notes !== undefined && { notes }),
        ...(confirmCritical && { confirmed_critical: true }),
      },
    },
  };
}

function isDraftOf(last: AgentStep | undefined, step: AgentStep): boolean {
  return (
    last?.name === step.name &&
    last.output_summary === 'save' &&
    last.actor === step.actor &&
    last.claimed_via?.id === step.claimed_via?.id
  );
}

/** The columns that a review changes; columns with the value undefined do not change. */
interface ReviewChange {
  status: JobStatus;
  agentRun: AgentRun;
  /** The findings of a new text. */
  findings?: Finding[] | undefined;
  finalTranslation?: string;
  pipelineCandidate?: string;
  replacedText?: string | null;
  /** Additional metadata, merged into the metadata of the pipeline. */
  override?: Record<string, unknown>;
  publishAs?: 'published' | 'human_edited';
}

/** Returns the decision of a review about the machine translation, for the figures; undefined for a draft. */
function closingOf(
  job: TranslationJob,
  { status, publishAs, finalTranslation }: ReviewChange,
): ClosingReview | undefined {
  if (status === 'rejected') return { decision: 'rejected', texts: null };
  if (!publishAs) return undefined;
  const before = pipelineText(job);
  return {
    decision: publishAs === 'published' ? 'approved' : 'edited',
    texts: before === null ? null : { before, after: finalTranslation ?? '' },
  };
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

/** Stores the review of a job that `selectReviewable` has locked. */
async function updateReviewed(
  tx: Tx,
  tenantId: string,
  jobId: string,
  { userId }: Reviewer,
  { override, ...change }: ReviewChange,
): Promise<TranslationJob> {
  const { pipelineMetadata, updatedAt } = translationJobs;
  const [row] = await tx
    .update(translationJobs)
    .set({
      ...change,
      ...(change.status !== 'awaiting_review' && { decidedAt: sql`now()`, decidedBy: userId }),
      ...(override && {
        pipelineMetadata: sql`coalesce(${pipelineMetadata}, '{}') || ${JSON.stringify(override)}::jsonb`,
      }),
      // The new time must be later than the previous one, even if this transaction began earlier: it identifies the
      // version of the job for reviewers.
      updatedAt: sql`greatest(now(), ${updatedAt} + interval '1 millisecond')`,
    })
    .where(isJob(tenantId, jobId))
    .returning();
  if (!row) throw new Error('a job was deleted although it was locked');
  return jobOfRow(row);
}
