import { expect } from 'vitest';
import type { TestApp } from '#test/setup/app.ts';

/** The REST door of an application. */
export type Door = Pick<TestApp, 'json' | 'request'>;
export type Answer = Awaited<ReturnType<TestApp['json']>>;
export type Headers = Record<string, string>;
export type Fields = Record<string, string>;

/** A member of a workspace, as signing up left them: signed in. */
export interface Person {
  tenantId: string;
  tenantName: string;
  userId: string;
  email: string;
  password: string;
  accessToken: string;
  refreshToken: string;
  /** The workspace's key; empty for who joined one. */
  apiKey: string;
}

const formType = { 'content-type': 'application/x-www-form-urlencoded' };
export const SIGNUP = '/api/auth/signup/email';
export const TOKEN = '/api/oauth2/token';
export const REFUSED_REFRESH = 'invalid or expired refresh token';

export const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
export const apiKey = (value: string) => ({ 'x-api-key': value });
export const cookie = (value: string) => ({ cookie: `ll_session=${value}` });

let counted = 0;

/** What a signup sends, of a name, an address and a password that nobody has used. */
export function founding(fields: Record<string, unknown> = {}) {
  counted += 1;
  return {
    tenant_name: `House ${counted}`,
    email: `person${counted}@example.org`,
    password: `passphrase of person ${counted}`,
    ...fields,
  };
}

export const signUp = (at: Door, body: unknown, headers: Headers = {}) =>
  at.json('POST', SIGNUP, { body, headers });

/** Founds a workspace. */
export async function found(at: Door, fields: Record<string, unknown> = {}): Promise<Person> {
  const sent = founding(fields);
  return personOf(sent, await signUp(at, sent));
}

export async function invite(at: Door, admin: Person, fields: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await at.json('POST', '/api/tenants/invites', {
    headers: bearer(admin.accessToken),
    body: fields,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.invite_token;
}

/** Joins the workspace of `admin`, as an ordinary member unless the invite says another role. */
export async function join(at: Door, admin: Person, role = 'agent_id_developer'): Promise<Person> {
  const sent = founding({ invite_token: await invite(at, admin, { role }) });
  return { ...personOf(sent, await signUp(at, sent)), tenantName: admin.tenantName };
}

function personOf(sent: ReturnType<typeof founding>, { status, body }: Answer): Person {
  if (status !== 200 || !body.token) throw new Error(`signup answered ${status}: ${JSON.stringify(body)}`);
  return {
    tenantId: body.account.id,
    tenantName: body.account.name,
    userId: body.token.user.user_id,
    email: sent.email,
    password: sent.password,
    accessToken: body.token.access_token,
    refreshToken: body.token.refresh_token,
    apiKey: body.tenant_api_key ?? '',
  };
}

export function postForm(at: Door, path: string, fields: Fields, headers: Headers = {}): Promise<Answer> {
  const body = new URLSearchParams(fields).toString();
  return at.json('POST', path, { body, headers: { ...formType, ...headers } });
}

export const grant = (at: Door, fields: Fields, headers?: Headers) => postForm(at, TOKEN, fields, headers);

interface Credentials {
  email: string;
  password: string;
}

export const signIn = (at: Door, who: Credentials, more: Fields = {}, headers?: Headers) =>
  grant(at, { grant_type: 'password', username: who.email, password: who.password, ...more }, headers);

export const refresh = (at: Door, refreshToken: string, more: Fields = {}, headers?: Headers) =>
  grant(at, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more }, headers);

export const revoke = (at: Door, token: string, headers: Headers, more: Fields = {}) =>
  postForm(at, '/api/oauth2/revoke', { token, ...more }, headers);

export const introspect = (at: Door, token: string, headers: Headers) =>
  postForm(at, '/api/oauth2/introspect', { token }, headers);

export const me = (at: Door, headers: Headers = {}) => at.json('GET', '/api/auth/me', { headers });

export const meOf = (at: Door, accessToken: string) => me(at, bearer(accessToken));

/** The attributes of the session cookie that an answer sets, by their names in lower case; undefined without one. */
export function sessionCookie({ headers }: { headers: globalThis.Headers }): Map<string, string> | undefined {
  const set = headers.getSetCookie().find((line) => line.startsWith('ll_session='));
  if (set === undefined) return undefined;
  return new Map(
    set.split(';').map((part) => {
      const [name = '', ...value] = part.trim().split('=');
      return [name.toLowerCase(), value.join('=')] as const;
    }),
  );
}

/** The answer tells the browser to forget the cookie. */
export function expectCookieCleared(answer: Answer): void {
  const attributes = sessionCookie(answer);
  expect(attributes?.get('ll_session')).toBe('');
  expect(attributes?.get('path')).toBe('/');
  const expires = attributes?.get('expires');
  const gone =
    attributes?.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
  expect(gone).toBe(true);
}

/** A refusal that gives nothing away: no token, no challenge, no cookie. */
export function expectRefused(answer: Answer, status: number, detail?: string): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  if (detail !== undefined) expect(answer.body.detail).toBe(detail);
  expect(JSON.stringify(answer.body)).not.toMatch(/access_token"|refresh_token":|challenge_id":/);
  expect(sessionCookie(answer)?.get('ll_session') || undefined).toBeUndefined();
}

/** A 422 with entries, one of which names `field`. */
export function expectInvalid(answer: Answer, field?: string): void {
  expectRefused(answer, 422);
  expect(Array.isArray(answer.body.detail)).toBe(true);
  if (field !== undefined)
    expect(answer.body.detail.map((entry: { loc: unknown[] }) => entry.loc.at(-1))).toContain(field);
}

/** An OAuth2TokenResponse (A 2.3) for `who`. */
export function expectTokens(answer: Answer, who: Pick<Person, 'userId' | 'tenantId' | 'email'>): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body).toMatchObject({
    access_token: expect.stringMatching(/.{22}/),
    token_type: 'bearer',
    expires_in: 3600,
    scope: expect.any(String),
    refresh_token: expect.stringMatching(/.{22}/),
    refresh_expires_in: 2_592_000,
    // A 2.3: the model default, not the effective role.
    user: {
      user_id: who.userId,
      tenant_id: who.tenantId,
      email: who.email,
      provider: 'email',
      role: 'agent_id_developer',
    },
  });
  expect(answer.body.access_token).not.toBe(answer.body.refresh_token);
}
