import OpenAI, { APIError } from 'openai';
import type { Settings } from '#server/settings.ts';
import type { CallScope } from '../engine.ts';
import { classify } from './classify-error.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** The settings of the connection. */
export type ClientSettings = Pick<Settings, 'OPENAI_BASE_URL' | 'OPENAI_TIMEOUT_SECONDS'> & {
  readonly OPENAI_API_KEY: string;
};

/** Makes one call. The signal or OPENAI_TIMEOUT_SECONDS aborts it. Rejects with an UpstreamFailure. */
type CallOnce = <T>(
  call: (client: OpenAI, signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** A longer timer, in milliseconds, fires immediately. */
const maxTimerMs = 2 ** 31 - 1;

/** Opens a client for OpenAI or a compatible endpoint. */
export function openClient(settings: ClientSettings): CallOnce {
  const timeout = Math.min(Math.ceil(settings.OPENAI_TIMEOUT_SECONDS * 1000), maxTimerMs);
  // The package reads options that are undefined here from the environment.
  const client = new OpenAI({
    apiKey: settings.OPENAI_API_KEY,
    baseURL: settings.OPENAI_BASE_URL ?? null,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // At its debug level the package logs whole requests.
    logLevel: 'off',
    // The package ignores a Retry-After above 60 s and retries immediately; rate-limit-retry-after.ts respects it.
    maxRetries: 0,
    timeout,
    fetch: boundedFetch,
  });
  return async (call, signal) => {
    // The package's own timeout does not cover the body of an error response. AbortSignal.any would keep each call's
    // timer until it fires.
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

/** Bytes of a response after decompression: many times the maximum that any request needs. */
const maxResponseBytes = 8_000_000;

/**
 * `fetch` for an untrusted endpoint: a response that is too long after decompression is cut off, and redirects are
 * not followed, because they would pass on the API key.
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
        else controller.error(new UpstreamFailure('malformed', 'the response is too long'));
      },
    }),
  );
  const { status, statusText, headers } = response;
  const body = response.ok ? bounded : await errorUnderItsName(bounded);
  return new Response(body, { status, statusText, headers });
}

/**
 * The body of an error with all fields under `error`, where the package expects them. vLLM, Mistral and FastAPI
 * applications omit that level.
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
 * Throws the error that a response of 200 may contain: routers send one if a provider behind them failed late, with
 * the status as its code.
 */
export function throwErrorInside<T>(response: T): T {
  const { error } = (response ?? {}) as { error?: { code?: unknown } | null };
  const status = Number(error?.code);
  if (error && status >= 400 && status < 600)
    throw APIError.generate(status, { error }, undefined, new Headers());
  return response;
}

/** Concurrent calls of one task. */
const concurrentCalls = 4;

/** Makes the calls, four at a time. Returns the results in the order of the calls. The first failure aborts the others, to save their cost. */
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
