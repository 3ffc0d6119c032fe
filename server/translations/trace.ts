import { newId } from '#server/ids.ts';
import type { AgentDecision, AgentStep } from './schema.ts';

interface StepDescription {
  name: string;
  actor: string;
  kind?: AgentStep['kind'];
  input: string;
  /** Operator only; there even if the step fails. */
  metadata?: Record<string, unknown>;
}

interface StepOutcome<T> {
  value: T;
  output: string;
  decisions?: AgentDecision[];
  metadata?: Record<string, unknown>;
}

/** Runs one step of the pipeline and records it as an AgentStep (B 2.3), failed or completed. */
export async function recordStep<T>(
  steps: AgentStep[],
  description: StepDescription,
  run: () => Promise<StepOutcome<T>> | StepOutcome<T>,
): Promise<T> {
  const step: AgentStep = {
    id: newId(),
    name: description.name,
    actor: description.actor,
    kind: description.kind ?? 'agent',
    status: 'running',
    input_summary: description.input,
    output_summary: null,
    tool_calls: [],
    decisions: [],
    error: null,
    started_at: new Date().toISOString(),
    completed_at: null,
    ...(description.metadata && { metadata: description.metadata }),
  };
  steps.push(step);
  try {
    const { value, output, decisions, metadata } = await run();
    step.status = 'completed';
    step.output_summary = output;
    if (decisions) step.decisions = decisions;
    if (metadata) step.metadata = { ...step.metadata, ...metadata };
    return value;
  } catch (error) {
    step.status = 'failed';
    throw error;
  } finally {
    step.completed_at = new Date().toISOString();
  }
}

/** A decision inside a step (B 2.3 AgentDecision). */
export function newDecision(
  label: string,
  outcome: string,
  rationale: string | null,
  more: Partial<Pick<AgentDecision, 'confidence' | 'provenance'>> = {},
): AgentDecision {
  return {
    id: newId(),
    label,
    outcome,
    rationale,
    confidence: null,
    created_at: new Date().toISOString(),
    ...more,
  };
}
