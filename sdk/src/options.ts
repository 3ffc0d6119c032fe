import type { Logger, Observers } from './events.ts';
import { newIdempotencyKey } from './random-key.ts';
import type { Backoff } from './retry.ts';
import type { TokenStore } from './tokens.ts';

/**
 * Sends one HTTP request: `globalThis.fetch`, or a replacement. If the responses of a replacement have no readable
 * `body`, downloads are held in memory completely.
 */
export type Fetch = (
  url: string,
  init: RequestInit,
) => Promise<
  Pick<Response, 'status' | 'ok' | 'headers' | 'text' | 'arrayBuffer'> & Partial<Pick<Response, 'body'>>
>;

/** An access token, or a function that returns one. The function is called before each attempt. */
export type AccessToken = string | (() => string | Promise<string>);

/** Options of a client: the URL of the service, the credential, timeouts and retries. */
export interface LinguaLoopOptions extends Observers {
  /**
   * The service's URL, for example `https://translate.example.com`. Default: the environment variable
   * `LINGUALOOP_URL`.
   */
  baseUrl?: string | undefined;
  /**
   * The API key of a tenant. Default: the environment variable `LINGUALOOP_API_KEY`, unless `accessToken` or `tokens`
   * is set.
   */
  apiKey?: string | undefined;
  /** The access token of a member. It takes precedence over `apiKey`. */
  accessToken?: AccessToken | undefined;
  /**
   * The only tenant that this client may use. The service rejects credentials of other tenants, and members sign in
   * to this tenant.
   */
  tenantId?: string | undefined;
  /**
   * The store for the tokens of `auth.signIn`. Default: a store in memory. Tokens in the store take precedence over
   * `accessToken` and `apiKey`.
   */
  tokens?: TokenStore | undefined;
  /**
   * Timeout of one attempt, in milliseconds. Default: 130,000, because the service may take 120 s for one text. For a
   * call that translates several texts, the timeout is multiplied by their number, up to 10 minutes. For a streamed
   * download, it applies to the time until the first piece, and then to each further piece; the whole download has no
   * timeout. `Infinity` means no timeout.
   */
  timeout?: number | undefined;
  /** Maximum retries of one call. Default: 2. */
  maxRetries?: number | undefined;
  /** The waiting times between attempts. Default: 500 ms, doubling up to 8 s. A Retry-After header takes precedence. */
  backoff?: Backoff | undefined;
  /**
   * Headers that are sent with every request, for example for a proxy in front of the service. They never replace the
   * client's own headers.
   */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Creates the idempotency key for a call that creates jobs and has no key in its options. Default: a random UUID. */
  idempotencyKey?: ((call: string) => string) | undefined;
  /** The behavior of a call if its idempotency key belongs to a different request. Default: `throw`. */
  onIdempotencyMismatch?: OnIdempotencyMismatch | undefined;
  /** Sends the HTTP requests. Default: `globalThis.fetch`. */
  fetch?: Fetch | undefined;
  /**
   * What is logged: `warn` for retries and warnings, `debug` also for each request and response. Default: the
   * environment variable `LINGUALOOP_LOG`, else `debug` with a `logger`, else `off`. Without a `logger`, `console` gets
   * the lines.
   */
  logLevel?: LogLevel | undefined;
}

/**
 * The behavior of a call whose idempotency key belongs to an earlier, different request. `throw`: throw an
 * `IdempotencyMismatchError`. `return`: return the job of the earlier request, which has a warning in `warnings`.
 */
export type OnIdempotencyMismatch = 'throw' | 'return';

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, also while it waits between attempts. The promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * Timeout of one attempt of this call, in milliseconds, regardless of the number of texts. For a download, it
   * applies to each piece.
   */
  timeout?: number | undefined;
  /** Maximum retries of this call. */
  maxRetries?: number | undefined;
  /** Headers for the requests of this call, in addition to those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Sent as X-Request-ID and returned in errors; the service's logs contain it. 1 to 128 letters, digits or `._:-`. */
  requestId?: string | undefined;
}

