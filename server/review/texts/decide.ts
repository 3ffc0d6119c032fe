import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import type { TermCheck } from '#server/matching/terms/glossary.ts';
import type { TermCompliance } from '#server/matching/terms/index.ts';
import type { QualityIssue } from '#server/platform/engines/engine.ts';
import { countEvent } from '#server/platform/telemetry.ts';
import { advance } from '#server/texts/job-states.ts';
import { isJob, jobOfRow } from '#server/texts/jobs.ts';
import { publishJob } from '#server/texts/parked-jobs.ts';
import type { JobStatus, TranslationJob } from '#server/texts/schema.ts';
import type { AgentRun, AgentStep } from '#server/translation/agent-run-schema.ts';
import { type Finding, findingView, isOpenCritical } from '#server/translation/findings.ts';
import { forbiddenTerms } from '#server/translation/leverage/terms.ts';
import { requireTurn } from '../assignments/turn.ts';
import { type Author, authorOf, recordDecision } from '../author.ts';
import { recordOpening } from '../claims.ts';
import {
  type Confirmations,
  type DecidingContext,
  decideEach,
  UnconfirmedFindings,
  Unopened,
} from '../decide.ts';
import { type ClosingReview, compareLater, countReview } from '../figures.ts';
import {
  finalTermCheck,
  findingsOf,
  type JobWithFindings,
  keptCandidate,
  keptFindings,
  pipelineText,
} from './findings.ts';
import type { ReviewManyInput, ReviewRequest } from './schema.ts';
import { nextVersion, reviewStep, selectReviewable } from './text.ts';

/**
 * Applies a reviewer's action to a job. One transaction locks the job and makes the decision: if two reviews close it
 * at the same time, the first one wins. A member's closing review is counted in the same transaction
 * (docs/decisions/0053). The golden record is written after the transaction. If the process dies before that, the job
 * stays `approved`, and the sweep publishes it.
 * @param seen the `updated_at` of the job that the reviewer saw; undefined to review any version
 * @param workedMs milliseconds that the reviewer spent on the job; undefined if not known
 * @throws AppError 404; 400 validation_error if the job cannot be reviewed in its status; 502 persistence_failed if its
 *   golden record is not written yet; 409, 403 if others review it; JobChanged; UnconfirmedFindings; Unopened
 */
