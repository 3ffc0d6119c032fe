import type { TermCompliance } from '#server/matching/terms/index.ts';
import type {
  CallScope,
  Engine,
  EngineResult,
  Judgement,
  Translations,
  TranslationTask,
  Verification,
} from '#server/platform/engines/engine.ts';
import { idAfter, newId } from '#server/platform/ids.ts';
import { observe } from '#server/platform/telemetry.ts';
import type { AgentDecision, AgentStep } from '../agent-run-schema.ts';
import { checkTranslation, type Inspect, isCritical, withFindings } from '../checks.ts';
import type { TermsInText } from '../leverage/terms.ts';

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
    // The IDs of a run follow each other, so that a row needs to store only the first one.
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

/** The tokens that one run used, and the models. For operators only. */
export interface RunCost {
  inputTokens: number;
  outputTokens: number;
  models: string[];
}

/** Data that the steps of a run share. */
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

/** Returns the cost of a run that has not called a model yet. */
export const noCost = (): RunCost => ({ inputTokens: 0, outputTokens: 0, models: [] });

/**
 * Adds the cost of an engine call to the cost of the run.
 * @returns the cost of the call, as metadata of the step
 */
export function spend<T>(cost: RunCost, { models, inputTokens, outputTokens }: EngineResult<T>) {
  cost.inputTokens += inputTokens;
  cost.outputTokens += outputTokens;
  for (const model of models) if (!cost.models.includes(model)) cost.models.push(model);
  return { models, input_tokens: inputTokens, output_tokens: outputTokens };
}

/**
 * Creates the first translation, with status `translated`.
 * @param model undefined for the deployment's default
 */
export function translateBaseline(
  deps: StepDeps,
  task: TranslationTask,
  model: string | undefined,
): Promise<Translations> {
  return recordStep(
    deps.steps,
    { name: 'baseline', actor: 'translator', input: `${task.sourceLang} to ${task.targetLang}` },
    async () => {
      const result = await deps.engine.translate(task, deps.scope, model);
      return { value: result.value, output: 'baseline translation', metadata: spend(deps.cost, result) };
    },
  );
}

/** The judgement of a candidate, including the issues found by the service's own checks. */
export interface Assessed extends Judgement {
  candidate: Translations;
  model: string | null;
  /** Glossary compliance; null without a glossary. */
  compliance: TermCompliance | null;
}

/**
 * Scores a candidate with the engine and adds the issues found by the service's own checks. `name` is the step's name in the
 * trace.
 */
export function assessCandidate(
  deps: StepDeps,
  task: TranslationTask,
  candidate: Translations,
  name: 'quality_assessment' | 'reassessment',
): Promise<Assessed> {
  return recordStep(
    deps.steps,
    { name, actor: 'quality_judge', input: name === 'reassessment' ? 'repaired translation' : 'translation' },
    async () => {
      const result = await deps.engine.assess(task, candidate, deps.scope);
      const { findings, compliance } = await checkTranslation(deps, task, candidate);
      const value = {
        ...withFindings(result.value, findings),
        candidate,
        compliance,
        model: result.models[0] ?? null,
      };
      return {
        value,
        output: `score ${value.score}, ${findings.length} findings of the service's checks`,
        metadata: spend(deps.cost, result),
      };
    },
  );
}

/** Repairs a translation once, based on its issues. */
export function repairOnce(
  deps: StepDeps,
  task: TranslationTask,
  { candidate, issues }: Assessed,
  round: number,
): Promise<Translations> {
  return recordStep(
    deps.steps,
    { name: 'repair', actor: 'refiner', input: `round ${round}, ${issues.length} issues` },
    async () => {
      const result = await deps.engine.repair(task, candidate, issues, deps.scope);
      const changed = result.value.filter((text, index) => text !== candidate[index]).length;
      return {
        value: result.value,
        output: `${changed} of ${candidate.length} segments changed`,
        metadata: spend(deps.cost, result),
      };
    },
  );
}

/** Verifies the final translation. The verification passes only if the service's own checks find no critical issue. */
export function verifyFinal(
  deps: StepDeps,
  task: TranslationTask,
  candidate: Translations,
): Promise<Verification> {
  return recordStep(
    deps.steps,
    { name: 'verification', actor: 'verifier', input: 'final translation' },
    async () => {
      const result = await deps.engine.verify(task, candidate, deps.scope);
      const found = withFindings(result.value, await deps.inspect(task, candidate));
      const value = { ...found, passed: found.passed && !isCritical(found) };
      return {
        value,
        output: `${value.passed ? 'passed' : 'not passed'}, score ${value.score}`,
        metadata: spend(deps.cost, result),
      };
    },
  );
}