/** Options of a call about one tenant. */
export interface TenantOptions extends CallOptions {
  /**
   * The tenant that the call is about; only platform operators can select one. Default: the caller's own tenant. For
   * a tenant's administrator, other tenants do not exist.
   */
  tenantId?: string | undefined;
}

/** Query parameters of a call about one tenant. A platform operator can select the tenant. */
export function tenantOf(options: TenantOptions | undefined): { tenant_id: string | undefined } {
  return { tenant_id: options?.tenantId };
}

/** Options of a call that creates jobs. */
export interface CreateOptions extends CallOptions {
  /**
   * Identifies the work: a second call with the same key returns the same jobs. Default: a key that the client
   * creates.
   */
  idempotencyKey?: string | undefined;
  /**
   * The behavior of this call if its idempotency key belongs to a different request. Default: the option of the
   * client.
   */
  onIdempotencyMismatch?: OnIdempotencyMismatch | undefined;
}

/** The part of a request body that has been sent. */
export interface UploadProgress {
  /** Bytes. */
  loaded: number;
  /** Bytes. */
  total: number;
}

/** Options of a call that sends a file. */
export interface UploadOptions extends CallOptions {
  /**
   * Called while the file is sent. Browsers use XMLHttpRequest to report the progress; with your own `fetch`, a
   * browser reports only 0 and the total. Elsewhere, progress is reported when the connection accepts a piece. After
   * a retry, the progress starts again at 0. Errors of the callback are ignored.
   */
  onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** The options of a client, with all defaults filled in. */
export interface Settings extends Observers {
  /** The service's URL, without a slash at the end. */
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
  /** Maximum seconds that a call waits before a retry, if the service requests a wait. The default is in `retry.ts`. */
  maxRetryAfter?: number;
  fetch: Fetch;
  /** Whether `fetch` is the platform's own function, so that uploads can use XMLHttpRequest instead. */
  isOwnFetch: boolean;
}

/**
 * Checks the options and fills in the defaults.
 * @throws TypeError that names the invalid option, never its value
 */
export function readOptions(options: LinguaLoopOptions = {}): Settings {
  const { apiKey, accessToken, tokens, onRequest, onResponse } = options;
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
    // The global `fetch` is looked up at each call, so that a later replacement of it takes effect.
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    isOwnFetch: !options.fetch,
    onRequest,
    onResponse,
    logger: loggerOf(options),
  };
}

const logLevels = ['off', 'warn', 'debug'] as const;

/** The amount that the SDK logs. */
export type LogLevel = (typeof logLevels)[number];

const isLevel = (value: unknown): value is LogLevel => logLevels.some((one) => one === value);

/** Logs to the console. In Node.js, its method `warn` writes to stderr: stdout belongs to the program. */
function toConsole(message: string, fields: object): void {
  // biome-ignore lint/suspicious/noConsole: the caller has asked for it with a level
  console.warn(message, fields);
}

/**
 * Returns the logger with the methods of the level, or the console if only a level is set.
 * @throws TypeError for an unknown level of the option; that of the environment may be meant for another program
 */
function loggerOf({ logger, logLevel }: LinguaLoopOptions): Logger | undefined {
  if (logLevel !== undefined && !isLevel(logLevel))
    throw new TypeError(`logLevel must be one of ${logLevels.join(', ')}`);
  const set = environment('LINGUALOOP_LOG');
  const level = logLevel ?? (isLevel(set) ? set : logger ? 'debug' : 'off');
  if (level === 'off') return undefined;
  const target = logger ?? { debug: toConsole, warn: toConsole };
  if (level === 'debug') return target;
  return { debug: () => {}, warn: (message, fields) => target.warn(message, fields) };
}

/**
 * Reads an environment variable. Undefined in browsers, if the variable is empty, and if the runtime does not allow
 * the program to read it.
 */
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
