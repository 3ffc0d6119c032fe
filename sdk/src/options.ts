import type { Backoff } from './retry.ts';
import type { TokenStore } from './tokens.ts';

/**
 * Sends one HTTP request: `globalThis.fetch`, or whatever stands in for it. Where its answers have no `body` to read piece
 * by piece, a download is held in memory whole.
 */
export type Fetch = (
  url: string,
  init: RequestInit,
) => Promise<
  Pick<Response, 'status' | 'ok' | 'headers' | 'text' | 'arrayBuffer'> & Partial<Pick<Response, 'body'>>
>;

/** An access token, or where to get one; a function is asked before each attempt. */
export type AccessToken = string | (() => string | Promise<string>);

/** How to reach the service, as whom, and how patiently. */
export interface LinguaLoopOptions {
  /** The service's address, for instance `https://translate.example.com`. */
  baseUrl: string;
  /** A tenant API key. */
  apiKey?: string | undefined;
  /** A user's access token; where both are given it decides who asks. */
  accessToken?: AccessToken | undefined;
  /** Narrows the credential to this tenant: one that belongs to another is refused. A sign-in is to this one, too. */
  tenantId?: string | undefined;
  /**
   * Where `auth.signIn` keeps its tokens; in memory unless told. What it holds goes before `accessToken` and `apiKey`.
   */
  tokens?: TokenStore | undefined;
  /**
   * Milliseconds for one attempt, 130,000 unless told: the pipeline may take 120 s over one text. A call that translates
   * several texts one after the other has so many times that; a download that is streamed has it for its beginning, then
   * for each piece anew, however long it takes as a whole. `Infinity`: no limit.
   */
  timeoutMs?: number | undefined;
  /** Most retries of one call; 2 unless told. */
  maxRetries?: number | undefined;
  /** Waits between attempts, 500 ms to 8 s unless told. A Retry-After goes before them. */
  backoff?: Backoff | undefined;
  /** Sends the requests instead of `globalThis.fetch`. */
  fetch?: Fetch | undefined;
}

/** What one call may do otherwise. */
export interface CallOptions {
  /** Ends the call, waits between attempts included; the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt of this call, however many texts it translates; or for each piece of its download. */
  timeoutMs?: number | undefined;
  /** Most retries of this call. */
  maxRetries?: number | undefined;
  /** Sent as X-Request-ID and echoed in errors and logs: 1 to 128 of letters, digits and `._:-`. */
  requestId?: string | undefined;
}

/** What a call about a tenant may do otherwise. */
export interface TenantOptions extends CallOptions {
  /**
   * Which tenant a platform operator means; an administrator's own unless told. Of another one an administrator is told
   * that it does not exist.
   */
  tenantId?: string | undefined;
}

/** What a call that creates may do otherwise. */
export interface CreateOptions extends CallOptions {
  /** Names the work: a second call with the same key answers the same job or jobs. One is made up unless told. */
  idempotencyKey?: string | undefined;
}

/** Options with every default filled in. */
export interface Settings {
  /** Without a slash at the end. */
  baseUrl: string;
  apiKey: string | undefined;
  accessToken: AccessToken | undefined;
  tenantId: string | undefined;
  tokens: TokenStore | undefined;
  timeoutMs: number;
  maxRetries: number;
  backoff: Backoff;
  /** Seconds that a call waits before a retry at most, if the service asks for it; as long as `retry.ts` says unless told. */
  longestRetryAfter?: number;
  fetch: Fetch;
}

/** Fills in the defaults; a TypeError names the option that cannot be used, never its value. */
export function readOptions(options: LinguaLoopOptions): Settings {
  return {
    baseUrl: cleanAddress(options.baseUrl),
    apiKey: options.apiKey,
    accessToken: options.accessToken,
    tenantId: options.tenantId,
    tokens: options.tokens,
    timeoutMs: options.timeoutMs ?? 130_000,
    maxRetries: options.maxRetries ?? 2,
    backoff: options.backoff ?? { firstMs: 500, maxMs: 8_000 },
    // Looked up at each call, so that a later patch of the global `fetch` takes effect.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
  };
}

function cleanAddress(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new TypeError('baseUrl must be an http or https address');
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not carry credentials: give apiKey or accessToken');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
