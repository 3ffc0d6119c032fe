import type { CallScope, EngineAnswer } from '../engine.ts';
import { ask, type Upstream } from './ask.ts';
import type { Question } from './chat.ts';

/** Questions of one call that are under way at a time. */
const atOnce = 4;

/** Puts the questions that one call of the port comes to; the answers are in their order. */
export type AskGroups = <Answer, Value>(
  questions: readonly Question<Answer, Value>[],
  scope: CallScope,
) => Promise<EngineAnswer<Value[]>>;

/**
 * Asks the questions, four at a time. The first failure ends the others: what they would cost is saved.
 * @throws AppError of B 7
 */
export async function askGroups<Answer, Value>(
  upstream: Upstream,
  questions: readonly Question<Answer, Value>[],
  scope: CallScope,
): Promise<EngineAnswer<Value[]>> {
  const total = { value: [] as Value[], models: [] as string[], inputTokens: 0, outputTokens: 0 };
  const others = new AbortController();
  const stop = (): void => others.abort();
  if (scope.signal?.aborted) stop();
  scope.signal?.addEventListener('abort', stop, { once: true });

  let failure: { thrown: unknown } | undefined;
  let next = 0;
  const askInTurn = async (): Promise<void> => {
    while (next < questions.length && !failure) {
      const index = next++;
      const answer = await ask(upstream, questions[index]!, { ...scope, signal: others.signal });
      total.value[index] = answer.value;
      if (!total.models.includes(answer.model)) total.models.push(answer.model);
      total.inputTokens += answer.inputTokens;
      total.outputTokens += answer.outputTokens;
    }
  };
  const remember = (thrown: unknown): void => {
    failure ??= { thrown };
    stop();
  };
  try {
    const lanes = Array.from({ length: Math.min(atOnce, questions.length) }, askInTurn);
    await Promise.all(lanes.map((lane) => lane.catch(remember)));
  } finally {
    scope.signal?.removeEventListener('abort', stop);
  }
  if (failure) throw failure.thrown;
  return total;
}