export async function reviewJob(
  services: Parameters<typeof publishJob>[0] & Pick<Services, 'backgroundWork' | 'glossaries' | 'settings'>,
  withTenant: WithTenant,
  origin: Origin,
  jobId: string,
  request: ReviewRequest,
  {
    seen,
    workedMs,
    confirmCritical,
    isUnopened = false,
    openedAt,
  }: Confirmations & { seen?: string | undefined; workedMs?: number | undefined } = {},
): Promise<TranslationJob> {
  const item = { kind: 'job', id: jobId } as const;
  let checked: Checked | undefined;
  let inspected: Inspected | undefined;
  const decide = async (tx: Tx, tenantId: string, reviewer: Author) => {
    const found = await selectReviewable(tx, tenantId, jobId, seen);
    const decision = { publishes: request.action !== 'reject', languages: found.job.request };
    await requireTurn(tx, { ...reviewer, tenantId }, item, {
      ...(request.action !== 'save' && { decision }),
      namesVersion: seen !== undefined,
    });
    const review = { ...request, author: reviewer, confirmCritical };
    const text = publishedText(found.job, review);
    const isNewer = openedAt !== undefined && isLater(found.job.updated_at, openedAt);
    if ((isUnopened || isNewer) && text !== null) throw new Unopened(`job ${jobId}`);
    if (confirmCritical === false && text !== null && !isOf(inspected, found.job, text))
      return { tenantId, reviewer, uninspected: { job: found.job, stored: found.stored, text } };
    const overridden = overriddenBy(services, found.job, text, checked);
    if ('expected' in overridden) return { tenantId, reviewer, unchecked: overridden };
    const change = decideReview(found, review, overridden, new Date());
    const job = await updateReviewed(tx, tenantId, jobId, reviewer, change);
    if (review.action !== 'save')
      await recordDecision(tx, services.settings, origin, { ...reviewer, tenantId }, item, {
        action: review.action === 'reject' ? 'review_rejected' : 'review_approved',
        ...(change.publishAs && { edited: change.publishAs === 'human_edited' }),
      });
    // A member who saves a draft has opened the job, even if only briefly.
    if (review.action === 'save' && reviewer.userId !== null)
      await recordOpening(tx, { tenantId, userId: reviewer.userId }, item);
    const by = { tenantId, userId: reviewer.userId, workedMs };
    const uncompared = await countReview(tx, by, found.job, closingOf(found.job, change));
    return { tenantId, reviewer, job, attempt: found.attempt, publishAs: change.publishAs, uncompared };
  };
  let decided = await withTenant(async (tx, principal) =>
    decide(tx, principal.tenant.id, await authorOf(tx, principal, request.reviewer)),
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
      const found = await findingsOf(services, tenantId, inspected, inspected.text);
      const findings = found.filter(isOpenCritical).map(findingView);
      if (findings.length > 0) throw new UnconfirmedFindings(`job ${jobId}`, findings);
    } else {
      const compliance = await services.glossaries.check(tenantId, decided.unchecked);
      checked = { asked: decided.unchecked, overridden: overriddenTerms(compliance) };
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

/**
 * Applies several reviews, as `decideEach` does.
 * @returns the result of each review, in the order of the reviews
 */
export function reviewJobs(
  context: DecidingContext & { services: Parameters<typeof reviewJob>[0] },
  { reviews }: ReviewManyInput,
) {
  const { services, withTenant } = context;
  return decideEach(context, 'job', reviews, {
    idOf: ({ job_id }) => job_id,
    named: (job_id) => ({ job_id }),
    foundBy: ({ findings }) => findings as QualityIssue[],
    async decide({ job_id, updated_at: seen, confirm_critical, confirm_unopened, ...request }, openedAt) {
      const { status, updated_at } = await reviewJob(services, withTenant, context, job_id, request, {
        seen,
        confirmCritical: confirm_critical ?? false,
        ...(!confirm_unopened && { isUnopened: openedAt === undefined, openedAt }),
      });
      return { status, updated_at };
    },
  });
}

/** Whether a job has changed since it was opened. Its `updated_at` is rounded, so a millisecond may be its own change. */
const isLater = (updatedAt: string, openedAt: Date) => Date.parse(updatedAt) > openedAt.getTime() + 1;

/** The result of a terminology check that was made between two transactions. */
interface Checked {
  asked: TermCheck;
  overridden: OverriddenTerms;
}

/** The terms that a published text misses, and the forbidden ones that it has. */
type OverriddenTerms = Pick<TermCompliance, 'missing_terms' | 'forbidden_terms'>;

function overriddenTerms(compliance: TermCompliance): OverriddenTerms {
  const { missing_terms, forbidden_terms } = compliance;
  return { missing_terms, ...(forbidden_terms && { forbidden_terms: forbiddenTerms(compliance) }) };
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
 * Returns the terms that a text overrides, if they are known or can be found quickly; otherwise returns the check that has
 * to be made.
 */
function overriddenBy(
  { glossaries }: Pick<Services, 'glossaries'>,
  job: TranslationJob,
  text: string | null,
  checked: Checked | undefined,
): OverriddenTerms | TermCheck {
  const asked = text === null ? null : finalTermCheck(job, text);
  if (!asked) return { missing_terms: [] };
  if (checked?.asked.translation === asked.translation && isSame(checked.asked.expected, asked.expected))
    return checked.overridden;
  const compliance = glossaries.checkInline(asked);
  return compliance ? overriddenTerms(compliance) : asked;
}

/** Whether the expected terms are the same. They differ if the job has run again in between. */
function isSame(one: TermCheck['expected'], other: TermCheck['expected']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

type Review = ReviewRequest & { author: Author; confirmCritical: boolean | undefined };

/** Returns the text that a review publishes; null if it does not publish. */
function publishedText(job: TranslationJob, { action, final_translation }: Review): string | null {
  if (action === 'reject' || action === 'save') return null;
  return final_translation ?? job.final_translation ?? '';
}

/**
 * Returns the change that a review makes. `save` stores a draft; the other actions close the review task. An approved
 * text counts as edited if it differs from the machine translation.
 * @param overridden is recorded if it has terms
 */
function decideReview(
  of: JobWithFindings,
  review: Review,
  overridden: OverriddenTerms,
  now: Date,
): ReviewChange {
  const { job } = of;
  const agentRun = recordReview(job.agent_run, review, now);
  const pipelineOwn = pipelineText(job);
  const text = review.final_translation ?? job.final_translation ?? '';
  const { action, author } = review;

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
    ...((overridden.missing_terms.length > 0 || overridden.forbidden_terms) && {
      override: {
        terminology_gate_override: {
          action,
          reviewer: author.name,
          ...(author.claimedVia && { claimed_via: author.claimedVia }),
          ...overridden,
          created_at: now.toISOString(),
        },
      },
    }),
  };
}

function recordReview(
  run: AgentRun,
  { action, notes, author: { name, claimedVia: via }, confirmCritical }: Review,
  now: Date,
): AgentRun {
  const at = now.toISOString();
  const claimedVia = name === null ? null : via;
  const step = reviewStep({ actor: name, claimedVia }, action, at);
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
        completed_by: name,
        ...(claimedVia && { claimed_via: claimedVia }),
        completed_at: at,
      }),
      metadata: {
        ...task.metadata,
        last_action: action,
        ...(notes != null && { notes }),
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

/** Stores the review of a job that `selectReviewable` has locked. */
async function updateReviewed(
  tx: Tx,
  tenantId: string,
  jobId: string,
  { userId }: Author,
  { override, ...change }: ReviewChange,
): Promise<TranslationJob> {
  const { pipelineMetadata } = translationJobs;
  const [row] = await tx
    .update(translationJobs)
    .set({
      ...change,
      ...(change.status !== 'awaiting_review' && { decidedAt: sql`now()`, decidedBy: userId }),
      ...(override && {
        pipelineMetadata: sql`coalesce(${pipelineMetadata}, '{}') || ${JSON.stringify(override)}::jsonb`,
      }),
      updatedAt: nextVersion,
    })
    .where(isJob(tenantId, jobId))
    .returning();
  if (!row) throw new Error('a job was deleted although it was locked');
  return jobOfRow(row);
}
