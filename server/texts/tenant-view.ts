import type {
  AgentDecision,
  AgentStep,
  QualityGate,
  ToolTrace,
} from '#server/translation/agent-run-schema.ts';
import type { JobView, TranslationJob } from './schema.ts';

/** Keys of request.metadata whose values are model names. All other keys belong to the caller. */
const operatorOnlyKeys: ReadonlySet<string> = new Set(['candidate_models', 'primary_model']);

/** Keys of the gate's metadata that tenants see. A new key is hidden until it is listed here. */
const tenantGateKeys = [
  'assessment_score',
  'verification_score',
  'verification_passed',
  'risk_flags',
  'trigger_codes',
  'terminology_gate',
  'repaired',
  'fast_path',
];

/** Returns the view of a job for an audience: operators see the complete job, others see `tenantView`. */
export function viewFor({ operator }: { operator: boolean }): (job: TranslationJob) => JobView {
  return (job) => ({
    ...(operator ? job : tenantView(job)),
    published_text: isPublished(job) ? job.final_translation : null,
  });
}

/** Whether the final translation is published: it can be downloaded, and it is in the golden store. */
export function isPublished({ status }: Pick<TranslationJob, 'status'>): boolean {
  return status === 'published' || status === 'human_edited';
}

/**
 * Returns a job for all callers except operators: without model names, token counts, and the metadata of steps, tools
 * and decisions. Only the fields listed here are included.
 */
export function tenantView(job: TranslationJob): TranslationJob {
  const { quality_assessment: assessment, agent_run: run } = job;
  return {
    id: job.id,
    request: { ...job.request, metadata: without(job.request.metadata, operatorOnlyKeys) },
    status: job.status,
    baseline_translation: job.baseline_translation,
    final_translation: job.final_translation,
    quality_assessment: assessment && {
      score: assessment.score,
      issues: assessment.issues,
      summary: assessment.summary,
    },
    refinement: job.refinement,
    verification: job.verification,
    agent_run: {
      status: run.status,
      steps: run.steps.map(tenantStep),
      quality_gate: run.quality_gate && tenantGate(run.quality_gate),
      human_review_task: run.human_review_task,
      error: run.error,
    },
    warnings: job.warnings,
    created_at: job.created_at,
    updated_at: job.updated_at,
  };
}

function tenantStep(step: AgentStep): AgentStep {
  return {
    ...withoutMetadata(step),
    tool_calls: step.tool_calls.map((call: ToolTrace) => withoutMetadata(call)),
    decisions: step.decisions.map((decision: AgentDecision) => withoutMetadata(decision)),
  };
}

function tenantGate(gate: QualityGate): QualityGate {
  const shown = tenantGateKeys.filter((key) => Object.hasOwn(gate.metadata, key));
  return { ...gate, metadata: Object.fromEntries(shown.map((key) => [key, gate.metadata[key]])) };
}

function withoutMetadata<T extends { metadata?: unknown }>({ metadata: _, ...rest }: T): Omit<T, 'metadata'> {
  return rest;
}

function without(metadata: Record<string, unknown>, keys: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.has(key)));
}
