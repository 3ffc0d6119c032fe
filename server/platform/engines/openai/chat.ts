import type { ChatCompletion } from 'openai/resources/chat/completions';
import { type CountTokens, recordModelRequest } from '../../model-requests.ts';
import { countModelTokens } from '../../telemetry.ts';
import type { CallScope, EngineResult, Paid } from '../engine.ts';
import { type ClientSettings, callConcurrently, openClient, throwErrorInside } from './client.ts';
import { countTokens, type Reading, readCompletion, readModel } from './completion.ts';
import type { OutputMode, OutputModes } from './output-modes.ts';
import type { UserMessage } from './prompts.ts';
import { callWithRetries, type RetryPolicy } from './rate-limit-retry-after.ts';
import type { ResponseFormat } from './response-formats.ts';

/** The request to a model. */
interface Prompt {
  model: string;
  /** The system message. It is constant and contains none of the caller's text. */
  instructions: string;
  /** The user message: JSON. Its fields contain the caller's text. */
  data: UserMessage;
  format: ResponseFormat<unknown>;
}

/** A request to a model, together with the way to read its response. */
export interface Question<Reply, Value> extends Prompt, Reading<Reply, Value> {
  format: ResponseFormat<Reply>;
}

/** Sends one request. The signal ends it. Rejects with an UpstreamFailure. */
type Chat = (prompt: Prompt, mode: OutputMode, signal?: AbortSignal) => Promise<ChatCompletion>;

/** Opens a client for any endpoint with chat completions. */
export function openChat(settings: ClientSettings): Chat {
  const call = openClient(settings);
  return (prompt, mode, signal) =>
    call(async (client, cut) => {
      const asked = request(prompt, mode);
      return throwErrorInside(await client.chat.completions.create(asked, { signal: cut }));
    }, signal);
}

/**
 * Temperature, token limit and reasoning effort are not sent, because some models reject them. The role is `system`,
 * because only OpenAI supports `developer`.
 */
function request({ model, instructions, data, format }: Prompt, mode: OutputMode) {
  const isEnforced = mode === 'json_schema';
  return {
    model,
    messages: [
      { role: 'system' as const, content: isEnforced ? instructions : `${instructions}\n${format.inWords}` },
      { role: 'user' as const, content: JSON.stringify(data) },
    ],
    ...(isEnforced && { response_format: format.responseFormat }),
    ...(mode === 'json_object' && { response_format: { type: mode } }),
  };
}

/** The endpoint of a model, and the limits and retries of calls to it. */
export interface Upstream extends RetryPolicy {
  chat: Chat;
  modes: OutputModes;
  paid: Paid;
}

/** The tokens of requests and responses. */
interface Tokens {
  inputTokens: number;
  outputTokens: number;
}

/** The result of one request, and what it cost. */
export interface ChatResult<T> extends Tokens {
  value: T;
  model: string;
}

/**
 * Sends a request, and repeats it until there is a usable response. The tokens of unusable responses count, too,
 * because they are billed.
 * @param tokens those of earlier requests for the same question; this call adds its own
 * @throws {AppError} if there is no usable response
 */
export function ask<Reply, Value>(
  upstream: Upstream,
  question: Question<Reply, Value>,
  scope: CallScope,
  tokens: Tokens = { inputTokens: 0, outputTokens: 0 },
): Promise<ChatResult<Value>> {
  const attempt = (mode: OutputMode): Promise<ChatResult<Value>> =>
    recordModelRequest({ model: question.model, mode }, (count) => attemptOnce(mode, count));
  const attemptOnce = async (mode: OutputMode, count: CountTokens): Promise<ChatResult<Value>> => {
    const completion = await upstream.chat(question, mode, scope.signal);
    const { inputTokens, outputTokens } = countTokens(completion);
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
    countModelTokens(question.model, { inputTokens, outputTokens });
    count({ inputTokens, outputTokens });
    await upstream.paid(scope.tenantId, inputTokens + outputTokens);
    const value = readCompletion(completion, question);
    return { value, model: readModel(completion) ?? question.model, ...tokens };
  };
  return callWithRetries(upstream, scope, () => upstream.modes.run(question.model, attempt));
}

/** Sends all requests of one engine call, and returns the results in their order. */
export type AskAll = <Reply, Value>(
  questions: readonly Question<Reply, Value>[],
  scope: CallScope,
) => Promise<EngineResult<Value[]>>;

/**
 * Returns the function that sends the requests of an engine call, at most four at the same time, and adds up their cost.
 * It throws an AppError if a request fails.
 * @param askOne sends one request
 */
export function askAllBy(
  askOne: <Reply, Value>(question: Question<Reply, Value>, scope: CallScope) => Promise<ChatResult<Value>>,
): AskAll {
  return async (questions, scope) => {
    const results = await callConcurrently(questions, scope, askOne);
    return {
      value: results.map(({ value }) => value),
      models: [...new Set(results.map(({ model }) => model))],
      inputTokens: results.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: results.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    };
  };
}
