import { randomUUID } from 'node:crypto';
import { type IssuedTokens, lockMember, newFamily, startSession } from '#server/identity/access/sessions.ts';
import { viaRpc } from '#test/contract/call.ts';
import type { TestApp } from '#test/setup/app.ts';
import { totpCode } from '#test/setup/totp.ts';
import {
  type RegistrationFields,
  registerFounder,
  registerMember,
  tokensOf,
} from './factories/registration.ts';
import { workbookFile } from './factories/workbook.ts';

/** An application that receives JSON requests: the application of the test, or a separate process. */
export type App = Pick<TestApp, 'json'>;
/** An application that receives any requests. */
export type Server = Pick<TestApp, 'json' | 'request'>;
/** An application in this process, so that factories can insert rows into its database. */
export type Service = Pick<TestApp, 'json' | 'services'>;
export type Fields = Record<string, unknown>;
export type Headers = Record<string, string>;

/** The operator key of the deployments in tests. */
export const operatorKey = 'an-operator-key-of-some-length-0123456789';
export const operator = { 'x-api-key': operatorKey };

/** Settings for an application that has an operator key and no rate limits. */
export const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };

/** The default password of all members that the factories create. */
export const password = 'a long enough passphrase';
export const administrator = 'global_administrator';
export const developer = 'agent_id_developer';

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const cookie = (token: string) => ({ cookie: `ll_session=${token}` });
export const apiKey = (key: string) => ({ 'x-api-key': key });

/** A member who signed up, with a session. */
export interface Person {
  tenantId: string;
  tenantName: string;
  userId: string;
  email: string;
  password: string;
  accessToken: string;
  refreshToken: string;
  /** The API key of the workspace, if this member created it; empty for members who joined. */
  apiKey: string;
  /** Headers with the session's token, as a bearer token and as a cookie. */
  bearer: Headers;
  cookie: Headers;
  /** Headers with the workspace's API key; empty if there is no `apiKey`. */
  key: Headers;
}

/** A member with an authenticator. */
export interface Enrolled extends Person {
  /**
   * The secret in base32. The code of the current time step is used, so the next valid code is `totpCode(secret, 1)`.
   */
  secret: string;
  recoveryCodes: string[];
}

let people = 0;

/** Returns an email address that no other test in this process uses. */
export const freshEmail = () => `person${++people}@example.org`;

/** The body of a signup that creates a workspace, with an unused email address. */
export const founding = (fields: Fields = {}): RegistrationFields => ({
  tenant_name: 'A workspace',
  email: freshEmail(),
  password,
  ...fields,
});

