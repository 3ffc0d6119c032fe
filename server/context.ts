import type { Database } from '#db/client.ts';
import type { PresentedCredentials } from './access/credentials.ts';
import type { BackgroundWork } from './background-work.ts';
import type { PaymentProcessor } from './billing/processor.ts';
import type { Embedder, Engine } from './engines/engine.ts';
import type { FileWork } from './sandbox/file-work.ts';
import type { Settings } from './settings.ts';
import type { ObjectStore } from './storage/object-store.ts';
import type { Glossaries } from './terminology/glossary.ts';

/** Where log lines go: pino's interface, as much of it as we use. Never given text, secrets or parameters. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the process has: made once, at its start. */
export interface Services {
  settings: Settings;
  database: Database;
  engine: Engine;
  /** Null where no embedding model is configured (C 6 stub_embeddings). */
  embedder: Embedder | null;
  /** Null where neither the processor's key nor its webhook's secret is set. */
  payments: PaymentProcessor | null;
  /** Where golden records rest. */
  storage: ObjectStore;
  /** Reads and renders files in child processes with limits, by turns of the tenants. */
  fileWork: FileWork;
  /** Compiled glossaries, kept for the texts that come next. */
  glossaries: Glossaries;
  /** Runs that are waited for before the process ends. */
  backgroundWork: BackgroundWork;
  /** 32 bytes that encrypt stored secrets. */
  secretsKey: Buffer;
  log: Log;
}

/** What a procedure may say about the HTTP answer beside its body. */
export interface HttpResponse {
  setHeader(name: string, value: string): void;
  /** The status of success, where it is not the route's own. Only the REST door has any. */
  setStatus(status: 202): void;
  /** Adds a Set-Cookie header. */
  addCookie(cookie: string): void;
}

/** The rows of A 5.2. Each procedure declares exactly one. */
export type GuardName =
  | 'public'
  | 'tenant_identity'
  | 'tenant_identity_or_cookie'
  | 'tenant_admin'
  | 'admin'
  | 'platform_operator'
  | 'bearer'
  | 'challenge_or_cookie'
  | 'session_cookie';

/** One request, the same at both doors. Who asks is in `credentials`, not yet believed. */
export interface RequestContext {
  services: Services;
  requestId: string;
  credentials: PresentedCredentials;
  /** Who connects (C 2), as rate limits and the audit log are told. */
  readonly clientAddress: string;
  /** A cookie of the request, as it was sent; null where there is none, or where the door takes none (C 7: /trpc). */
  cookie(name: string): string | null;
  /** Whether Origin or Sec-Fetch-Site says that another site's page made the request. */
  crossSite: boolean;
  /** Whether a browser made it: either of those headers was sent. */
  fromBrowser: boolean;
  response: HttpResponse;
  /** Goes off when the client hangs up. Runs go on without it; what is only made for this answer does not. */
  disconnected(): AbortSignal;
  /**
   * Believes the caller before the body is read, as `guard` will again with it; false where that asks for no credential.
   * @throws AppError the guard's 401 or 403
   */
  authenticate(guard: GuardName): Promise<boolean>;
}
