import OpenAI, { APIError } from 'openai';
import { type Settings, SettingsError } from '#server/settings.ts';
import { azureIdentity } from '../../azure-identity.ts';
import { boundedFetch, callWithin, errorWord, timerMs } from '../chat/endpoint-http.ts';
import { UpstreamFailure } from '../chat/upstream-failure.ts';
import { classify } from './classify-error.ts';

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
      // The message is not logged: it may quote the answer of the token endpoint.
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
