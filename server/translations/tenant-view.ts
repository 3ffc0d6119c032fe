import type { AgentStep, TranslationJob } from './schema.ts';

/** Keys of request.metadata that name models. */
const operatorOnlyKeys = ['candidate_models', 'primary_model'];

/**
 * What every non-operator caller sees of a job (B 2.2): no step, tool or decision metadata, no execution trace,
 * no model names and no token counts.
 */
export function tenantView(job: TranslationJob): TranslationJob {
  const metadata = { ...job.request.metadata };
  for (const key of operatorOnlyKeys) delete metadata[key];
  const gate = job.agent_run.quality_gate;
  return {
    ...job,
    request: { ...job.request, metadata },
    quality_assessment: job.quality_assessment && withoutModel(job.quality_assessment),
    agent_run: {
      ...job.agent_run,
      steps: job.agent_run.steps.map(tenantStep),
      quality_gate: gate && { ...gate, metadata: withoutTrace(gate.metadata) },
    },
  };
}

function tenantStep({ metadata: _, ...step }: AgentStep): AgentStep {
  return {
    ...step,
    tool_calls: step.tool_calls.map(({ metadata: _, ...call }) => call),
    decisions: step.decisions.map(({ metadata: _, ...decision }) => decision),
  };
}

function withoutModel({ model: _, ...assessment }: NonNullable<TranslationJob['quality_assessment']>) {
  return assessment;
}

function withoutTrace({ execution_trace: _, ...metadata }: Record<string, unknown>) {
  return metadata;
}
