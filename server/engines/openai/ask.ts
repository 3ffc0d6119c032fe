import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { EngineAnswer } from '../engine.ts';
import type { Chat, Question } from './chat.ts';
import { readAnswer } from './completion.ts';
import { UpstreamFailure } from './failure.ts';
import { delayBeforeRetry, type Sleep } from './pacing.ts';

export interface Patience {
  /** How often a question is asked again, for whatever reason. */
  retries: number;
  sleep: Sleep;
}

/**
 * Asks until there is a usable answer, or asking again makes no sense. The tokens of unusable answers count too: they
 * were paid for.
 * @throws AppError of B 7
 */
export async function ask<T>(
  chat: Chat,
  question: Question<T>,
  { retries, sleep }: Patience,
): Promise<EngineAnswer<T>> {
  const tokens = { inputTokens: 0, outputTokens: 0 };
  for (let retry = 0; ; retry++) {
    try {
      const completion = await chat(question);
      tokens.inputTokens += count(completion?.usage?.prompt_tokens);
      tokens.outputTokens += count(completion?.usage?.completion_tokens);
      return {
        value: readAnswer(completion, question.format.schema),
        model: nameModel(completion, question),
        ...tokens,
      };
    } catch (thrown) {
      if (!(thrown instanceof UpstreamFailure)) throw thrown;
      const wait = delayBeforeRetry(retry, thrown.retryAfterMs);
      if (!thrown.worthAsking || retry >= retries || wait === undefined) throw thrown.toAppError();
      await sleep(wait);
    }
  }
}

/** Not every endpoint counts, and not every one counts in numbers. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/** The answer names the snapshot behind the alias that was asked. */
function nameModel(completion: ChatCompletion, question: Question<unknown>): string {
  return typeof completion.model === 'string' && completion.model !== '' ? completion.model : question.model;
}
