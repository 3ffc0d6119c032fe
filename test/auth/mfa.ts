import { expect } from 'vitest';
import type { Database } from '#db/client.ts';
import { lockMember } from '#server/identity/access/sessions.ts';
import { issueChallenge } from '#server/identity/auth/mfa/challenge.ts';
import { readSettings } from '#server/settings.ts';
import { type App, cookie, type Headers, type Person } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { type Answer, type Fields, grant } from './sign-in.ts';

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

/** Sets up an authenticator for a signed-in member. */
export async function enrol(at: App, { accessToken }: Pick<Person, 'accessToken'>): Promise<Authenticator> {
  const session = cookie(accessToken);
  const { body: begun } = await enroll(at, {}, session);
  const answer = await confirm(at, { mfa_code: totpCode(begun.secret) }, session);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { secret: begun.secret, recoveryCodes: answer.body.recovery_codes };
}

/** Completes a sign-in whose challenge requires an authenticator to be set up. */
export async function enrolByChallenge(
  at: App,
  challengeId: string,
): Promise<Authenticator & { answer: Answer }> {
  const { body: begun } = await enroll(at, { challenge_id: challengeId });
  const answer = await confirm(at, { challenge_id: challengeId, mfa_code: totpCode(begun.secret) });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { secret: begun.secret, recoveryCodes: answer.body.recovery_codes, answer };
}

/** Creates a pending challenge of the member, as after the password step, but without a password. */
export async function challengeFor(
  database: Database,
  { tenantId, userId }: Pick<Person, 'tenantId' | 'userId'>,
): Promise<string> {
  const { challengeId } = await database.inTenant(tenantId, async (tx) => {
    const user = await lockMember(tx, tenantId, userId);
    if (!user) throw new Error('no such member');
    return issueChallenge(tx, user, readSettings({}));
  });
  return challengeId;
}

/** The current code, after the used time steps of the member were deleted. */
export async function freshCode(
  { superuserUrl }: Pick<TestApp, 'superuserUrl'>,
  { userId }: Person,
  secret: string,
): Promise<string> {
  await openSuperuser(superuserUrl)`update users set totp_last_step = null where user_id = ${userId}`;
  return totpCode(secret);
}

/** The number of failed codes that count for the member, from the member's row. */
export async function failuresOf(superuserUrl: string, { userId }: Person): Promise<number> {
  const [row] = await openSuperuser(superuserUrl)`
    select cardinality(mfa_failed_at) as failures from users where user_id = ${userId}`;
  return row?.['failures'];
}
