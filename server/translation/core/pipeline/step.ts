import type {
  CallScope,
  Engine,
  EngineResult,
  QualityIssue,
  Translations,
  TranslationTask,
} from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import { observe } from '#server/platform/telemetry.ts';
import type { AgentDecision, AgentStep } from '../agent-run-schema.ts';
import type { TermsInText } from '../leverage/terms.ts';

interface StepDescription {
  name: string;
  actor: string;
  kind?: AgentStep['kind'];
  input: string;
  /** For operators only. Recorded even if the step fails. */
  metadata?: Record<string, unknown>;
}

interface StepOutcome<T> {
  value: T;
  output: string;
  decisions?: AgentDecision[];
  metadata?: Record<string, unknown>;
}

/** Runs one step of the pipeline and appends it to `steps` as an AgentStep (B 2.3), completed or failed. */
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

/** Tokens and models of one run. For operators only. */
export interface RunCost {
  inputTokens: number;
  outputTokens: number;
  models: string[];
}

/** Checks a translation without a model. */
export type Inspect = (
  task: TranslationTask,
  candidate: Translations,
) => QualityIssue[] | Promise<QualityIssue[]>;

/** What the steps of a run share. */
export interface StepDeps {
  engine: Engine;
  inspect: Inspect;
  /** The glossary terms of the text; null without a glossary for its language pair. */
  terms: TermsInText | null;
  scope: CallScope;
  /** The trace, to which each step appends its record. */
  steps: AgentStep[];
  cost: RunCost;
}

/** Adds the cost of an engine call to the run. @returns the cost as metadata of the step */
export function spend<T>({ cost }: StepDeps, result: EngineResult<T>) {
  cost.inputTokens += result.inputTokens;
  cost.outputTokens += result.outputTokens;
  for (const model of result.models) if (!cost.models.includes(model)) cost.models.push(model);
  return {
    models: result.models,
    input_tokens: result.inputTokens,
    output_tokens: result.outputTokens,
  };
}
