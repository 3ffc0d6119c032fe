import OpenAI from 'openai';
import type { Settings } from '../../settings.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { classify } from './classify.ts';

/** What the connection is made of. */
export type ClientSettings = Pick<Settings, 'OPENAI_BASE_URL' | 'OPENAI_TIMEOUT_SECONDS'> & {
  readonly OPENAI_API_KEY: string;
};

/** Makes one call, until either signal or the time goes off. Rejects with an UpstreamFailure. */
export type CallOnce = <T>(
  call: (client: OpenAI, signal: AbortSignal) => Promise<T>,
  signal?: AbortSignal,
) => Promise<T>;

/** A timer of more milliseconds than this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** A connection to OpenAI or an endpoint that speaks its language. */
export function openClient(settings: ClientSettings): CallOnce {
  const timeout = Math.min(Math.ceil(settings.OPENAI_TIMEOUT_SECONDS * 1000), longestTimerMs);
  // What is left undefined here, the package would read from the environment.
  const client = new OpenAI({
    apiKey: settings.OPENAI_API_KEY,
    baseURL: settings.OPENAI_BASE_URL ?? null,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    // At its debug level the package logs whole requests.
    logLevel: 'off',
    // It does not wait for a Retry-After above 60 s but goes on at once; see pacing.ts.
    maxRetries: 0,
    timeout,
    fetch: boundedFetch,
  });
  return async (call, signal) => {
    // The package's own timeout does not cover the body of an error answer. AbortSignal.any would keep each call's
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
