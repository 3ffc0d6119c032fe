import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import { type Settings, SettingsError } from '#server/settings.ts';
import { azureIdentity } from '../../azure-identity.ts';
import { boundedFetch, callWithin, classifyThrown, errorWord, timerMs } from '../chat/endpoint-http.ts';
import { readRetryAfter } from '../chat/rate-limit-retry-after.ts';
import { type ChatReply, modelName, tokenCount } from '../chat/read-reply.ts';
import { type FailureFacts, UpstreamFailure } from '../chat/upstream-failure.ts';

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

/** The value of OPENAI_API_KEY with which the identity of the deployment at Azure replaces a key. */
const entraKey = 'entra';

/** The clouds of Azure: the end of the host names of their services, and the resource for which a token is requested. */
const clouds: readonly [string, string][] = [
  ['.azure.us', 'https://cognitiveservices.azure.us'],
  ['.azure.cn', 'https://cognitiveservices.azure.cn'],
  ['', 'https://cognitiveservices.azure.com'],
];

/**
 * Returns the function that gets a token of Microsoft Entra ID for each request. The package of the identity keeps
 * tokens until shortly before they expire.
 * @throws {SettingsError} if anyone else could read the tokens
 */
function entraTokens(baseUrl: string | undefined): () => Promise<string> {
  const { protocol, hostname } = new URL(baseUrl ?? 'http://none');
  if (protocol !== 'https:' && hostname !== '127.0.0.1')
    throw new SettingsError(`the API key "${entraKey}" requires the https URL of an Azure OpenAI endpoint`);
  const [, resource] = clouds.find(([end]) => hostname.endsWith(end))!;
  return async () => {
    try {
      const identity = await azureIdentity();
      return (await identity.getToken(`${resource}/.default`))!.token;
    } catch (error) {
      // The message is not logged: it may quote the token endpoint.
      const code = errorWord((error as { code?: unknown }).code) ?? errorWord((error as Error).name);
      throw new UpstreamFailure('outage', 'the identity of this deployment at Azure returned no token', {
        code,
      });
    }
  };
}

/** Opens a client for OpenAI or a compatible endpoint. */
export function openClient(settings: ClientSettings): CallOnce {
  const timeout = timerMs(settings.OPENAI_TIMEOUT_SECONDS);
  // Set all options that would otherwise be read from the environment: the package does so for undefined ones.
  const client = new OpenAI({
    apiKey:
      settings.OPENAI_API_KEY === entraKey ? entraTokens(settings.OPENAI_BASE_URL) : settings.OPENAI_API_KEY,
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
    fetch: fetchWithNamedErrors,
  });
  return (call, signal) => callWithin(timeout, signal, classify, (cut) => call(client, cut));
}

/**
 * Moves all fields of an error body under `error`, where the package expects them. vLLM, Mistral and FastAPI
 * applications omit this level.
 */
async function fetchWithNamedErrors(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await boundedFetch(url, init);
  if (response.ok || !response.body) return response;
  const { status, statusText, headers } = response;
  return new Response(errorUnderItsName(await response.text()), { status, statusText, headers });
}

