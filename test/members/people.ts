import { expect } from 'vitest';
import {
  type App,
  type Fields,
  founding,
  type Headers,
  operatorKey,
  type Person,
  password,
} from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { enroll, confirm as sendCode } from '../auth/authenticator.ts';
import { grant, me as meOf, signUp as postSignUp } from '../auth/sign-in.ts';

/** What the tests of members start their application with. */
export const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };

/** Signs up with a new address and returns the response; joins a workspace if the fields have an invite_token. */
export const signUp = (at: App, fields: Fields = {}) => postSignUp(at, founding(fields));

/** The password step, pinned to the person's workspace. */
export const signIn = (at: App, { email, tenantId }: Person, secret = password) =>
  grant(at, { grant_type: 'password', username: email, password: secret, tenant_id: tenantId });

export const refresh = (at: App, { refreshToken }: Pick<Person, 'refreshToken'>) =>
  grant(at, { grant_type: 'refresh_token', refresh_token: refreshToken });

export const me = (at: App, { bearer }: Pick<Person, 'bearer'>) => meOf(at, bearer);

/** The status of a simple request with a session. */
export const sessionStatus = async (at: App, person: Pick<Person, 'bearer'>) => (await me(at, person)).status;

/** Enrols an authenticator, by a challenge or by a cookie. */
export async function enrol(at: App, proof: { challenge_id?: string }, headers: Headers = {}) {
  const begun = await enroll(at, proof, headers);
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  const { status, body } = await sendCode(at, { ...proof, mfa_code: totpCode(begun.body.secret) }, headers);
  expect(status, JSON.stringify(body)).toBe(200);
  return { recoveryCodes: body.recovery_codes as string[], token: body.token };
}

/** Gives a signed-in person an authenticator. */
export const enrolled = (at: App, person: Person) => enrol(at, {}, person.cookie);

/** Of one action, what the audit log holds in a tenant, oldest first. */
export async function eventsOf(app: TestApp, tenantId: string, action: string) {
  const rows = await openSuperuser(app.superuserUrl)`
    select actor_kind, actor_id, target, details, address, request_id from audit_log
    where tenant_id = ${tenantId} and action = ${action} order by event_id`;
  return rows.map((row) => ({
    actor: row['actor_id'] === null ? row['actor_kind'] : [row['actor_kind'], row['actor_id']],
    target: row['target'],
    details: row['details'],
    address: row['address'],
    requestId: row['request_id'],
  }));
}
