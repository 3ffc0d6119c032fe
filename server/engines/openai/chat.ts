import OpenAI from 'openai';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Settings } from '../../settings.ts';
import type { AnswerFormat } from './answers.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { classify } from './classify.ts';

/** What the connection is made of. */
export type ChatSettings = Pick<Settings, 'OPENAI_BASE_URL' | 'OPENAI_TIMEOUT_SECONDS'> & {
  readonly OPENAI_API_KEY: string;
};

/** What a model gets to see. */
export interface Prompt {
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
export type Chat = (prompt: Prompt, signal?: AbortSignal) => Promise<ChatCompletion>;

/** A timer of more milliseconds than this fires at once. */
const longestTimerMs = 2 ** 31 - 1;

/** A connection to any endpoint that speaks chat completions with structured outputs. */
export function connect(settings: ChatSettings): Chat {
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
  return async (prompt, signal) => {
    // The package's own timeout does not cover the body of an error answer. AbortSignal.any would keep each call's
    // timer until it fires.
    const cut = new AbortController();
    const stop = (): void => cut.abort();
    const timer = setTimeout(stop, timeout);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    try {
      return await client.chat.completions.create(request(prompt), { signal: cut.signal });
    } catch (thrown) {
      throw classify(thrown);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
    }
  };
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
