import { type IssuedTokens, lockMember, newFamily, startSession } from '#server/identity/access/sessions.ts';
import type { TestApp } from '#test/setup/app.ts';
import { totpCode } from '#test/setup/totp.ts';
import {
  type RegistrationFields,
  registerFounder,
  registerMember,
  tokensOf,
} from './factories/registration.ts';
import { workbookFile } from './factories/workbook.ts';

/** The target of JSON requests: the application of a test, or a separate process. */
export type App = Pick<TestApp, 'json'>;
/** The target of any requests. */
export type Server = Pick<TestApp, 'json' | 'request'>;
/** An application of this process, in whose database rows are inserted. */
export type Service = Pick<TestApp, 'json' | 'services'>;
export type Fields = Record<string, unknown>;
export type Headers = Record<string, string>;

/** The operator key of a deployment. */
export const operatorKey = 'an-operator-key-of-some-length-0123456789';
export const operator = { 'x-api-key': operatorKey };

/** Settings of an application with an operator key, without rate limits. */
export const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };

/** The default password of all members here. */
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
  /** The workspace's key, for its creator; empty for members who joined it. */
  apiKey: string;
  /** Headers of the session, by bearer and by cookie. */
  bearer: Headers;
  cookie: Headers;
  /** Headers with the workspace's key; empty without `apiKey`. */
  key: Headers;
}

/** A member with an authenticator. */
export interface Enrolled extends Person {
  /** Base32. Its current step is used: the next valid code is `totpCode(secret, 1)`. */
  secret: string;
  recoveryCodes: string[];
}

let people = 0;

/** An email address that is unused in this process. */
export const freshEmail = () => `person${++people}@example.org`;

/** The body of a signup, with an unused email address. */
export const founding = (fields: Fields = {}): RegistrationFields => ({
  tenant_name: 'A workspace',
  email: freshEmail(),
  password,
  ...fields,
});

