import OpenAI, { APIError } from 'openai';
import type { Settings } from '#server/settings.ts';
import type { CallScope } from '../engine.ts';
import { classify } from './classify-error.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The settings for the connection to the models. */
export type ClientSettings = Pick<Settings, 'OPENAI_BASE_URL' | 'OPENAI_TIMEOUT_SECONDS'> & {
  readonly OPENAI_API_KEY: string;
};

/**
 * Makes one call. The call ends if the signal aborts or after OPENAI_TIMEOUT_SECONDS. Rejects with an
 * UpstreamFailure.
 */
type CallOnce = <T>(
  call: (client: OpenAI, signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** Maximum milliseconds of a timer; Node fires a longer one immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Opens a client for OpenAI or a compatible endpoint. */
export function openClient(settings: ClientSettings): CallOnce {
  const timeout = Math.min(Math.ceil(settings.OPENAI_TIMEOUT_SECONDS * 1000), maxTimerMs);
  // Set all options that would otherwise be read from the environment: the package does so for undefined ones.
  const client = new OpenAI({
    apiKey: settings.OPENAI_API_KEY,
    baseURL: settings.OPENAI_BASE_URL ?? null,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // The package must not log: at level debug, it logs whole requests.
    logLevel: 'off',
    // Retries are made in rate-limit-retry-after.ts, which respects each Retry-After. The package ignores a
    // Retry-After above 60 s and retries immediately.
    maxRetries: 0,
    timeout,
    fetch: boundedFetch,
  });
  return async (call, signal) => {
    // Use an own timeout, because the package's timeout does not cover the body of an error response. Do not use
    // AbortSignal.any, which would keep the timer of each call until it fires.
    const cut = new AbortController();
    const stop = (): void => cut.abort();
    const timer = setTimeout(stop, timeout);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    try {
      return await call(client, cut.signal);
    } catch (thrown) {
      throw classify(thrown);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  };
}

/** Maximum bytes of a decompressed response: many times more than the response to any request needs. */
const maxResponseBytes = 8_000_000;

/**
 * A `fetch` for an endpoint that is not trusted. It cuts off a response that is too long after decompression. It does
 * not follow redirects, because they would send the API key to another URL.
 */
async function boundedFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'error' });
  if (!response.body) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes <= maxResponseBytes) controller.enqueue(chunk);
        else controller.error(new UpstreamFailure('malformed', 'the response of the endpoint is too long'));
      },
    }),
  );
  const { status, statusText, headers } = response;
  const body = response.ok ? bounded : await errorUnderItsName(bounded);
  return new Response(body, { status, statusText, headers });
}

/**
 * Moves all fields of an error body under `error`, where the package expects them. vLLM, Mistral and FastAPI
 * applications omit this level.
 */
async function errorUnderItsName(body: ReadableStream<Uint8Array>): Promise<string> {
  const text = await new Response(body).text();
  try {
    const error: unknown = JSON.parse(text);
    const isBare = typeof error === 'object' && error !== null && !('error' in error);
    return isBare ? JSON.stringify({ error }) : text;
  } catch {
    return text;
  }
}

/**
 * Throws the error in a response with status 200, if it contains one: routers send such a response if the provider
 * behind them fails late, with the status as the error's code.
 */
export function throwErrorInside<T>(response: T): T {
  const { error } = (response ?? {}) as { error?: { code?: unknown } | null };
  const status = Number(error?.code);
  if (error && status >= 400 && status < 600)
    throw APIError.generate(status, { error }, undefined, new Headers());
  return response;
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
