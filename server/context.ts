import type { Database } from '#db/client.ts';
import type { Glossaries } from '#server/matching/terms/glossary.ts';
import type { BackgroundWork } from '#server/platform/background-work.ts';
import type { SecretsKeys } from '#server/platform/encryption.ts';
import type { Embedder, Engine } from '#server/platform/engines/engine.ts';
import type { TenantEngines } from '#server/platform/engines/tenant-engine.ts';
import type { PaymentProcessor } from '#server/platform/payments/processor.ts';
import type { FileWork } from '#server/platform/sandbox/file-work.ts';
import type { AccountStores } from '#server/platform/stores/account-stores.ts';
import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import type { AppError } from './errors.ts';
import type { Log } from './platform/log.ts';
import type { Settings } from './settings.ts';

/** The dependencies of a process, created once at its start. */
export interface Services {
  settings: Settings;
  database: Database;
  engine: Engine;
  /** The engines that tenants use with their own keys. `engine` asks them in place of the deployment's. */
  workspaceEngines: TenantEngines;
  /** Null if no embedding model is configured. */
  embedder: Embedder | null;
  /** Null if neither the processor's key nor its webhook secret is set. */
  payments: PaymentProcessor | null;
  /** Platform storage: golden records and files of tenants that have not connected their own. */
  storage: PlatformStore;
  /** The storage that tenants have connected for themselves. */
  accountStores: AccountStores;
  /** Reads and renders files in child processes with limits. Its slots are shared fairly among tenants. */
  fileWork: FileWork;
  /** Cache of compiled glossaries. */
  glossaries: Glossaries;
  /** Work that the process waits for before it ends. */
  backgroundWork: BackgroundWork;
  /** The keys that encrypt stored secrets. */
  secretsKeys: SecretsKeys;
  log: Log;
}

/** Notes about a request, collected while it is served, for its log line. */
export interface RequestNotes {
  procedure: string | null;
  /** The tenant for which the request was authenticated; null before that. */
  tenantId: string | null;
  error: AppError | null;
  /** The decisions about the caller that were made before the input was read, by `admit` of the procedure. */
  admissions: Map<NonNullable<Access['admit']>, Promise<void>>;
}

/** The parts of the HTTP response that a procedure can set, in addition to its body. */
export interface HttpResponse {
  setHeader(name: string, value: string): void;
  /** Replaces the route's success status. Only REST responses have one. */
  setStatus(status: 202): void;
  /** Adds a Set-Cookie header. */
  addCookie(cookie: string): void;
}

/**
 * The rule that decides who may call a procedure. `administrator_session` is for procedures of the web application
 * only. Each procedure declares exactly one.
 */
export type GuardName =
  | 'public'
  | 'tenant_identity'
  | 'tenant_identity_or_cookie'
  | 'tenant_admin'
  | 'admin'
  | 'platform_operator'
  | 'bearer'
  | 'administrator_session'
  | 'challenge_or_cookie'
  | 'session_cookie';

/** A permission of an API key. A key never has more permissions than the guard of a procedure gives to keys. */
export type Scope = 'translate' | 'read' | 'review' | 'admin';

/** The credentials that a procedure accepts. */
export interface Access {
  guard?: GuardName;
  /** For a guard that accepts API keys: the key must have one of these scopes. */
  scopes?: readonly [Scope, ...Scope[]];
  /**
   * Decides by the credential alone whether the caller may make the call. Undefined if anyone may, or if the credential is
   * in the body. Call it as `ctx.admit`.
   * @throws AppError 401, 403
   */
  admit?: (ctx: RequestContext, procedure: string) => Promise<void>;
  /** Set if the specification has the input checked before the credential. */
  inputFirst?: true;
}

/** The credentials of a request as they were sent. They have not been verified. */
export interface PresentedCredentials {
  bearer: string | null;
  apiKey: string | null;
  /**
   * True if an Authorization header was sent that contains no bearer token. If so, the session cookie is ignored,
   * too.
   */
  unreadable: boolean;
  /** The access token in the session cookie. Only a few REST routes accept it; `/trpc` never does. */
  cookie: string | null;
  /** The cookie of a visitor of the demo workspace. It counts only if the request has no other credential. */
  visit: string | null;
  /** The value of X-Tenant-ID, which restricts every credential to that tenant. */
  tenantId: string | null;
}

/**
 * The context of one request, in the same form for REST and `/trpc`. Its `credentials` have not been authenticated
 * yet.
 */
export interface RequestContext {
  services: Services;
  requestId: string;
  credentials: PresentedCredentials;
  /** `rest` for the documented API, `rpc` for a typed call of the SDK. */
  transport: 'rest' | 'rpc';
  notes: RequestNotes;
  /** The client's address, for rate limits and the audit log. */
  readonly clientAddress: string;
  /** The program and system of the client, such as `Firefox, Linux`; null if unknown. */
  readonly agent: string | null;
  /** A cookie of the request, as sent. Null if it is missing, or if the transport ignores cookies, as /trpc does. */
  cookie(name: string): string | null;
  /** True if the request has the preference `respond-async` (RFC 7240): a response before the result exists. */
  prefersAsync: boolean;
  /** True if Origin or Sec-Fetch-Site shows that another site's page made the request. */
  crossSite: boolean;
  /** True if a browser made the request: it sent Origin or Sec-Fetch-Site. */
  fromBrowser: boolean;
  response: HttpResponse;
  /**
   * Returns a signal that aborts when the client disconnects. It stops only work that this response alone needs;
   * running translations continue.
   */
  disconnected(): AbortSignal;
  /**
   * Sets WWW-Authenticate for a possible 401: if the request has a credential of the wrong kind, the header names the
   * credential that a procedure with this guard requires.
   */
  describeCredential(guard: GuardName | undefined): void;
  /**
   * Decides whether the caller may call a procedure, before its input is read. A request decides once. The transaction
   * of the work authenticates the caller again.
   * @throws AppError the guard's 401 or 403
   */
  admit(access: Access, procedure: string): Promise<void>;
}