/** Sends a request whose response must be a success; returns its body. */
async function succeed(app: App, ...request: Parameters<App['json']>) {
  const { status, body } = await app.json(...request);
  if (status >= 300) throw new Error(`${request[1]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** The member of an OAuth2TokenResponse. */
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

/** The member of new tokens. */
function personOfTokens({ member, accessToken, refreshToken }: IssuedTokens, known: Partial<Person>): Person {
  const user = { user_id: member.userId, tenant_id: member.tenantId, email: member.email };
  return personOf({ access_token: accessToken, refresh_token: refreshToken, user }, known);
}

/** The creator of a new workspace, over HTTP: in a separate process, or if the signup matters. */
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

/** Creates a workspace in the application's database. */
async function register({ services }: Service, fields: Fields) {
  const sent = founding(fields);
  const { account, apiKey: key, signIn } = await registerFounder(services, sent);
  const known = { tenantName: account.name, password: sent.password, apiKey: key, key: apiKey(key) };
  return { account, person: personOfTokens(tokensOf(signIn), known) };
}

/** The creator of a new workspace. */
export const found = async (at: Service, fields: Fields = {}): Promise<Person> =>
  (await register(at, fields)).person;

/** A further session of a member, like a sign-in without a second factor. */
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

/** A member who joins a workspace with an invite. */
async function joinBy({ services }: Service, inviteToken: string, fields: Fields = {}): Promise<Person> {
  const sent = founding(fields);
  const signIn = await registerMember(services, inviteToken, sent);
  return personOfTokens(tokensOf(signIn), { password: sent.password });
}

/** Creates an invite of the administrator's workspace; returns the response's body. */
export const invite = (app: App, admin: Person, fields: Fields = {}) =>
  succeed(app, 'POST', '/api/tenants/invites', { headers: admin.bearer, body: fields });

/** A member who joined the administrator's workspace. */
export async function join(app: Service, admin: Person, role = 'agent_id_developer'): Promise<Person> {
  const { invite_token } = await invite(app, admin, { role });
  return joinBy(app, invite_token);
}

/** Inviting into one tenant: the caller's own, or the one in the query. */
export function inviting(at: Service, headers: Headers, query = '') {
  const path = `/api/tenants/invites${query}`;
  const create = (body: Fields = {}) => succeed(at, 'POST', path, { headers, body });
  return {
    invite: create,
    invites: () => succeed(at, 'GET', path, { headers }),
    /** A new member, by an invite with these fields; a developer by default. */
    async join(fields: Fields = {}, email = freshEmail()): Promise<Person> {
      const { invite_token } = await create(fields);
      return joinBy(at, invite_token, { email });
    },
  };
}

/** A new workspace, with its creator signed in, and functions to fill it. */
export async function openTeam(at: Service, fields: Fields = {}) {
  const { account, person: founder } = await register(at, fields);
  const { tenantId, apiKey, bearer: admin } = founder;
  return { tenantId, account, apiKey, founder, /** The founder's bearer. */ admin, ...inviting(at, admin) };
}

export type Team = Awaited<ReturnType<typeof openTeam>>;

export async function revoke(app: App, admin: Person, { userId }: Person): Promise<void> {
  await succeed(app, 'DELETE', `/api/auth/users/${userId}`, { headers: admin.bearer });
}

/** The token of a new reset link for an administrator. */
export async function resetToken(app: App, { userId, bearer }: Person): Promise<string> {
  const path = `/api/auth/users/${userId}/password-reset-link`;
  return (await succeed(app, 'POST', path, { headers: bearer })).reset_token;
}

/** Enrolls an authenticator for a signed-in member. */
export async function withAuthenticator(app: App, person: Person): Promise<Enrolled> {
  const { cookie: headers } = person;
  const { secret } = await succeed(app, 'POST', '/api/auth/mfa/enroll', { headers, body: {} });
  const body = { mfa_code: totpCode(secret) };
  const { recovery_codes } = await succeed(app, 'POST', '/api/auth/mfa/confirm', { headers, body });
  return { ...person, secret, recoveryCodes: recovery_codes };
}

/** The creator of a new workspace, with an authenticator. */
export const foundEnrolled = async (app: Service): Promise<Enrolled> =>
  withAuthenticator(app, await found(app));

/** The challenge that the password step returns for a member who needs a code. */
export async function challengeOf(app: App, { email, tenantId }: Person): Promise<string> {
  const fields = { grant_type: 'password', username: email, password, tenant_id: tenantId };
  const { mfa_challenge } = await succeed(app, 'POST', '/api/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  return mfa_challenge.challenge_id;
}

/** The challenge of a member without an authenticator, whose workspace requires one. */
export async function enrollmentChallenge(app: Service): Promise<string> {
  const founder = await found(app);
  const { bearer: headers } = founder;
  await succeed(app, 'PATCH', '/api/tenants/security', { headers, body: { mfa_required: true } });
  return challengeOf(app, founder);
}

/** The secret for a member without an authenticator, from a challenge to enroll one. */
export async function beginEnrollment(app: App, challengeId: string): Promise<string> {
  const body = { challenge_id: challengeId };
  return (await succeed(app, 'POST', '/api/auth/mfa/enroll', { body })).secret;
}

/** A job of the member's workspace, by its ID. */
export async function submit(app: App, { bearer: headers }: Person, fields: Fields = {}): Promise<string> {
  const body = { source_text: 'Hello', target_lang: 'fr', ...fields };
  return (await succeed(app, 'POST', '/api/translations', { headers, body })).id;
}

/** One that awaits review. */
export const submitHeld = (app: App, person: Person) => submit(app, person, { domain: 'legal' });

/** The form of a glossary of some terms, without languages. */
export const glossaryForm = (terms = 1, fields: Fields = {}): Fields => ({
  terminology_file: new File(
    [Array.from({ length: terms }, (_, index) => `word ${index},mot ${index}\n`).join('')],
    'terms.csv',
    { type: 'text/csv' },
  ),
  name: 'Words',
  ...fields,
});

/** A TMX file of some units in English and French. */
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

/** The form of a TM with some units. */
export const memoryForm = (units = 1, fields: Fields = {}): Fields => ({
  tmx_file: tmxFile(units),
  name: 'Units',
  source_lang: 'en',
  target_lang: 'fr',
  ...fields,
});

/** Sends a form that must be accepted; returns the response's body. */
async function sendForm(app: Server, path: string, { bearer: headers }: Person, fields: Fields) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value as Blob);
  const response = await app.request(path, { method: 'POST', headers, body });
  const text = await response.text();
  if (response.status >= 300) throw new Error(`${path} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** A glossary of the member's workspace, by its ID. */
export const addGlossary = async (app: Server, person: Person, fields: Fields = {}): Promise<string> =>
  (await sendForm(app, '/api/terminology', person, glossaryForm(1, fields))).id;

/** A TM set of the member's workspace, by its ID. */
export const addMemory = async (app: Server, person: Person, name = 'Units'): Promise<string> =>
  (await sendForm(app, '/api/tm', person, memoryForm(1, { name }))).id;

/** A background import, by its ID: the application of a test has no worker that would finish it. */
export const beginImport = async (app: Server, person: Person, name = 'Large'): Promise<string> =>
  (await sendForm(app, '/api/tm', person, memoryForm(2, { name }))).job.id;

/** Makes the member's workspace approve a translation from English into French. */
export async function approvePair(app: Server, person: Person): Promise<void> {
  const job = await submitHeld(app, person);
  const body = { action: 'modify', final_translation: 'Salut' };
  const path = `/api/translations/${job}/review`;
  const { status } = await app.json('POST', path, { headers: person.bearer, body });
  if (status !== 200) throw new Error(`the review answered ${status}`);
}

/** The form of a workbook to translate, with two texts unless a file is given. */
export const documentForm = (fields: Fields = {}): Fields => ({
  source_document: workbookFile(['Hello', 'Good morning']),
  target_lang: 'fr',
  ...fields,
});

/** A translated document of the member's workspace, by its ID. */
export const addDocument = async (app: Server, person: Person, fields: Fields = {}): Promise<string> =>
  (await sendForm(app, '/api/documents/translate', person, documentForm({ wait: 'true', ...fields }))).id;

/** A queued document, by its ID: the application of a test has no worker that would translate it. */
export const queueDocument = async (app: Server, person: Person, fields: Fields = {}): Promise<string> =>
  (await sendForm(app, '/api/documents/translate', person, documentForm(fields))).id;
