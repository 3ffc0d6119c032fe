import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { CallScope } from '../engine.ts';
import { attempt, type Manners } from './attempts.ts';
import type { Chat, Prompt, Question } from './chat.ts';
import { readAnswer } from './completion.ts';

/** The model's side, and the manners with it. */
export interface Upstream extends Manners {
  chat: Chat;
}

/** What one question yielded, and what it cost. */
export interface Answered<T> {
  value: T;
  model: string;
  inputTokens: number;
  outputTokens: number;
}

/**
 * Asks until there is a usable answer, or asking again makes no sense. The tokens of unusable answers count too: they
 * were paid for.
 * @throws AppError of B 7
 */
export function ask<Answer, Value>(
  upstream: Upstream,
  question: Question<Answer, Value>,
  scope: CallScope,
): Promise<Answered<Value>> {
  const tokens = { inputTokens: 0, outputTokens: 0 };
  return attempt(upstream, scope, async () => {
    const completion = await upstream.chat(question, scope.signal);
    tokens.inputTokens += count(completion?.usage?.prompt_tokens);
    tokens.outputTokens += count(completion?.usage?.completion_tokens);
    return { value: readAnswer(completion, question), model: nameModel(completion, question), ...tokens };
  });
}

/** Not every endpoint counts, and not every one counts in numbers. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/** The answer names the snapshot behind the alias that was asked. */
function nameModel(completion: ChatCompletion, prompt: Prompt): string {
  const { model } = completion;
  return typeof model === 'string' && /^[\w.:/@+-]{1,200}$/.test(model) ? model : prompt.model;
}
