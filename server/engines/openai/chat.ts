import type { ChatCompletion } from 'openai/resources/chat/completions';
import { findUnstorable } from '../../input-limits.ts';
import type { CallScope, EngineAnswer } from '../engine.ts';
import type { AnswerFormat } from './answer-formats.ts';
import { type ClientSettings, openClient } from './client.ts';
import { callConcurrently } from './concurrent-calls.ts';
import { callWithRetries, type RetryPolicy } from './rate-limit-retry-after.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** What a model gets to see. */
interface Prompt {
  model: string;
  /** Ours, never a caller's words. */
  instructions: string;
  /** What the instructions speak about, with the caller's words in its fields. */
  data: Record<string, unknown>;
  format: AnswerFormat<unknown>;
}

/** One thing that is asked of a model, and what its answer comes to. */
export interface Question<Answer, Value> extends Prompt {
  format: AnswerFormat<Answer>;
  /** Undefined where the answer, well formed as it is, does not answer this question. */
  read: (answer: Answer) => Value | undefined;
}

/** Asks once, until the signal goes off. Rejects with an UpstreamFailure. */
type Chat = (prompt: Prompt, signal?: AbortSignal) => Promise<ChatCompletion>;

/** A connection to any endpoint that speaks chat completions with structured outputs. */
export function openChat(settings: ClientSettings): Chat {
  const call = openClient(settings);
  return (prompt, signal) =>
    call((client, cut) => client.chat.completions.create(request(prompt), { signal: cut }), signal);
}

/**
 * No temperature, token limit or reasoning effort: each is refused by some model that others need it for. `system`
 * rather than `developer`, which only OpenAI knows.
 */
function request({ model, instructions, data, format }: Prompt) {
  return {
    model,
    messages: [
      { role: 'system' as const, content: instructions },
      { role: 'user' as const, content: JSON.stringify(data) },
    ],
    response_format: format.responseFormat,
  };
}

/**
 * What the answer that a completion carries comes to. Nothing of its shape is taken for granted: the package does not check it,
 * and what passes for a compatible endpoint varies.
 * @throws UpstreamFailure filtered or malformed
 */
function readAnswer<Answer, Value>(
  completion: ChatCompletion | null | undefined,
  { format, read }: Question<Answer, Value>,
): Value {
  const choice = completion?.choices?.[0];
  const message = choice?.message;
  if (choice?.finish_reason === 'content_filter') throw new UpstreamFailure('filtered', 'finish_reason');
  if (message?.refusal) throw new UpstreamFailure('filtered', 'refusal');
  if (choice?.finish_reason === 'length')
    throw new UpstreamFailure('malformed', 'cut off at the length limit');
  if (typeof message?.content !== 'string') throw new UpstreamFailure('malformed', 'no content');

  const parsed = format.schema.safeParse(parseJson(message.content));
  if (!parsed.success) throw new UpstreamFailure('malformed', 'the content does not fit its schema');
  if (findUnstorable(parsed.data)) throw new UpstreamFailure('malformed', 'the content cannot be stored');
  const value = read(parsed.data);
  if (value === undefined) throw new UpstreamFailure('malformed', 'the content does not fit the question');
  return value;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    // The parser's own message quotes the text.
    throw new UpstreamFailure('malformed', 'the content is not JSON');
  }
}

/** The model's side, and the manners with it. */
export interface Upstream extends RetryPolicy {
  chat: Chat;
}

/** What one question yielded, and what it cost. */
interface Answered<T> {
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
function ask<Answer, Value>(
  upstream: Upstream,
  question: Question<Answer, Value>,
  scope: CallScope,
): Promise<Answered<Value>> {
  const tokens = { inputTokens: 0, outputTokens: 0 };
  return callWithRetries(upstream, scope, async () => {
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

/** Puts the questions that one call of the port comes to; the answers are in their order. */
export type AskAll = <Answer, Value>(
  questions: readonly Question<Answer, Value>[],
  scope: CallScope,
) => Promise<EngineAnswer<Value[]>>;

/**
 * Asks the questions, four at a time.
 * @throws AppError of B 7
 */
export async function askAll<Answer, Value>(
  upstream: Upstream,
  questions: readonly Question<Answer, Value>[],
  scope: CallScope,
): Promise<EngineAnswer<Value[]>> {
  const answers = await callConcurrently(questions, scope, (question, within) =>
    ask(upstream, question, within),
  );
  return {
    value: answers.map(({ value }) => value),
    models: [...new Set(answers.map(({ model }) => model))],
    inputTokens: answers.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: answers.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}
