import { expect } from 'vitest';
import { type App, cookie, type Headers, type Person } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { type Answer, type Fields, grant, signIn } from './sign-in.ts';

export const MFA_GRANT = 'urn:ietf:params:oauth:grant-type:mfa-otp';
export const REFUSED_CHALLENGE = 'invalid or expired MFA challenge';

export interface Authenticator {
  /** In base32. */
  secret: string;
  recoveryCodes: string[];
}

export const enroll = (at: App, body: unknown, headers: Headers = {}) =>
  at.json('POST', '/api/auth/mfa/enroll', { body, headers });

export const confirm = (at: App, body: unknown, headers: Headers = {}) =>
  at.json('POST', '/api/auth/mfa/confirm', { body, headers });

export const regenerate = (at: App, headers: Headers = {}) =>
  at.json('POST', '/api/auth/mfa/recovery/regenerate', { headers });

export const verify = (at: App, challengeId: string, code: string, headers: Headers = {}) =>
  at.json('POST', '/api/auth/mfa/verify', { body: { challenge_id: challengeId, mfa_code: code }, headers });

export const mfaGrant = (at: App, challengeId: string, code: string, more: Fields = {}, headers?: Headers) =>
  grant(at, { grant_type: MFA_GRANT, challenge_id: challengeId, mfa_code: code, ...more }, headers);

/** Gives a signed-in person an authenticator. */
export async function enrol(at: App, { accessToken }: Pick<Person, 'accessToken'>): Promise<Authenticator> {
  const session = cookie(accessToken);
  const { body: begun } = await enroll(at, {}, session);
  const answer = await confirm(at, { mfa_code: totpCode(begun.secret) }, session);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { secret: begun.secret, recoveryCodes: answer.body.recovery_codes };
}

/** Completes a sign-in whose challenge asks for an authenticator. */
export async function enrolByChallenge(
  at: App,
  challengeId: string,
): Promise<Authenticator & { answer: Answer }> {
  const { body: begun } = await enroll(at, { challenge_id: challengeId });
  const answer = await confirm(at, { challenge_id: challengeId, mfa_code: totpCode(begun.secret) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { secret: begun.secret, recoveryCodes: answer.body.recovery_codes, answer };
}

/** The password step of somebody who is asked for a code: the challenge's id. */
export async function challenge(
  at: App,
  who: Pick<Person, 'email' | 'password'>,
  more?: Fields,
): Promise<string> {
  const { status, body } = await signIn(at, who, more);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.mfa_challenge, JSON.stringify(body)).toBeDefined();
  return body.mfa_challenge.challenge_id;
}

/** The current code, after the used time steps have been cleared. */
export async function freshCode(app: TestApp, { userId }: Person, secret: string): Promise<string> {
  await openSuperuser(app.superuserUrl)`update users set totp_last_step = null where user_id = ${userId}`;
  return totpCode(secret);
}
