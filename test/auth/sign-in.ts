import { expect } from 'vitest';
import { type App, bearer, type Headers, type Person } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';

export type Answer = Awaited<ReturnType<TestApp['json']>>;
export type Fields = Record<string, string>;

const formType = { 'content-type': 'application/x-www-form-urlencoded' };
export const SIGNUP = '/api/auth/signup/email';
export const TOKEN = '/api/oauth2/token';
export const REFUSED_REFRESH = 'invalid or expired refresh token';

export const signUp = (at: App, body: unknown, headers: Headers = {}) =>
  at.json('POST', SIGNUP, { body, headers });

export function postForm(at: App, path: string, fields: Fields, headers: Headers = {}): Promise<Answer> {
  const body = new URLSearchParams(fields).toString();
  return at.json('POST', path, { body, headers: { ...formType, ...headers } });
}

export const grant = (at: App, fields: Fields, headers?: Headers) => postForm(at, TOKEN, fields, headers);

interface Credentials {
  email: string;
  password: string;
}

export const signIn = (at: App, who: Credentials, more: Fields = {}, headers?: Headers) =>
  grant(at, { grant_type: 'password', username: who.email, password: who.password, ...more }, headers);

/** Sends the password step of a sign-in for the person's workspace. */
export const passwordGrant = (at: App, who: Credentials & Pick<Person, 'tenantId'>, more: Fields = {}) =>
  signIn(at, who, { tenant_id: who.tenantId, ...more });

export const refresh = (at: App, refreshToken: string, more: Fields = {}, headers?: Headers) =>
  grant(at, { grant_type: 'refresh_token', refresh_token: refreshToken, ...more }, headers);

export const revoke = (at: App, token: string, headers: Headers, more: Fields = {}) =>
  postForm(at, '/api/oauth2/revoke', { token, ...more }, headers);

export const introspect = (at: App, token: string, headers: Headers) =>
  postForm(at, '/api/oauth2/introspect', { token }, headers);

export const me = (at: App, headers: Headers = {}) => at.json('GET', '/api/auth/me', { headers });

export const meOf = (at: App, accessToken: string) => me(at, bearer(accessToken));

/** The status of a simple request with the session's token. */
export const sessionStatus = async (at: App, { bearer }: Pick<Person, 'bearer'>) =>
  (await me(at, bearer)).status;

/** The attributes of the session cookie that a response sets, with names in lower case; undefined if it sets none. */
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

/** Expects that the response deletes the session cookie. */
export function expectCookieCleared(answer: Answer): void {
  const attributes = sessionCookie(answer);
  expect(attributes?.get('ll_session')).toBe('');
  expect(attributes?.get('path')).toBe('/');
  const expires = attributes?.get('expires');
  const gone =
    attributes?.get('max-age') === '0' || (expires !== undefined && Date.parse(expires) <= Date.now());
  expect(gone).toBe(true);
}

/** Expects an error response without a token, challenge or cookie. */
export function expectRefused(answer: Answer, status: number, detail?: string): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  if (detail !== undefined) expect(answer.body.detail).toBe(detail);
  expect(JSON.stringify(answer.body)).not.toMatch(/access_token"|refresh_token":|challenge_id":/);
  expect(sessionCookie(answer)?.get('ll_session') || undefined).toBeUndefined();
}

/** Expects a 422 with a list of entries, one of which names `field`. */
export function expectInvalid(answer: Answer, field?: string): void {
  expectRefused(answer, 422);
  expect(Array.isArray(answer.body.detail)).toBe(true);
  if (field !== undefined)
    expect(answer.body.detail.map((entry: { loc: unknown[] }) => entry.loc.at(-1))).toContain(field);
}

/** Expects an OAuth2TokenResponse (A 2.3) for `who`. */
export function expectTokens(answer: Answer, who: Pick<Person, 'userId' | 'tenantId' | 'email'>): void {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.body).toMatchObject({
    access_token: expect.stringMatching(/.{22}/),
    token_type: 'bearer',
    expires_in: 3600,
    scope: expect.any(String),
    refresh_token: expect.stringMatching(/.{22}/),
    refresh_expires_in: 2_592_000,
    // A 2.3: the role is the default of the model, and not the effective role.
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
