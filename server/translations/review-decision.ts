import { newId } from '#server/ids.ts';
import { advance } from './job-states.ts';
import type { ReviewChange } from './queries/publication.ts';
import type { AgentRun, AgentStep, ReviewAction, TranslationJob } from './schema.ts';

export interface Review {
  action: ReviewAction;
  finalTranslation: string | undefined;
  notes: string | undefined;
  /** Who reviews; null where nobody said so. */
  reviewer: string | null;
}

/** The text that a review publishes; null where it publishes none. */
export function publishedText(job: TranslationJob, { action, finalTranslation }: Review): string | null {
  if (action === 'reject' || action === 'save') return null;
  return finalTranslation ?? job.final_translation ?? '';
}

/**
 * What a review makes of a job (B 3.1, C 4 "Review"): `save` keeps a draft, the others close the task. An approved
 * text counts as edited where it differs from what the pipeline itself would have published.
 * @param missing the glossary's terms that the published text misses: a reviewer may publish it all the same
 */
export function decideReview(
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
