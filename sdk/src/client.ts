import { type Analyses, analyses } from './analyses.ts';
import { type ApiKeys, apiKeys } from './api-keys.ts';
import type { ApiPromise } from './api-promise.ts';
import { type Assignments, assignments } from './assignments.ts';
import { type Audit, audit } from './audit.ts';
import { type Auth, auth } from './auth.ts';
import { type Billing, billing } from './billing.ts';
import { connect } from './connection.ts';
import { type Documents, documents } from './documents.ts';
import { type Engines, engines } from './engines.ts';
import { type Events, events } from './event-feed.ts';
import { type Members, members } from './members.ts';
import { type Memory, memory } from './memory.ts';
import type { LinguaLoopOptions } from './options.ts';
import { type Quality, quality } from './quality.ts';
import { type RawRequest, type RawRequestOptions, rawRequest } from './raw-request.ts';
import { type ReviewReports, reviewReports } from './review-reports.ts';
import { type Reviews, reviews } from './reviews.ts';
import { type Storage, storage } from './storage.ts';
import { type StyleGuides, styleGuides } from './style-guides.ts';
import { type System, system } from './system.ts';
import { type Tenants, tenants } from './tenants.ts';
import { type Terminology, terminology } from './terminology.ts';
import { type Translations, translations } from './translations.ts';
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