function errorUnderItsName(text: string): string {
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

/**
 * Error codes for a rejected prompt. The endpoints that use them are Azure, OpenAI, OpenAI for its reasoning models,
 * and Alibaba.
 */
const contentPolicyCodes = [
  'content_filter',
  'content_policy_violation',
  'invalid_prompt',
  'data_inspection_failed',
];

/** Error codes with which a 429 does not end by waiting: the account has no credit, or was closed. */
const spentAccountCodes = ['insufficient_quota', 'billing_not_active', 'billing_hard_limit_reached'];

/** Error codes for a response that the endpoint (Groq) has discarded because it was not the requested JSON. */
const unstructuredCodes = ['json_validate_failed'];

/** Classifies an error that the client library threw. */
const classify = (thrown: unknown): UpstreamFailure =>
  classifyThrown(
    thrown,
    { APIError, APIConnectionError, APIConnectionTimeoutError, APIUserAbortError },
    classifyStatus,
  );

function classifyStatus(error: APIError): UpstreamFailure {
  // Check both fields: OpenAI sets `code` to null if `type` contains the code, and other endpoints send a number in
  // `code`.
  const names = [error.code, error.type].map(errorWord).filter((name) => name !== undefined);
  const facts: FailureFacts = {
    status: error.status,
    code: names.find((name) => !/^\d+$/.test(name)),
    requestId: errorWord(error.requestID),
    retryAfterMs: error.headers && readRetryAfter(error.headers),
  };
  const status = error.status ?? 0;
  const named = (codes: string[]) => names.some((name) => codes.includes(name));

  const isFiltered = named(contentPolicyCodes);
  const isUnstructured = named(unstructuredCodes);

  if (!isFiltered && !isUnstructured && refusesFormat(error, status))
    return new UpstreamFailure('unsupported', 'the endpoint rejected the request', facts);
  if (status >= 500 || status === 408 || status === 409)
    return new UpstreamFailure('outage', 'the endpoint rejected the request', facts);
  if (isFiltered) return new UpstreamFailure('filtered', 'the endpoint rejected the request', facts);
  if (isUnstructured) return new UpstreamFailure('unstructured', 'the endpoint rejected the request', facts);
  if (status === 429 && !named(spentAccountCodes))
    return new UpstreamFailure('saturated', 'the endpoint rejected the request', facts);
  return new UpstreamFailure('misconfigured', 'the endpoint rejected the request', facts);
}

/**
 * Statuses with which endpoints reject a response format. Most send 400; checks by pydantic or serde send 422,
 * OpenRouter 404, and llama.cpp before 2025 500.
 */
const formatStatuses: readonly number[] = [400, 404, 422, 500, 501];

/** The names of the response format in messages of endpoints that reject it. */
const formatWords =
  /response[_ .-]?format|json[_ -]?(schema|object|mode)|structured[_ -]?output|guided[_ -]?(json|decoding)|grammar|requested parameters/i;

/** Other reasons for a rejection, in messages of endpoints that send no code for them. */
const otherWords =
  /context (length|window|size)|maximum (context|prompt|input)|too (long|large|many tokens)|model\b.{0,200}\b(not found|not exist)/is;

/**
 * Maximum characters of an error message that are searched, because some endpoints quote the request after their own
 * message.
 */
const wordsLength = 500;

/**
 * Whether the endpoint rejects the `response_format` of the request, judged by its message. The message may quote the
 * caller's text, so the result may be wrong. A wrong result only causes further requests with other formats.
 */
function refusesFormat(error: APIError, status: number): boolean {
  if (!formatStatuses.includes(status)) return false;
  const words = [error.param, error.message].filter((part) => typeof part === 'string').join(' ');
  const own = words.slice(0, wordsLength);
  return formatWords.test(own) && !otherWords.test(own);
}

/**
 * Returns the reply in a completion. Every part of the shape is checked, because the package does not check it and
 * compatible endpoints differ.
 */
export function replyOf(completion: ChatCompletion | null | undefined): ChatReply {
  const choice = completion?.choices?.[0];
  const content: unknown = choice?.message?.content;
  return {
    text: typeof content === 'string' ? content : null,
    stop: stopOf(choice),
    model: modelName(completion?.model),
    ...countTokens(completion),
  };
}

function stopOf(choice: ChatCompletion.Choice | undefined): ChatReply['stop'] {
  if (choice?.finish_reason === 'content_filter') return 'filtered';
  if (choice?.message?.refusal) return 'refused';
  if (choice?.finish_reason === 'length') return 'length';
  return choice?.message ? 'done' : 'broken';
}

/** Returns the number of tokens of any kind of response; 0 if the endpoint sends no number. */
export function countTokens(
  response: { usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } } | null | undefined,
): Pick<ChatReply, 'inputTokens' | 'outputTokens'> {
  const { prompt_tokens, completion_tokens } = response?.usage ?? {};
  return { inputTokens: tokenCount(prompt_tokens), outputTokens: tokenCount(completion_tokens) };
}
