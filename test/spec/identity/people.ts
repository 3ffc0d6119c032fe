import { decodeBase32IgnorePadding } from '@oslojs/encoding';
import { generateTOTP } from '@oslojs/otp';
import type { TestApp } from '#test/setup/app.ts';
import { answerOf, bearer } from '../text/workspace.ts';

/** An application that tests speak to: of this process, or of another. */
export type Door = Pick<TestApp, 'json' | 'request'>;
export type Fields = Record<string, unknown>;
export type Headers = Record<string, string>;

export const operatorKey = 'an-operator-key-of-some-length-0123456789';
export const operator = { 'x-api-key': operatorKey };
export const passphrase = 'a long enough passphrase';
export const administrator = 'global_administrator';
export const developer = 'agent_id_developer';
export const mfaGrant = 'urn:ietf:params:oauth:grant-type:mfa-otp';

let counted = 0;

/** An address that nobody of this file has. */
export function freshEmail(): string {
  counted += 1;
  return `person${counted}@example.org`;
}

/** Somebody who is signed in. */
export interface Person {
  tenantId: string;
  userId: string;
  email: string;
  accessToken: string;
  refreshToken: string;
  /** The access token as a bearer. */
  headers: Headers;
  /** The access token as the session cookie. */
  cookie: Headers;
}

export const signUp = (door: Door, fields: Fields) =>
  door.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'A workspace', email: freshEmail(), password: passphrase, ...fields },
  });

/** The one that a token response was made for. */
// biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route that mints tokens
export function personOf(token: any): Person {
  return {
    tenantId: token.user.tenant_id,
    userId: token.user.user_id,
    email: token.user.email,
    accessToken: token.access_token,
    refreshToken: token.refresh_token,
    headers: bearer(token.access_token),
    cookie: { cookie: `ll_session=${token.access_token}` },
  };
}

/** Founds a workspace by signup. */
export async function openTeam(door: Door, fields: Fields = {}) {
  const { status, body } = await signUp(door, fields);
  if (status !== 200) throw new Error(`signup answered ${status}: ${JSON.stringify(body)}`);
  const founder = personOf(body.token);
  return {
    tenantId: founder.tenantId,
    apiKey: String(body.tenant_api_key),
    account: body.account,
    founder,
    /** Its founder's bearer. */
    admin: founder.headers,
    ...inviting(door, founder.headers),
  };
}

export type Team = Awaited<ReturnType<typeof openTeam>>;

/** Inviting into a workspace, by somebody who may; the operator names it in `query`. */
export function inviting(door: Door, headers: Headers, query = '') {
  const invite = async (fields: Fields = {}) => {
    const answer = await door.json('POST', `/api/tenants/invites${query}`, { headers, body: fields });
    if (answer.status !== 200) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const invites = async () => (await door.json('GET', `/api/tenants/invites${query}`, { headers })).body;
  /** A new member, by an invite; a developer unless told otherwise. */
  const join = async (fields: Fields = {}, email = freshEmail()) => {
    const { invite_token } = await invite(fields);
    const { status, body } = await signUp(door, { email, invite_token });
    if (status !== 200) throw new Error(`joining answered ${status}: ${JSON.stringify(body)}`);
    return personOf(body.token);
  };
  return { invite, invites, join };
}

/** A form, as the OAuth2 routes take it. */
export const postForm = (door: Door, path: string, fields: Record<string, string>, headers: Headers = {}) =>
  answerOf(door.request(path, { method: 'POST', headers, body: new URLSearchParams(fields) }));

/** The password grant, pinned to the person's workspace. */
export const signIn = (door: Door, { email, tenantId }: Person, password = passphrase) =>
  postForm(door, '/api/oauth2/token', {
    grant_type: 'password',
    username: email,
    password,
    tenant_id: tenantId,
  });

export const refresh = (door: Door, { refreshToken }: Person) =>
  postForm(door, '/api/oauth2/token', { grant_type: 'refresh_token', refresh_token: refreshToken });

export const me = (door: Door, { headers }: Pick<Person, 'headers'>) =>
  door.json('GET', '/api/auth/me', { headers });

/** The six digits of an authenticator at this moment. */
export const codeOf = (secret: string) => generateTOTP(decodeBase32IgnorePadding(secret), 30, 6);

/** Enrols an authenticator, by a session cookie or by a challenge, and answers what confirm answered beside the secret. */
export async function enrol(door: Door, proof: { headers?: Headers; challenge_id?: string }) {
  const { headers = {}, ...body } = proof;
  const started = await door.json('POST', '/api/auth/mfa/enroll', { headers, body });
  const secret = String(started.body.secret);
  const { status, body: confirmed } = await door.json('POST', '/api/auth/mfa/confirm', {
    headers,
    body: { ...body, mfa_code: codeOf(secret) },
  });
  if (status !== 200) throw new Error(`confirm answered ${status}: ${JSON.stringify(confirmed)}`);
  return { secret, recoveryCodes: confirmed.recovery_codes as string[], token: confirmed.token };
}

/** Somebody whose authenticator was just enrolled by their session. */
export const enrolled = (door: Door, { cookie }: Person) => enrol(door, { headers: cookie });
