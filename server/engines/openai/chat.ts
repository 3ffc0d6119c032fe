import type { ChatCompletion } from 'openai/resources/chat/completions';
import { findUnstorable } from '../../input-limits.ts';
import type { CallScope, EngineResult } from '../engine.ts';
import { type ClientSettings, callConcurrently, openClient } from './client.ts';
import { callWithRetries, type RetryPolicy } from './rate-limit-retry-after.ts';
import type { ResponseFormat } from './response-formats.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** What a model is sent. */
interface Prompt {
  model: string;
  /** The system message: constant, without any of the caller's text. */
  instructions: string;
  /** The user message: JSON whose fields hold the caller's text. */
  data: Record<string, unknown>;
  format: ResponseFormat<unknown>;
}

/** A request to a model, and how its response is read. */
export interface Question<Reply, Value> extends Prompt {
  format: ResponseFormat<Reply>;
  /** Returns undefined where the response is well formed, but does not fit the request. */
  read: (reply: Reply) => Value | undefined;
}

/** Sends one request, until the signal is aborted. Rejects with an UpstreamFailure. */
type Chat = (prompt: Prompt, signal?: AbortSignal) => Promise<ChatCompletion>;

/** Opens a client for any endpoint with chat completions and structured outputs. */
export function openChat(settings: ClientSettings): Chat {
  const call = openClient(settings);
  return (prompt, signal) =>
    call((client, cut) => client.chat.completions.create(request(prompt), { signal: cut }), signal);
}

/**
 * No temperature, token limit or reasoning effort: some models refuse them. The role is `system` because only OpenAI knows
 * `developer`.
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
 * Reads a completion. Every part of its shape is checked: the package does not check it, and compatible endpoints vary.
 *
 * @throws {UpstreamFailure} `filtered` or `malformed`
 */
function readCompletion<Reply, Value>(
  completion: ChatCompletion | null | undefined,
  { format, read }: Question<Reply, Value>,
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

/** A model's endpoint, and how calls to it are retried and limited. */
export interface Upstream extends RetryPolicy {
  chat: Chat;
}

/** The result of one request, and what it cost. */
interface ChatResult<T> {
  value: T;
  model: string;
  inputTokens: number;
  outputTokens: number;
}

/**
 * Sends a request, with retries, until there is a usable response. Tokens of unusable responses count too: they are
 * billed.
 *
 * @throws {AppError} of B 7
 */
function ask<Reply, Value>(
  upstream: Upstream,
  question: Question<Reply, Value>,
  scope: CallScope,
): Promise<ChatResult<Value>> {
  const tokens = { inputTokens: 0, outputTokens: 0 };
  return callWithRetries(upstream, scope, async () => {
    const completion = await upstream.chat(question, scope.signal);
    tokens.inputTokens += count(completion?.usage?.prompt_tokens);
    tokens.outputTokens += count(completion?.usage?.completion_tokens);
    return { value: readCompletion(completion, question), model: nameModel(completion, question), ...tokens };
  });
}

/** A token count; 0 where the endpoint sends none, or not a number. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}

/** The response names the model version behind the alias that was requested. */
function nameModel(completion: ChatCompletion, prompt: Prompt): string {
  const { model } = completion;
  return typeof model === 'string' && /^[\w.:/@+-]{1,200}$/.test(model) ? model : prompt.model;
}

/** Sends all requests of one engine call, and returns the results in their order. */
export type AskAll = <Reply, Value>(
  questions: readonly Question<Reply, Value>[],
  scope: CallScope,
) => Promise<EngineResult<Value[]>>;

/**
 * Sends the requests, four at a time, and adds up what they cost.
 *
 * @throws {AppError} of B 7
 */
export async function askAll<Reply, Value>(
  upstream: Upstream,
  questions: readonly Question<Reply, Value>[],
  scope: CallScope,
): Promise<EngineResult<Value[]>> {
  const results = await callConcurrently(questions, scope, (question, within) =>
    ask(upstream, question, within),
  );
  return {
    value: results.map(({ value }) => value),
    models: [...new Set(results.map(({ model }) => model))],
    inputTokens: results.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    outputTokens: results.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
  };
}
