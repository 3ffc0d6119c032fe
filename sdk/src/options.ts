import type { Observers } from './events.ts';
import { newIdempotencyKey } from './random-key.ts';
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
export interface LinguaLoopOptions extends Observers {
  /** The service's address, for instance `https://translate.example.com`. Default: the environment variable `LINGUALOOP_URL`. */
  baseUrl?: string | undefined;
  /**
   * A tenant API key. Default: the environment variable `LINGUALOOP_API_KEY`, if neither `accessToken` nor `tokens` is given.
   */
  apiKey?: string | undefined;
  /** A user's access token. If both are given, it decides who asks. */
  accessToken?: AccessToken | undefined;
  /** Narrows the credential to this tenant: one that belongs to another is refused. A sign-in is to this one, too. */
  tenantId?: string | undefined;
  /**
   * Where `auth.signIn` keeps its tokens; by default in memory. What it holds goes before `accessToken` and `apiKey`.
   */
  tokens?: TokenStore | undefined;
  /**
   * Milliseconds for one attempt. Default: 130,000, since the pipeline may take 120 s over one text. A call that translates
   * several texts one after the other has so many times that; a download that is streamed has it for its beginning, then
   * for each piece anew, however long it takes as a whole. `Infinity`: no limit.
   */
  timeout?: number | undefined;
  /** Maximum retries of one call. Default: 2. */
  maxRetries?: number | undefined;
  /** Waits between attempts. Default: 500 ms, doubling up to 8 s. A Retry-After goes before them. */
  backoff?: Backoff | undefined;
  /** Headers of every request, for a proxy in front of the service. They never replace the client's own. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Makes the idempotency key of a call that creates and was given none. Default: a random UUID. */
  idempotencyKey?: ((call: string) => string) | undefined;
  /** What a call does whose idempotency key belongs to a different request. Default: `throw`. */
  onIdempotencyMismatch?: OnIdempotencyMismatch | undefined;
  /** Sends the requests instead of `globalThis.fetch`. */
  fetch?: Fetch | undefined;
}

/**
 * What a call does whose idempotency key belongs to an earlier request that asked for something else: `throw` an
 * `IdempotencyMismatchError`, or `return` the job of that request, with a warning in `warnings`.
 */
export type OnIdempotencyMismatch = 'throw' | 'return';

/** What one call may do otherwise. */
export interface CallOptions {
  /** Ends the call, waits between attempts included; the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt of this call, however many texts it translates; or for each piece of its download. */
  timeout?: number | undefined;
  /** Maximum retries of this call. */
  maxRetries?: number | undefined;
  /** Headers of this call's requests, besides the client's. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as X-Request-ID and echoed in errors and logs: 1 to 128 of letters, digits and `._:-`. */
  requestId?: string | undefined;
}

/** What a call about a tenant may do otherwise. */
export interface TenantOptions extends CallOptions {
  /**
   * Which tenant a platform operator means. Default: an administrator's own. Of another one an administrator is told
   * that it does not exist.
   */
  tenantId?: string | undefined;
}

/** The query of a call about a tenant that a platform operator may name. */
export function tenantOf(options: TenantOptions | undefined): { tenant_id: string | undefined } {
  return { tenant_id: options?.tenantId };
}

/** What a call that creates may do otherwise. */
export interface CreateOptions extends CallOptions {
  /** Names the work: a second call with the same key returns the same job or jobs. Default: one that the client makes. */
  idempotencyKey?: string | undefined;
  /** What this call does if its key belongs to a different request. Default: what the client's option says. */
  onIdempotencyMismatch?: OnIdempotencyMismatch | undefined;
}

/** How much of a request's body has been sent. */
export interface UploadProgress {
  /** Bytes. */
  loaded: number;
  /** Bytes. */
  total: number;
}

/** What a call that sends a file may do otherwise. */
export interface UploadOptions extends CallOptions {
  /**
   * Told as the file is sent: in browsers by XMLHttpRequest (with a `fetch` of your own only 0 and the total), elsewhere as the connection
   * takes its pieces. Again from 0 after a retry. What it throws or rejects with is ignored.
   */
  onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** Options with every default filled in. */
export interface Settings extends Observers {
  /** Without a slash at the end. */
  baseUrl: string;
  apiKey: string | undefined;
  accessToken: AccessToken | undefined;
  tenantId: string | undefined;
  tokens: TokenStore | undefined;
  timeout: number;
  maxRetries: number;
  backoff: Backoff;
  headers: Readonly<Record<string, string>>;
  idempotencyKey: (call: string) => string;
  onIdempotencyMismatch: OnIdempotencyMismatch;
  /** Seconds that a call waits before a retry at most, if the service asks for it; as long as `retry.ts` says unless told. */
  maxRetryAfter?: number;
  fetch: Fetch;
  /** Whether `fetch` is the platform's own, so that its XMLHttpRequest is as good. */
  isOwnFetch: boolean;
}

/**
 * Fills in the defaults.
 * @throws TypeError naming the option that cannot be used, never its value
 */
export function readOptions(options: LinguaLoopOptions = {}): Settings {
  const { apiKey, accessToken, tokens, onRequest, onResponse, logger } = options;
  const baseUrl = options.baseUrl ?? environment('LINGUALOOP_URL');
  if (baseUrl === undefined) throw new TypeError('baseUrl is missing: give it, or set LINGUALOOP_URL');
  return {
    baseUrl: cleanAddress(baseUrl),
    apiKey: apiKey ?? (accessToken || tokens ? undefined : environment('LINGUALOOP_API_KEY')),
    accessToken,
    tenantId: options.tenantId,
    tokens,
    timeout: options.timeout ?? 130_000,
    maxRetries: options.maxRetries ?? 2,
    backoff: options.backoff ?? { firstMs: 500, maxMs: 8_000 },
    headers: options.headers ?? {},
    idempotencyKey: options.idempotencyKey ?? newIdempotencyKey,
    onIdempotencyMismatch: options.onIdempotencyMismatch ?? 'throw',
    // Looked up at each call, so that a later patch of the global `fetch` takes effect.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    isOwnFetch: !options.fetch,
    onRequest,
    onResponse,
    logger,
  };
}

/** A variable of the environment; undefined in browsers, if it is empty, and where reading it is not allowed. */
function environment(name: string): string | undefined {
  try {
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    return process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

function cleanAddress(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new TypeError('baseUrl must be an http or https address');
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not carry credentials: give apiKey or accessToken');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
