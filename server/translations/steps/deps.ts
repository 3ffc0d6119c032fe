import type { CallScope, Engine, EngineAnswer } from '#server/engines/engine.ts';
import type { TermsInText } from '../leverage/terms.ts';
import type { AgentStep } from '../schema.ts';
import type { Inspect } from './inspect.ts';

/** What the models of one run cost; operator only. */
export interface RunCost {
  inputTokens: number;
  outputTokens: number;
  models: string[];
}

/** What every step of a run is given. None of it is a database. */
export interface StepDeps {
  engine: Engine;
  inspect: Inspect;
  /** The glossary terms of the text; null without a glossary for its languages. */
  terms: TermsInText | null;
  scope: CallScope;
  /** Where the steps record themselves. */
  steps: AgentStep[];
  cost: RunCost;
}

/** Adds what an answer cost to the run, and says it for the step's own record. */
export function spend<T>({ cost }: StepDeps, answer: EngineAnswer<T>) {
  cost.inputTokens += answer.inputTokens;
  cost.outputTokens += answer.outputTokens;
  for (const model of answer.models) if (!cost.models.includes(model)) cost.models.push(model);
  return {
    models: answer.models,
    input_tokens: answer.inputTokens,
    output_tokens: answer.outputTokens,
  };
}
