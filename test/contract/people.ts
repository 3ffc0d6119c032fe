import type { TestApp } from '#test/setup/app.ts';
import { totpCode } from '#test/setup/totp.ts';
import type { Fields, Headers } from './call.ts';

export const password = 'a long enough passphrase';

/** Somebody who signed up, with a session. */
export interface Person {
  tenantId: string;
  userId: string;
  email: string;
  accessToken: string;
  refreshToken: string;
  /** Headers of the session, by bearer and by cookie. */
  bearer: Headers;
  cookie: Headers;
  /** Headers of the workspace's key, for its founder; none for who joined it. */
  key: Headers;
}

export interface Enrolled extends Person {
  /** Base32. Its present step is used up: the next good code is `totpCode(secret, 1)`. */
  secret: string;
  recoveryCodes: string[];
}

type App = Pick<TestApp, 'json'>;

let people = 0;

export const freshEmail = () => `person${++people}@example.org`;

/** A request whose answer must be a success. */
async function sure(app: App, ...request: Parameters<App['json']>) {
  const { status, body } = await app.json(...request);
  if (status >= 300) throw new Error(`${request[1]} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function signUp(app: App, fields: Fields): Promise<Person> {
  const body = await sure(app, 'POST', '/api/auth/signup/email', {
    body: { tenant_name: 'A workspace', email: freshEmail(), password, ...fields },
  });
  return personOf(body.token, body.tenant_api_key);
}

// biome-ignore lint/suspicious/noExplicitAny: a parsed OAuth2TokenResponse
function personOf({ access_token, refresh_token, user }: any, apiKey: string | null): Person {
  return {
    tenantId: user.tenant_id,
    userId: user.user_id,
    email: user.email,
    accessToken: access_token,
    refreshToken: refresh_token,
    bearer: { authorization: `Bearer ${access_token}` },
    cookie: { cookie: `ll_session=${access_token}` },
    key: apiKey === null ? {} : { 'x-api-key': apiKey },
  };
}

/** The founding administrator of a new workspace. */
export const found = (app: App, fields: Fields = {}) => signUp(app, fields);

/** A new invite of the administrator's workspace, as it was answered. */
export const invite = (app: App, admin: Person, fields: Fields = {}) =>
  sure(app, 'POST', '/api/tenants/invites', { headers: admin.bearer, body: fields });

/** Somebody who joined the administrator's workspace. */
export async function join(app: App, admin: Person, role = 'agent_id_developer'): Promise<Person> {
  const { invite_token } = await invite(app, admin, { role });
  return signUp(app, { invite_token });
}

export async function revoke(app: App, admin: Person, { userId }: Person): Promise<void> {
  await sure(app, 'DELETE', `/api/auth/users/${userId}`, { headers: admin.bearer });
}

/** The token of a new reset link of a person who is an administrator. */
export async function resetToken(app: App, { userId, bearer }: Person): Promise<string> {
  const path = `/api/auth/users/${userId}/password-reset-link`;
  return (await sure(app, 'POST', path, { headers: bearer })).reset_token;
}

/** The founder of a new workspace, with an authenticator. */
export async function foundEnrolled(app: App): Promise<Enrolled> {
  const founder = await found(app);
  const { cookie: headers } = founder;
  const { secret } = await sure(app, 'POST', '/api/auth/mfa/enroll', { headers, body: {} });
  const body = { mfa_code: totpCode(secret) };
  const { recovery_codes } = await sure(app, 'POST', '/api/auth/mfa/confirm', { headers, body });
  return { ...founder, secret, recoveryCodes: recovery_codes };
}

/** The challenge that the password step of somebody answers, who is asked for a code. */
export async function challengeOf(app: App, { email, tenantId }: Person): Promise<string> {
  const fields = { grant_type: 'password', username: email, password, tenant_id: tenantId };
  const { mfa_challenge } = await sure(app, 'POST', '/api/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  return mfa_challenge.challenge_id;
}

/** The challenge of somebody without an authenticator, whose workspace demands one. */
export async function enrolmentChallenge(app: App): Promise<string> {
  const founder = await found(app);
  const { bearer: headers } = founder;
  await sure(app, 'PATCH', '/api/tenants/security', { headers, body: { mfa_required: true } });
  return challengeOf(app, founder);
}

/** The secret that a challenge of somebody without an authenticator is given to enrol. */
export async function beginEnrolment(app: App, challengeId: string): Promise<string> {
  const body = { challenge_id: challengeId };
  return (await sure(app, 'POST', '/api/auth/mfa/enroll', { body })).secret;
}

/** A job of the person's workspace, by its id. */
export async function submit(app: App, { bearer: headers }: Person, fields: Fields = {}): Promise<string> {
  const body = { source_text: 'Hello', target_lang: 'fr', ...fields };
  return (await sure(app, 'POST', '/api/translations', { headers, body })).id;
}

/** One that waits for review. */
export const submitHeld = (app: App, person: Person) => submit(app, person, { domain: 'legal' });
