import type { Database } from '#db/client.ts';
import { lockMember } from '#server/access/sessions.ts';
import { issueChallenge } from '#server/auth/mfa/challenge.ts';
import { readSettings } from '#server/settings.ts';
import { type App, type Enrolled, type Person, password } from '#test/factories.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';

export function enroll({ json }: App, challengeId?: string, headers: Record<string, string> = {}) {
  return json('POST', '/api/auth/mfa/enroll', { body: { challenge_id: challengeId }, headers });
}

export function confirm(
  { json }: App,
  challengeId: string | undefined,
  code: string,
  headers: Record<string, string> = {},
) {
  const body = { challenge_id: challengeId, mfa_code: code };
  return json('POST', '/api/auth/mfa/confirm', { body, headers });
}

export function verify(
  { json }: App,
  challengeId: string,
  code: string,
  headers: Record<string, string> = {},
) {
  const body = { challenge_id: challengeId, mfa_code: code };
  return json('POST', '/api/auth/mfa/verify', { body, headers });
}

export function regenerate({ json }: App, headers: Record<string, string>) {
  return json('POST', '/api/auth/mfa/recovery/regenerate', { headers });
}

/** A grant at the token endpoint. */
export function grant({ json }: App, fields: Record<string, string>) {
  return json('POST', '/api/oauth2/token', {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
}

export function passwordGrant(app: App, { tenantId, email }: Person, fields: Record<string, string> = {}) {
  return grant(app, { grant_type: 'password', tenant_id: tenantId, username: email, password, ...fields });
}

export const mfaGrantType = 'urn:ietf:params:oauth:grant-type:mfa-otp';

/** What the password step would return, without computing its hash. */
export async function challengeFor(database: Database, { tenantId, userId }: Person): Promise<string> {
  const { challengeId } = await database.inTenant(tenantId, async (tx) => {
    const user = await lockMember(tx, tenantId, userId);
    if (!user) throw new Error('no such member');
    return issueChallenge(tx, user, readSettings({}), undefined);
  });
  return challengeId;
}

/** The current code, even if it was used: the newest used step is cleared. */
export async function freshCode(superuserUrl: string, { userId, secret }: Enrolled): Promise<string> {
  await openSuperuser(superuserUrl)`update users set totp_last_step = null where user_id = ${userId}`;
  return totpCode(secret);
}

/** Failed codes that count against the member, in its row. */
export async function failuresOf(superuserUrl: string, { userId }: Person): Promise<number> {
  const [row] = await openSuperuser(superuserUrl)`
    select cardinality(mfa_failed_at) as failures from users where user_id = ${userId}`;
  return row?.['failures'];
}

/** What the audit log says of the member's codes and challenges, oldest first. */
export async function auditOf(superuserUrl: string, { tenantId }: Person) {
  const rows = await openSuperuser(superuserUrl)`
    select action, actor_kind, details from audit_log
    where tenant_id = ${tenantId} order by event_id`;
  return rows.map(({ action, actor_kind: actor, details }) => ({ action, actor, details }));
}
