import type { AgentStep } from '#server/translation/core/agent-run-schema.ts';
import type { TranslationJob } from './schema.ts';
import { tenantView } from './tenant-view.ts';

/**
 * Returns the copy of a job for the tenant's own account. It has the text, the reasons for review, scores and
 * decisions. It has no model names, token counts and reasoning, and not the work of agents and tools in each step.
 * Contains only the fields that are listed here or in `tenantView`.
 */
export function redactedCopy(job: TranslationJob): TranslationJob {
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
