import { type CountTokens, recordModelRequest } from '../../model-requests.ts';
import { countModelTokens } from '../../telemetry.ts';
import type { CallScope, EngineResult, Paid } from '../engine.ts';
import type { OutputMode, OutputModes } from './output-modes.ts';
import { promptVersion, type UserMessage } from './prompts.ts';
import { callWithRetries, type RetryPolicy } from './rate-limit-retry-after.ts';
import { type ChatReply, type Reading, readReply } from './read-reply.ts';
import type { ResponseFormat } from './response-formats.ts';

/** The request to a model. */
export interface Prompt {
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

/**
 * Sends one request in this mode. The signal ends it. The types of the client package do not leave its directory.
 * Resolves for any reply of the model; rejects with an UpstreamFailure if the call failed.
 */
export type Chat = (prompt: Prompt, mode: OutputMode, signal?: AbortSignal) => Promise<ChatReply>;

/** The endpoint of a model, and the limits and retries of calls to it. */
export interface Upstream extends RetryPolicy {
  chat: Chat;
  modes: OutputModes;
  paid: Paid;
  countedAs?: string;
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
  const counted = upstream.countedAs ?? question.model;
  const attempt = (mode: OutputMode): Promise<ChatResult<Value>> =>
    recordModelRequest({ model: counted, mode }, (count) => attemptOnce(mode, count));
  const attemptOnce = async (mode: OutputMode, count: CountTokens): Promise<ChatResult<Value>> => {
    const reply = await upstream.chat(question, mode, scope.signal);
    const { inputTokens, outputTokens } = reply;
    tokens.inputTokens += inputTokens;
    tokens.outputTokens += outputTokens;
    countModelTokens(counted, { inputTokens, outputTokens });
    count({ inputTokens, outputTokens });
    await upstream.paid(scope.tenantId, inputTokens + outputTokens);
    const value = readReply(reply, question);
    return { value, model: reply.model ?? question.model, ...tokens };
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
      ...(questions.length > 0 && { prompts: promptVersion }),
      inputTokens: results.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
      outputTokens: results.reduce((sum, { outputTokens }) => sum + outputTokens, 0),
    };
  };
}

/** Maximum concurrent calls of one task. */
const concurrentCalls = 4;

/**
 * Makes the calls, at most four at the same time, and returns the results in the order of the calls. If a call fails,
 * the others are aborted to save their cost.
 */
export async function callConcurrently<Call, T>(
  calls: readonly Call[],
  scope: CallScope,
  make: (call: Call, scope: CallScope) => Promise<T>,
): Promise<T[]> {
  const results: T[] = [];
  const others = new AbortController();
  const stop = (): void => others.abort();
  if (scope.signal?.aborted) stop();
  scope.signal?.addEventListener('abort', stop, { once: true });

  let failure: { thrown: unknown } | undefined;
  let next = 0;
  const callNext = async (): Promise<void> => {
    while (next < calls.length && !failure) {
      const index = next++;
      results[index] = await make(calls[index]!, { ...scope, signal: others.signal });
    }
  };
  const remember = (thrown: unknown): void => {
    failure ??= { thrown };
    stop();
  };
  try {
    const workers = Array.from({ length: Math.min(concurrentCalls, calls.length) }, callNext);
    await Promise.all(workers.map((worker) => worker.catch(remember)));
  } finally {
    scope.signal?.removeEventListener('abort', stop);
  }
  if (failure) throw failure.thrown;
  return results;
}
