import type { Database } from '#db/client.ts';
import { lockMember } from '#server/access/service.ts';
import { issueChallenge } from '#server/auth/mfa/challenge.ts';
import { readSettings } from '#server/settings.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';

export const password = 'a long enough passphrase';

export interface Founder {
  tenantId: string;
  userId: string;
  email: string;
  accessToken: string;
  /** The headers of its session's cookie. */
  cookie: { cookie: string };
}

export interface Enrolled extends Founder {
  secret: string;
  recoveryCodes: string[];
}

type Door = Pick<TestApp, 'json'>;

let founded = 0;

/** A founder of a workspace, signed in, without an authenticator. */
export async function foundMember({ json }: Door): Promise<Founder> {
  founded += 1;
  const email = `mfa${founded}@example.org`;
  const body = { tenant_name: `Guarded ${founded}`, email, password };
  const answer = await json('POST', '/api/auth/signup/email', { body });
  if (answer.status !== 200) throw new Error(`signup answered ${answer.status}`);
  const { access_token: accessToken, user } = answer.body.token;
  return {
    tenantId: user.tenant_id,
    userId: user.user_id,
    email,
    accessToken,
    cookie: { cookie: `ll_session=${accessToken}` },
  };
}

/** A founder with an authenticator, whose present step is used up: `later` 1 is the next good code. */
export async function foundEnrolled(door: Door): Promise<Enrolled> {
  const founder = await foundMember(door);
  const { secret } = (await enroll(door, undefined, founder.cookie)).body;
  const { status, body } = await confirm(door, undefined, totpCode(secret), founder.cookie);
  if (status !== 200) throw new Error(`confirm answered ${status}`);
  return { ...founder, secret, recoveryCodes: body.recovery_codes };
}

export function enroll({ json }: Door, challengeId?: string, headers: Record<string, string> = {}) {
  return json('POST', '/api/auth/mfa/enroll', { body: { challenge_id: challengeId }, headers });
}

export function confirm(
  { json }: Door,
  challengeId: string | undefined,
  code: string,
  headers: Record<string, string> = {},
) {
  const body = { challenge_id: challengeId, mfa_code: code };
  return json('POST', '/api/auth/mfa/confirm', { body, headers });
}

export function verify(
  { json }: Door,
  challengeId: string,
  code: string,
  headers: Record<string, string> = {},
) {
  const body = { challenge_id: challengeId, mfa_code: code };
  return json('POST', '/api/auth/mfa/verify', { body, headers });
}

export function regenerate({ json }: Door, headers: Record<string, string>) {
  return json('POST', '/api/auth/mfa/recovery/regenerate', { headers });
}

/** A grant at the token endpoint. */
export function grant({ json }: Door, fields: Record<string, string>) {
  return json('POST', '/api/oauth2/token', {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

export function passwordGrant(door: Door, { tenantId, email }: Founder, fields: Record<string, string> = {}) {
  return grant(door, { grant_type: 'password', tenant_id: tenantId, username: email, password, ...fields });
}

export const mfaGrantType = 'urn:ietf:params:oauth:grant-type:mfa-otp';

/** What the password step would answer, without its hash. */
export async function challengeFor(database: Database, { tenantId, userId }: Founder): Promise<string> {
  const { challengeId } = await database.inTenant(tenantId, async (tx) => {
    const user = await lockMember(tx, tenantId, userId);
    if (!user) throw new Error('no such member');
    return issueChallenge(tx, user, readSettings({}), undefined);
  });
  return challengeId;
}

/** The present code, however often it was used: the service forgets which step it saw last. */
export async function freshCode(superuserUrl: string, { userId, secret }: Enrolled): Promise<string> {
  await openSuperuser(superuserUrl)`update users set totp_last_step = null where user_id = ${userId}`;
  return totpCode(secret);
}

/** Failed codes that count against the member, in its row. */
export async function failuresOf(superuserUrl: string, { userId }: Founder): Promise<number> {
  const [row] = await openSuperuser(superuserUrl)`
    select cardinality(mfa_failed_at) as failures from users where user_id = ${userId}`;
  return row?.['failures'];
}

/** What the audit log says of the member's codes and challenges, oldest first. */
export async function auditOf(superuserUrl: string, { tenantId }: Founder) {
  const rows = await openSuperuser(superuserUrl)`
    select action, actor_kind, details from audit_log
    where tenant_id = ${tenantId} order by event_id`;
  return rows.map(({ action, actor_kind: actor, details }) => ({ action, actor, details }));
}
