import type { Observers } from './events.ts';
import { newIdempotencyKey } from './random-key.ts';
import type { Backoff } from './retry.ts';
import type { TokenStore } from './tokens.ts';

/**
 * Sends one HTTP request: `globalThis.fetch`, or a replacement. If its responses have no readable `body`, a download
 * is held in memory completely.
 */
export type Fetch = (
  url: string,
  init: RequestInit,
) => Promise<
  Pick<Response, 'status' | 'ok' | 'headers' | 'text' | 'arrayBuffer'> & Partial<Pick<Response, 'body'>>
>;

/** An access token, or a function that returns one; it is called before each attempt. */
export type AccessToken = string | (() => string | Promise<string>);

/** Options of a client: the service's URL, the credential, timeouts and retries. */
export interface LinguaLoopOptions extends Observers {
  /**
   * The service's URL, for example `https://translate.example.com`. Default: the environment variable
   * `LINGUALOOP_URL`.
   */
  baseUrl?: string | undefined;
  /**
   * A tenant API key. Default: the environment variable `LINGUALOOP_API_KEY`, if neither `accessToken` nor `tokens` is given.
   */
  apiKey?: string | undefined;
  /** A user's access token. It takes precedence over `apiKey`. */
  accessToken?: AccessToken | undefined;
  /**
   * Restricts the credential to this tenant: another tenant's credential is rejected. A sign-in is to this tenant,
   * too.
   */
  tenantId?: string | undefined;
  /**
   * The store for the tokens of `auth.signIn`; in memory by default. Its tokens take precedence over `accessToken`
   * and `apiKey`.
   */
  tokens?: TokenStore | undefined;
  /**
   * Milliseconds for one attempt. Default: 130,000, since the pipeline may take 120 s for one text. A call that
   * translates several texts one after the other has that many times as long; a streamed download has it for its
   * beginning, then again for each piece, however long it takes as a whole. `Infinity`: no limit.
   */
  timeout?: number | undefined;
  /** Maximum retries of one call. Default: 2. */
  maxRetries?: number | undefined;
  /** Waits between attempts. Default: 500 ms, doubling up to 8 s. A Retry-After takes precedence. */
  backoff?: Backoff | undefined;
  /** Headers of every request, for a proxy in front of the service. They never replace the client's own. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Creates the idempotency key of a call that creates without one. Default: a random UUID. */
  idempotencyKey?: ((call: string) => string) | undefined;
  /** The behavior of a call whose idempotency key belongs to a different request. Default: `throw`. */
  onIdempotencyMismatch?: OnIdempotencyMismatch | undefined;
  /** Sends the requests instead of `globalThis.fetch`. */
  fetch?: Fetch | undefined;
}

/**
 * The behavior of a call whose idempotency key belongs to an earlier, different request: `throw` an
 * `IdempotencyMismatchError`, or `return` the job of that request, with a warning in `warnings`.
 */
export type OnIdempotencyMismatch = 'throw' | 'return';

/** Options of one call. */
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

/** Options of a call about a tenant. */
export interface TenantOptions extends CallOptions {
  /**
   * The tenant that a platform operator addresses. Default: an administrator's own. For an administrator, another
   * tenant does not exist.
   */
  tenantId?: string | undefined;
}

/** The query of a call about a tenant that a platform operator may name. */
export function tenantOf(options: TenantOptions | undefined): { tenant_id: string | undefined } {
  return { tenant_id: options?.tenantId };
}

/** Options of a call that creates. */
export interface CreateOptions extends CallOptions {
  /**
   * Names the work: a second call with the same key returns the same job or jobs. Default: a key that the client
   * creates.
   */
  idempotencyKey?: string | undefined;
  /** The behavior of this call if its key belongs to a different request. Default: the client's option. */
  onIdempotencyMismatch?: OnIdempotencyMismatch | undefined;
}

/** The sent part of a request's body. */
export interface UploadProgress {
  /** Bytes. */
  loaded: number;
  /** Bytes. */
  total: number;
}

/** Options of a call that sends a file. */
export interface UploadOptions extends CallOptions {
  /**
   * Called while the file is sent: in browsers by XMLHttpRequest (with your own `fetch` only with 0 and the total),
   * elsewhere as the connection takes its pieces. Starts again from 0 after a retry. Its errors are ignored.
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
  /** Maximum seconds that a call waits before a retry, if the service requests it; the default is in `retry.ts`. */
  maxRetryAfter?: number;
  fetch: Fetch;
  /** Whether `fetch` is the platform's own, so that its XMLHttpRequest can be used instead. */
  isOwnFetch: boolean;
}

/**
 * Fills in the defaults.
 * @throws TypeError that names the invalid option, never its value
 */
export function readOptions(options: LinguaLoopOptions = {}): Settings {
  const { apiKey, accessToken, tokens, onRequest, onResponse, logger } = options;
  const baseUrl = options.baseUrl ?? environment('LINGUALOOP_URL');
  if (baseUrl === undefined) throw new TypeError('baseUrl is missing: set the option or LINGUALOOP_URL');
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

/** A variable of the environment; undefined in browsers, if it is empty, and if reading it is not allowed. */
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
    throw new TypeError('baseUrl must be an http or https URL');
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl must not have credentials: use apiKey or accessToken');
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
