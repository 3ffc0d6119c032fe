import { expect } from 'vitest';
import { totpCode } from '#test/setup/totp.ts';
import { enroll, confirm as sendCode } from '../auth/authenticator.ts';
import {
  bearer,
  cookie,
  type Door,
  grant,
  type Headers,
  me as meOf,
  signUp as postSignUp,
} from '../auth/sign-in.ts';

export { type Door, type Headers, postForm } from '../auth/sign-in.ts';

export type Fields = Record<string, unknown>;

export const administrator = 'global_administrator';
export const developer = 'agent_id_developer';
export const passphrase = 'a long enough passphrase';
export const operatorKey = 'an-operator-key-of-some-length-0123456789';
/** Headers of the operator key alone. */
export const operator = { 'x-api-key': operatorKey };

/** A session of a member, and the headers that carry it. */
export interface Person {
  userId: string;
  tenantId: string;
  email: string;
  accessToken: string;
  refreshToken: string;
  /** The access token as a bearer. */
  headers: Headers;
  /** The access token as the session cookie. */
  cookie: Headers;
}

/** The person of an OAuth2TokenResponse (A 2.3). */
// biome-ignore lint/suspicious/noExplicitAny: the parsed body of any route that mints tokens
export function personOf(token: any): Person {
  return {
    userId: token.user.user_id,
    tenantId: token.user.tenant_id,
    email: token.user.email,
    accessToken: token.access_token,
    refreshToken: token.refresh_token,
    headers: bearer(token.access_token),
    cookie: cookie(token.access_token),
  };
}

let counted = 0;

/** An address that nobody of this file has. */
export function freshEmail(): string {
  counted += 1;
  return `somebody${counted}@example.org`;
}

/** A signup of a fresh address; a join where the fields hold an invite_token. */
export const signUp = (at: Door, fields: Fields = {}) =>
  postSignUp(at, { tenant_name: 'A team', email: freshEmail(), password: passphrase, ...fields });

/** Inviting into one tenant: the caller's own, or the one that the query names. */
export function inviting(at: Door, headers: Headers, query = '') {
  const path = `/api/tenants/invites${query}`;
  const invite = async (body: Fields = {}) => {
    const answer = await at.json('POST', path, { headers, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  return {
    invite,
    invites: async () => (await at.json('GET', path, { headers })).body,
    /** A new member, by an invite of these fields; a developer unless they say otherwise. */
    async join(fields: Fields = {}, email = freshEmail()): Promise<Person> {
      const { invite_token } = await invite(fields);
      const { status, body } = await signUp(at, { invite_token, email });
      expect(status, JSON.stringify(body)).toBe(200);
      return personOf(body.token);
    },
  };
}

/** A fresh workspace, with its founder signed in. */
export async function openTeam(at: Door, fields: Fields = {}) {
  const { status, body } = await signUp(at, fields);
  expect(status, JSON.stringify(body)).toBe(200);
  const founder = personOf(body.token);
  return {
    tenantId: founder.tenantId,
    account: body.account,
    apiKey: String(body.tenant_api_key),
    founder,
    /** The founder's bearer. */
    admin: founder.headers,
    ...inviting(at, founder.headers),
  };
}

export type Team = Awaited<ReturnType<typeof openTeam>>;

export const me = (at: Door, { headers }: Pick<Person, 'headers'>) => meOf(at, headers);

/** The password step, pinned to the person's workspace. */
export const signIn = (at: Door, { email, tenantId }: Person, password = passphrase) =>
  grant(at, { grant_type: 'password', username: email, password, tenant_id: tenantId });

export const refresh = (at: Door, { refreshToken }: Pick<Person, 'refreshToken'>) =>
  grant(at, { grant_type: 'refresh_token', refresh_token: refreshToken });

/** Enrols an authenticator, by a challenge or by a cookie. */
export async function enrol(at: Door, proof: { challenge_id?: string }, headers: Headers = {}) {
  const begun = await enroll(at, proof, headers);
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  const { status, body } = await sendCode(at, { ...proof, mfa_code: totpCode(begun.body.secret) }, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return { recoveryCodes: body.recovery_codes as string[], token: body.token };
}

/** Gives a signed-in person an authenticator. */
export const enrolled = (at: Door, person: Person) => enrol(at, {}, person.cookie);
