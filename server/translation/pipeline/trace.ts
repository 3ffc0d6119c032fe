import { idAfter, newId } from '#server/platform/ids.ts';
import { observe } from '#server/platform/telemetry.ts';
import type { AgentDecision, AgentStep } from '../agent-run-schema.ts';

interface StepDescription {
  name: string;
  actor: string;
  kind?: AgentStep['kind'];
  input: string;
  /** Data for operators only. Recorded even if the step fails. */
  metadata?: Record<string, unknown>;
}

interface StepOutcome<T> {
  value: T;
  output: string;
  decisions?: AgentDecision[];
  metadata?: Record<string, unknown>;
}

/** Runs one step of the pipeline and appends it to `steps`, whether it completes or fails. */
export async function recordStep<T>(
  steps: AgentStep[],
  description: StepDescription,
  run: () => Promise<StepOutcome<T>> | StepOutcome<T>,
): Promise<T> {
  const [first] = steps;
  const step: AgentStep = {
    // The IDs of a run follow each other, as its steps do.
    id: first ? idAfter(first.id, steps.length) : newId(),
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
    const { value, output, decisions, metadata } = await observe('step', description.name, async () => run());
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

/** Returns a decision of a step, in the form of the trace. */
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
