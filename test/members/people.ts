import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

export const operatorKey = 'operator-key-of-the-tests';
export const asOperator = { 'x-api-key': operatorKey };
export const password = 'a long enough passphrase';

/** What the tests of members start their application with. */
export const env = { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey };

/** Somebody who signed up, with a session. */
export interface Person {
  tenantId: string;
  userId: string;
  email: string;
  accessToken: string;
  refreshToken: string;
  /** Its access token as a bearer. */
  bearer: { authorization: string };
}

let people = 0;

export const freshEmail = () => `person${++people}@example.org`;

async function signUp(app: TestApp, fields: Record<string, unknown>): Promise<Person> {
  const { status, body } = await app.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'A workspace', email: freshEmail(), password, ...fields },
  });
  if (status !== 200) throw new Error(`signup answered ${status}: ${JSON.stringify(body)}`);
  const { access_token, refresh_token, user } = body.token;
  return {
    tenantId: user.tenant_id,
    userId: user.user_id,
    email: user.email,
    accessToken: access_token,
    refreshToken: refresh_token,
    bearer: { authorization: `Bearer ${access_token}` },
  };
}

/** The founding administrator of a new tenant. */
export const found = (app: TestApp, tenantName = 'A workspace') => signUp(app, { tenant_name: tenantName });

/** A new invite as the administrator got it. */
export async function invite(app: TestApp, admin: Person, fields: Record<string, unknown> = {}) {
  const { status, body } = await app.json('POST', '/api/tenants/invites', {
    headers: admin.bearer,
    body: fields,
  });
  if (status !== 200) throw new Error(`invite answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** A member that joined the administrator's tenant by an invite. */
export async function join(app: TestApp, admin: Person, role = 'agent_id_developer'): Promise<Person> {
  const { invite_token } = await invite(app, admin, { role });
  return signUp(app, { invite_token });
}

/** A grant of the token endpoint. */
export const grant = (app: TestApp, fields: Record<string, string>) =>
  app.json('POST', '/api/oauth2/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });

export const signIn = (app: TestApp, { email, tenantId }: Person, secret = password) =>
  grant(app, { grant_type: 'password', username: email, password: secret, tenant_id: tenantId });

export const refresh = (app: TestApp, { refreshToken }: Person) =>
  grant(app, { grant_type: 'refresh_token', refresh_token: refreshToken });

/** The status of the plainest request of a session. */
export const standing = async (app: TestApp, { bearer }: Person) =>
  (await app.json('GET', '/api/auth/me', { headers: bearer })).status;

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
