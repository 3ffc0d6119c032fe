import type { CallScope, EngineAnswer } from '../engine.ts';
import { ask, type Upstream } from './ask.ts';
import type { Question } from './chat.ts';
import { inLanes } from './lanes.ts';

/** Puts the questions that one call of the port comes to; the answers are in their order. */
export type AskGroups = <Answer, Value>(
  questions: readonly Question<Answer, Value>[],
  scope: CallScope,
) => Promise<EngineAnswer<Value[]>>;

/**
 * Asks the questions, four at a time.
 * @throws AppError of B 7
 */
export async function askGroups<Answer, Value>(
  upstream: Upstream,
  questions: readonly Question<Answer, Value>[],
  scope: CallScope,
): Promise<EngineAnswer<Value[]>> {
  const answers = await inLanes(questions, scope, (question, within) => ask(upstream, question, within));
  return {
    value: answers.map(({ value }) => value),
    models: [...new Set(answers.map(({ model }) => model))],
    inputTokens: answers.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: answers.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}
