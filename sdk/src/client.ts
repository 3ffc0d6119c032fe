import { type Analyses, analyses } from './analyses.ts';
import { type ApiKeys, apiKeys } from './api-keys.ts';
import { type ApiPromise, apiPromise } from './api-promise.ts';
import { type Assignments, assignments } from './assignments.ts';
import { type Audit, audit } from './audit.ts';
import { type Auth, auth } from './auth.ts';
import { type Billing, billing } from './billing.ts';
import { type Connection, connect } from './connection.ts';
import { type Documents, documents } from './documents.ts';
import { type Engines, engines } from './engines.ts';
import { type Events, events } from './event-feed.ts';
import { type Members, members } from './members.ts';
import { type Memory, memory } from './memory.ts';
import type { CallOptions, CreateOptions, LinguaLoopOptions } from './options.ts';
import { type Quality, quality } from './quality.ts';
import { type RestRequest, resultOf } from './rest.ts';
import { type ReviewReports, reviewReports } from './review-reports.ts';
import { type Reviews, reviews } from './reviews.ts';
import type { Call } from './send.ts';
import { type Storage, storage } from './storage.ts';
import { type StyleGuides, styleGuides } from './style-guides.ts';
import { type Tenants, tenants } from './tenants.ts';
import { type Terminology, terminology } from './terminology.ts';
import { type Translations, translations } from './translations.ts';
import type { HealthStatus } from './types.ts';
import { type Usage, usage } from './usage.ts';

/**
 * A LinguaLoop deployment, called as one caller.
 *
 * ```ts
 * const client = new LinguaLoop({ baseUrl: 'http://127.0.0.1:8080', apiKey });
 * const job = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
 * ```
 *
 * The client uses the session that `auth.signIn` started. Without a session, it uses the access token or the API key
 * of the options. These credentials are kept in closures, so that printing the client does not show them.
 */
export class LinguaLoop {
  /** Counts of files in several languages, before they are translated. */
  readonly analyses: Analyses;
  /** The API keys of a tenant. */
  readonly apiKeys: ApiKeys;
  /** Assignments, due dates and second reviews. */
  readonly assignments: Assignments;
  /** The audit log of a tenant. */
  readonly audit: Audit;
  /** Signs members up, in and out, and manages their credentials. */
  readonly auth: Auth;
  /** Payments. */
  readonly billing: Billing;
  /** Files that are translated, keeping their layout. */
  readonly documents: Documents;
  /** The changes in a tenant: of translations, documents, reviews and imports. */
  readonly events: Events;
  /** The members of a tenant. */
  readonly members: Members;
  /** Translation memories. */
  readonly memory: Memory;
  /** Checks by people, and what the quality gate is worth. */
  readonly quality: Quality;
  /** Claims of reviewers, and reports about their work. */
  readonly reviews: Reviews & ReviewReports;
  /** The engine that a tenant uses with its own key. */
  readonly engines: Engines;
  /** The storage in which a tenant keeps its records and files. */
  readonly storage: Storage;
  /** Rules for the style of translations. */
  readonly styleGuides: StyleGuides;
  /** The health of the deployment. */
  readonly system: System;
  /** Tenants, with their policies and invites. */
  readonly tenants: Tenants;
  /** Glossaries. */
  readonly terminology: Terminology;
  /** Texts and their translation jobs. */
  readonly translations: Translations;
  /** Usage and billing records. */
  readonly usage: Usage;
  /**
   * Sends any request with this client's credentials and retries. Useful for endpoints for which the client has no
   * method.
   *
   * ```ts
   * const page = await client.request('GET', '/api/translations', { query: { limit: 5 } });
   * ```
   */
  readonly request: (
    method: RawRequest['method'],
    path: string,
    options?: RawRequestOptions,
  ) => ApiPromise<unknown>;

  /** @throws TypeError that names the invalid option */
  constructor(options?: LinguaLoopOptions) {
    const connection = connect(options);
    this.analyses = analyses(connection);
    this.apiKeys = apiKeys(connection);
    this.assignments = assignments(connection);
    this.audit = audit(connection);
    this.auth = auth(connection);
    this.billing = billing(connection);
    this.documents = documents(connection);
    this.events = events(connection);
    this.members = members(connection);
    this.memory = memory(connection);
    this.quality = quality(connection);
    this.reviews = { ...reviews(connection), ...reviewReports(connection) };
    this.engines = engines(connection);
    this.storage = storage(connection);
    this.styleGuides = styleGuides(connection);
    this.system = system(connection);
    this.tenants = tenants(connection);
    this.terminology = terminology(connection);
    this.translations = translations(connection);
    this.usage = usage(connection);
    this.request = rawRequest(connection);
  }
}

/** A request of any kind. */
interface RawRequest {
  /** The HTTP method. */
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
}

/** Options of a raw request. */
export interface RawRequestOptions extends CreateOptions {
  /** Added to the path, which may already have a query. Undefined and null members are omitted. */
  query?: object | undefined;
  /** The body, sent as JSON. */
  json?: unknown;
  /** The body, sent as a form (application/x-www-form-urlencoded). */
  form?: object | undefined;
  /** The body, sent as it is. Set its content type in `headers`. */
  body?: ArrayBuffer | undefined;
}

/**
 * Returns a function that sends any request. Its result is the body of the response: parsed if it is JSON, a string
 * if it is `text/*`, otherwise the bytes; undefined if it is empty. Reads and requests with an idempotency key are
 * retried like other calls. Other requests are retried only if the service certainly did nothing.
 * @throws TypeError if the path does not begin with a slash
 */
function rawRequest({ rest, run }: Connection) {
  return (
    method: RestRequest['method'],
    path: string,
    options: RawRequestOptions = {},
  ): ApiPromise<unknown> => {
    if (!path.startsWith('/') || path.startsWith('//'))
      throw new TypeError('the path must begin with exactly one slash, because it is relative to baseUrl');
    const { query, json, form, body, idempotencyKey } = options;
    const repeatable = method === 'GET' || idempotencyKey !== undefined;
    const call: Call = { name: `${method} ${path}`, repeatable, open: true };
    const headers = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey };
    const request: RestRequest = { method, path, query, json, form, body, headers };
    return run(call, (attempt) => rest.raw(request, attempt), options);
  };
}

/** The health of the deployment. */
export interface System {
  /** Checks that the service is alive. Needs no credential. The service does not check its database for this call. */
  health(options?: CallOptions): ApiPromise<HealthStatus>;
}

const healthCall: Call = { name: 'system.health', repeatable: true, result: ['status'] };

export function system({ rest, sendUnsigned }: Connection): System {
  return {
    health: (options) =>
      apiPromise(
        sendUnsigned(
          healthCall,
          (attempt) =>
            rest.json<HealthStatus>({ method: 'GET', path: '/healthz' }, attempt, resultOf(healthCall)),
          options,
        ),
      ),
  };
}
