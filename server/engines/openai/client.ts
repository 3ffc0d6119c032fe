import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import type { Settings } from '../../settings.ts';
import type { CallScope } from '../engine.ts';
import { readRetryAfter } from './rate-limit-retry-after.ts';
import { type FailureFacts, UpstreamFailure } from './upstream-failure.ts';

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
const longestTimerMs = 2 ** 31 - 1;

/** Opens a client for OpenAI or a compatible endpoint. */
export function openClient(settings: ClientSettings): CallOnce {
  const timeout = Math.min(Math.ceil(settings.OPENAI_TIMEOUT_SECONDS * 1000), longestTimerMs);
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
    // The package ignores a Retry-After above 60 s and retries immediately; rate-limit-retry-after.ts honours it.
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

/** Bytes of a response after decompression: many times the longest that any request needs. */
const maxResponseBytes = 8_000_000;

/**
 * `fetch` for an untrusted endpoint: a response that is too long after decompression is cut off, and redirects are not
 * followed, since they would carry the API key along.
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
  return new Response(bounded, { status, statusText, headers });
}

/** Error codes of a prompt that was refused: Azure's, OpenAI's, and OpenAI's for its reasoning models. */
const contentPolicyCodes = ['content_filter', 'content_policy_violation', 'invalid_prompt'];

/** Error codes of a 429 for which waiting does not help: the account has no credit left, or was closed. */
const spentAccountCodes = ['insufficient_quota', 'billing_not_active', 'billing_hard_limit_reached'];

/** Classifies an error that the client library threw. */
export function classify(thrown: unknown): UpstreamFailure {
  if (thrown instanceof UpstreamFailure) return thrown;
  // The order matters: each of these is an APIError as well, without a status. An abort is our own timeout.
  if (thrown instanceof APIUserAbortError || thrown instanceof APIConnectionTimeoutError)
    return new UpstreamFailure('outage', 'timed out');
  if (thrown instanceof APIConnectionError)
    return new UpstreamFailure('outage', 'no connection', { code: networkCode(thrown.cause) });
  if (thrown instanceof APIError) return classifyStatus(thrown);
  if (thrown instanceof SyntaxError) return new UpstreamFailure('malformed', 'the body is not JSON');
  // A body that breaks off is a TypeError with a cause; one without was thrown before anything was sent.
  if (thrown instanceof TypeError && thrown.cause instanceof Error)
    return new UpstreamFailure('outage', 'the body broke off', { code: networkCode(thrown.cause) });
  return new UpstreamFailure('misconfigured', 'the request cannot be sent');
}

function classifyStatus(error: APIError): UpstreamFailure {
  // OpenAI itself leaves `code` null where `type` says it, and others put a number into `code`.
  const names = [error.code, error.type].map(word).filter((name) => name !== undefined);
  const facts: FailureFacts = {
    status: error.status,
    code: names.find((name) => !/^\d+$/.test(name)),
    requestId: word(error.requestID),
    retryAfterMs: error.headers && readRetryAfter(error.headers),
  };
  const status = error.status ?? 0;
  const named = (codes: string[]) => names.some((name) => codes.includes(name));

  if (status >= 500 || status === 408 || status === 409)
    return new UpstreamFailure('outage', 'refused', facts);
  if (named(contentPolicyCodes)) return new UpstreamFailure('filtered', 'refused', facts);
  if (status === 429 && !named(spentAccountCodes)) return new UpstreamFailure('saturated', 'refused', facts);
  return new UpstreamFailure('misconfigured', 'refused', facts);
}

/** The system's code for a failed connection (ECONNREFUSED); its depth in the chain of causes varies. */
function networkCode(cause: unknown): string | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') return word(code);
  }
  return undefined;
}

/** An error code; undefined for anything longer, which may be a sentence that quotes the request. */
function word(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^[\w.-]{1,64}$/.test(text) ? text : undefined;
}

/** Concurrent calls of one task. */
const atOnce = 4;

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
    const workers = Array.from({ length: Math.min(atOnce, calls.length) }, callNext);
    await Promise.all(workers.map((worker) => worker.catch(remember)));
  } finally {
    scope.signal?.removeEventListener('abort', stop);
  }
  if (failure) throw failure.thrown;
  return results;
}
