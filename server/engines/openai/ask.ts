import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { FairShare } from '../../fair-share.ts';
import type { CallScope } from '../engine.ts';
import type { Chat, Prompt, Question } from './chat.ts';
import { readAnswer } from './completion.ts';
import { UpstreamFailure } from './failure.ts';
import { delayBeforeRetry, type Sleep } from './pacing.ts';

/** The model's side, and the manners with it. */
export interface Upstream {
  chat: Chat;
  /** How often a question is asked again, for whatever reason. */
  retries: number;
  sleep: Sleep;
  /** A slot is held for an attempt, not between two. */
  fairShare: FairShare;
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
export async function ask<Answer, Value>(
  { chat, retries, sleep, fairShare }: Upstream,
  question: Question<Answer, Value>,
  scope: CallScope,
): Promise<Answered<Value>> {
  const tokens = { inputTokens: 0, outputTokens: 0 };
  for (let retry = 0; ; retry++) {
    try {
      scope.signal?.throwIfAborted();
      const completion = await fairShare.run(scope, () => chat(question, scope.signal));
      tokens.inputTokens += count(completion?.usage?.prompt_tokens);
      tokens.outputTokens += count(completion?.usage?.completion_tokens);
      return { value: readAnswer(completion, question), model: nameModel(completion, question), ...tokens };
    } catch (thrown) {
      if (scope.signal?.aborted) throw new UpstreamFailure('interrupted', 'the run is over').toAppError();
      if (!(thrown instanceof UpstreamFailure)) throw thrown;
      const wait = delayBeforeRetry(retry, thrown.retryAfterMs);
      if (!thrown.worthAsking || retry >= retries || wait === undefined) throw thrown.toAppError();
      await sleep(wait, scope.signal);
    }
  }
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
