import { type Auth, auth, refreshGrant } from './auth.ts';
import { type LinguaLoopOptions, readOptions } from './options.ts';
import { createRest } from './rest.ts';
import { createRpc } from './rpc.ts';
import { createSend } from './send.ts';
import { createSession } from './session.ts';
import { type System, system } from './system.ts';
import { type Translations, translations } from './translations.ts';

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
  readonly system: System;
  readonly translations: Translations;

  constructor(options: LinguaLoopOptions) {
    const settings = readOptions(options);
    const rpc = createRpc(`${settings.baseUrl}/trpc`, settings.fetch);
    const send = createSend(settings);
    const session = createSession(settings.tokens, refreshGrant(rpc, send, settings));
    const sendSignedIn = createSend(settings, session);
    this.auth = auth({ rpc, send, sendSignedIn, session, tenantId: settings.tenantId });
    this.system = system(rpc, send);
    this.translations = translations(rpc, createRest(settings.baseUrl, settings.fetch), sendSignedIn);
  }
}
