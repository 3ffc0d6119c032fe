import { type Auth, auth, refreshGrant } from './auth.ts';
import { type Billing, billing } from './billing.ts';
import { type Documents, documents } from './documents.ts';
import { createDownloads } from './downloads.ts';
import { type Memory, memory } from './memory.ts';
import { type LinguaLoopOptions, readOptions } from './options.ts';
import { createRest } from './rest.ts';
import { createRpc } from './rpc.ts';
import { createSend } from './send.ts';
import { createSession } from './session.ts';
import { type Storage, storage } from './storage.ts';
import { type System, system } from './system.ts';
import { type Tenants, tenants } from './tenants.ts';
import { type Terminology, terminology } from './terminology.ts';
import { type Translations, translations } from './translations.ts';
import { type Usage, usage } from './usage.ts';

/**
 * A LinguaLoop deployment, asked as one caller.
 *
 * ```ts
 * const client = new LinguaLoop({ baseUrl: 'http://127.0.0.1:8080', apiKey });
 * const job = await client.translations.create({ source_text: 'Hello', target_lang: 'fr' });
 * ```
 *
 * Who asks is the session that `auth.signIn` began, else the access token or the API key of the options. They live in the
 * methods' closures: nothing that prints the client shows them.
 */
export class LinguaLoop {
  readonly auth: Auth;
  readonly billing: Billing;
  readonly documents: Documents;
  readonly memory: Memory;
  readonly storage: Storage;
  readonly system: System;
  readonly tenants: Tenants;
  readonly terminology: Terminology;
  readonly translations: Translations;
  readonly usage: Usage;

  constructor(options: LinguaLoopOptions) {
    const settings = readOptions(options);
    const rpc = createRpc(`${settings.baseUrl}/trpc`, settings.fetch);
    const send = createSend(settings);
    const session = createSession(settings.tokens, refreshGrant(rpc, send, settings));
    const sendSignedIn = createSend(settings, session);
    this.auth = auth({ rpc, send, sendSignedIn, session, tenantId: settings.tenantId });
    const rest = createRest(settings.baseUrl, settings.fetch);
    const downloads = createDownloads(rest, sendSignedIn, settings);
    this.billing = billing(rpc, sendSignedIn);
    this.documents = documents(rpc, rest, sendSignedIn, downloads, settings);
    this.memory = memory(rpc, rest, sendSignedIn, downloads, settings);
    this.storage = storage(rpc, sendSignedIn);
    this.system = system(rpc, send);
    this.tenants = tenants(rpc, sendSignedIn);
    this.terminology = terminology(rpc, rest, sendSignedIn);
    this.translations = translations(rpc, rest, sendSignedIn);
    this.usage = usage(rpc, sendSignedIn, downloads);
  }
}