/** Sends a request that must succeed, and returns the body of the response. */
async function succeed(app: App, ...request: Parameters<App['json']>) {
  const { status, body } = await app.json(...request);
  if (status >= 300) throw new Error(`${request[1]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** The member to whom an OAuth2TokenResponse belongs. */
// biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route that mints tokens
export function personOf({ access_token, refresh_token, user }: any, known: Partial<Person> = {}): Person {
  return {
    tenantId: user.tenant_id,
    tenantName: '',
    userId: user.user_id,
    email: user.email,
    password,
    accessToken: access_token,
    refreshToken: refresh_token,
    apiKey: '',
    bearer: bearer(access_token),
    cookie: cookie(access_token),
    key: {},
    ...known,
  };
}

/** The member to whom newly issued tokens belong. */
function personOfTokens({ member, accessToken, refreshToken }: IssuedTokens, known: Partial<Person>): Person {
  const user = { user_id: member.userId, tenant_id: member.tenantId, email: member.email };
  return personOf({ access_token: accessToken, refresh_token: refreshToken, user }, known);
}

/**
 * Creates a workspace over HTTP and returns its creator. For separate processes, and for tests that depend on the
 * signup itself.
 */
export async function signUpFounder(at: App, fields: Fields = {}): Promise<Person> {
  const sent = founding(fields);
  const body = await succeed(at, 'POST', '/api/auth/signup/email', { body: sent });
  const { token, account, tenant_api_key: key } = body;
  return personOf(token, {
    tenantName: account.name,
    password: sent.password,
    apiKey: key,
    key: apiKey(key),
  });
}

/** Inserts a workspace into the application's database. */
async function register({ services }: Service, fields: Fields) {
  const sent = founding(fields);
  const { account, apiKey: key, signIn } = await registerFounder(services, sent);
  const known = { tenantName: account.name, password: sent.password, apiKey: key, key: apiKey(key) };
  return { account, person: personOfTokens(tokensOf(signIn), known) };
}

/** Creates a workspace and returns its creator. */
export const found = async (at: Service, fields: Fields = {}): Promise<Person> =>
  (await register(at, fields)).person;

/** Opens another session for a member, like a sign-in without a second factor. */
export async function openSession({ services }: Service, person: Person): Promise<Person> {
  const { database, settings } = services;
  const { tenantId, userId } = person;
  const tokens = await database.inTenant(tenantId, async (tx) => {
    const member = await lockMember(tx, tenantId, userId);
    if (!member) throw new Error('no such member');
    return startSession(tx, member, settings, newFamily({ secondFactor: false }));
  });
  const { tenantName, password, apiKey, key } = person;
  return personOfTokens(tokens, { tenantName, password, apiKey, key });
}

/** Adds a member who joins a workspace with an invite. */
async function joinBy({ services }: Service, inviteToken: string, fields: Fields = {}): Promise<Person> {
  const sent = founding(fields);
  const signIn = await registerMember(services, inviteToken, sent);
  return personOfTokens(tokensOf(signIn), { password: sent.password });
}

/** Creates an invite to the administrator's workspace, and returns the body of the response. */
export const invite = (app: App, admin: Person, fields: Fields = {}) =>
  succeed(app, 'POST', '/api/tenants/invites', { headers: admin.bearer, body: fields });

/** Adds a member to the administrator's workspace. */
export async function join(app: Service, admin: Person, role = 'agent_id_developer'): Promise<Person> {
  const { invite_token } = await invite(app, admin, { role });
  return joinBy(app, invite_token);
}

/** Functions that create and list invites of one tenant: the caller's own tenant, or the tenant named in `query`. */
export function inviting(at: Service, headers: Headers, query = '') {
  const path = `/api/tenants/invites${query}`;
  const create = (body: Fields = {}) => succeed(at, 'POST', path, { headers, body });
  return {
    invite: create,
    invites: () => succeed(at, 'GET', path, { headers }),
    /** Adds a member through an invite with these fields. The default role is developer. */
    async join(fields: Fields = {}, email = freshEmail()): Promise<Person> {
      const { invite_token } = await create(fields);
      return joinBy(at, invite_token, { email });
    },
  };
}

/** Creates a workspace and signs in its creator. Returns both, with functions that add members. */
export async function openTeam(at: Service, fields: Fields = {}) {
  const { account, person: founder } = await register(at, fields);
  const { tenantId, apiKey, bearer: admin } = founder;
  return { tenantId, account, apiKey, founder, /** The founder's bearer. */ admin, ...inviting(at, admin) };
}

export type Team = Awaited<ReturnType<typeof openTeam>>;

export async function revoke(app: App, admin: Person, { userId }: Person): Promise<void> {
  await succeed(app, 'DELETE', `/api/auth/users/${userId}`, { headers: admin.bearer });
}

/** Calls a procedure of the API keys as an administrator, with the administrator's password as the proof. */
export const askKeys = (
  app: Pick<TestApp, 'request'>,
  { bearer, password }: Person,
  name: 'create' | 'update' | 'rotate',
  input: Fields,
) =>
  viaRpc(
    app,
    { path: `apiKeys.${name}`, type: 'mutation' },
    { input: { password, ...input }, headers: bearer },
  );

/** Saves a style guide in a member's workspace, by default for all languages; replaces the present one. */
export async function addStyleGuide(
  app: Pick<TestApp, 'request'>,
  { bearer }: Pick<Person, 'bearer'>,
  fields: Fields = {},
) {
  const call = async (name: string, type: 'query' | 'mutation', input: Fields) => {
    const { status, body } = await viaRpc(
      app,
      { path: `styleGuides.${name}`, type },
      { input, headers: bearer },
    );
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const guide = { target_lang: null, rules: 'Write short sentences.', ...fields };
  const { guides } = await call('list', 'query', {});
  const present = guides.find((one: Fields) => one['target_lang'] === guide.target_lang);
  return call('save', 'mutation', { ...guide, version: present?.version ?? null });
}

/** Saves segmentation rules with a name in a member's workspace. */
export async function addSegmentation(
  app: Pick<TestApp, 'request'>,
  { bearer }: Pick<Person, 'bearer'>,
  name = 'rules.srx',
) {
  const srx = `<srx version="2.0"><header cascade="no"/><body><languagerules><languagerule languagerulename="all">
<rule break="yes"><beforebreak>;</beforebreak><afterbreak>\\s</afterbreak></rule>
</languagerule></languagerules><maprules><languagemap languagepattern=".*" languagerulename="all"/></maprules></body></srx>`;
  const { status, body } = await viaRpc(
    app,
    { path: 'segmentation.save', type: 'mutation' },
    { input: { name, srx }, headers: bearer },
  );
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Creates an API key and returns the body of the response. */
export async function addKey(app: Pick<TestApp, 'request'>, admin: Person, fields: Fields = {}) {
  const input = { name: `Key ${randomUUID()}`, scopes: ['read'], ...fields };
  const { status, body } = await askKeys(app, admin, 'create', input);
  if (status !== 200) throw new Error(`apiKeys.create answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Creates a password reset link for an administrator, and returns its token. */
export async function resetToken(app: App, { userId, bearer }: Person): Promise<string> {
  const path = `/api/auth/users/${userId}/password-reset-link`;
  return (await succeed(app, 'POST', path, { headers: bearer })).reset_token;
}

/** Sets up an authenticator for a signed-in member. */
export async function withAuthenticator(app: App, person: Person): Promise<Enrolled> {
  const { cookie: headers } = person;
  const { secret } = await succeed(app, 'POST', '/api/auth/mfa/enroll', { headers, body: {} });
  const body = { mfa_code: totpCode(secret) };
  const { recovery_codes } = await succeed(app, 'POST', '/api/auth/mfa/confirm', { headers, body });
  return { ...person, secret, recoveryCodes: recovery_codes };
}

/** Creates a workspace, and an authenticator for its creator. */
export const foundEnrolled = async (app: Service): Promise<Enrolled> =>
  withAuthenticator(app, await found(app));

/** The challenge that the password step of a sign-in returns for a member who must enter a code. */
export async function challengeOf(app: App, { email, tenantId }: Person): Promise<string> {
  const fields = { grant_type: 'password', username: email, password, tenant_id: tenantId };
  const { mfa_challenge } = await succeed(app, 'POST', '/api/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  return mfa_challenge.challenge_id;
}

/** The challenge of a member who has no authenticator in a workspace that requires one. */
export async function enrollmentChallenge(app: Service): Promise<string> {
  const founder = await found(app);
  const { bearer: headers } = founder;
  await succeed(app, 'PATCH', '/api/tenants/security', { headers, body: { mfa_required: true } });
  return challengeOf(app, founder);
}

/** Starts an enrollment with a challenge of a member without an authenticator, and returns the secret. */
export async function beginEnrollment(app: App, challengeId: string): Promise<string> {
  const body = { challenge_id: challengeId };
  return (await succeed(app, 'POST', '/api/auth/mfa/enroll', { body })).secret;
}

/** Creates a job in the member's workspace, and returns its ID. */
export async function submit(app: App, { bearer: headers }: Person, fields: Fields = {}): Promise<string> {
  const body = { source_text: 'Hello', target_lang: 'fr', ...fields };
  return (await succeed(app, 'POST', '/api/translations', { headers, body })).id;
}

/** Creates a job that awaits review, and returns its ID. */
export const submitHeld = (app: App, person: Person) => submit(app, person, { domain: 'legal' });

/** An upload form with a glossary of `terms` terms. The form names no languages. */
export const glossaryForm = (terms = 1, fields: Fields = {}): Fields => ({
  terminology_file: new File(
    [Array.from({ length: terms }, (_, index) => `word ${index},mot ${index}\n`).join('')],
    'terms.csv',
    { type: 'text/csv' },
  ),
  name: 'Words',
  ...fields,
});

/** A TMX file with `units` units in English and French. */
export const tmxFile = (units = 1, name = 'units.tmx', type = 'application/xml') =>
  new File([tmx(units)], name, { type });

const tmx = (units: number) =>
  [
    '<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header creationtool="x" creationtoolversion="1"',
    ' segtype="sentence" o-tmf="x" adminlang="en" srclang="en" datatype="plaintext"/><body>',
    ...Array.from(
      { length: units },
      (_, index) =>
        `<tu tuid="u${index}"><tuv xml:lang="en"><seg>Unit ${index}</seg></tuv><tuv xml:lang="fr"><seg>Morceau ${index}</seg></tuv></tu>`,
    ),
    '</body></tmx>',
  ].join('');

/** An upload form with a TM of `units` units. */
export const memoryForm = (units = 1, fields: Fields = {}): Fields => ({
  tmx_file: tmxFile(units),
  name: 'Units',
  source_lang: 'en',
  target_lang: 'fr',
  ...fields,
});

/** Sends a form that must be accepted, and returns the body of the response. */
async function sendForm(app: Server, path: string, { bearer: headers }: Person, fields: Fields) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value as Blob);
  const response = await app.request(path, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Creates a glossary in the member's workspace, and returns its ID. */
export const addGlossary = async (app: Server, person: Person, fields: Fields = {}): Promise<string> =>
  (await sendForm(app, '/api/terminology', person, glossaryForm(1, fields))).id;

/** Creates a TM in the member's workspace, and returns its ID. */
export const addMemory = async (app: Server, person: Person, name = 'Units'): Promise<string> =>
  (await sendForm(app, '/api/tm', person, memoryForm(1, { name }))).id;

/**
 * Starts a background import, and returns its ID. It stays unfinished, because the application of a test runs no
 * worker.
 */
export const beginImport = async (app: Server, person: Person, name = 'Large'): Promise<string> =>
  (await sendForm(app, '/api/tm', person, memoryForm(2, { name }))).job.id;

/** Approves a translation from English into French in the member's workspace. */
export async function approvePair(app: Server, person: Person): Promise<void> {
  const job = await submitHeld(app, person);
  const body = { action: 'modify', final_translation: 'Salut' };
  const path = `/api/translations/${job}/review`;
  const { status } = await app.json('POST', path, { headers: person.bearer, body });
  if (status !== 200) throw new Error(`the review answered ${status}`);
}

/** An upload form for a document: a workbook with two texts, unless `fields` contain another file. */
export const documentForm = (fields: Fields = {}): Fields => ({
  source_document: workbookFile(['Hello', 'Good morning']),
  target_lang: 'fr',
  ...fields,
});

/** Creates a document in the member's workspace, translates it, and returns its ID. */
export const addDocument = async (app: Server, person: Person, fields: Fields = {}): Promise<string> =>
  (await sendForm(app, '/api/documents/translate', person, documentForm({ wait: 'true', ...fields }))).id;

/** Queues a document, and returns its ID. It is not translated, because the application of a test runs no worker. */
export const queueDocument = async (app: Server, person: Person, fields: Fields = {}): Promise<string> =>
  (await sendForm(app, '/api/documents/translate', person, documentForm(fields))).id;
