import { beforeEach, expect, test } from 'vitest';
import { enrol, verify } from '#test/auth/mfa.ts';
import { passwordGrant, sessionStatus } from '#test/auth/sign-in.ts';
import { challengeOf, env, found, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});

const reset = ({ userId }: Person, headers = admin.bearer) =>
  app.json('POST', `/api/auth/users/${userId}/mfa/reset`, { headers });

/** Inserts an authenticator for a member, with failed codes and a pending sign-in. */
async function plantFactor({ tenantId, userId }: Person): Promise<void> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`update users set totp_secret = '\\x01', totp_pending_secret = '\\x02', totp_last_step = 7,
    mfa_failed_at = array_fill(now()::timestamptz(3), array[10]) where user_id = ${userId}`;
  await sql`insert into recovery_codes (tenant_id, user_id, code_hash) values (${tenantId}, ${userId}, '\\x03')`;
  await sql`insert into mfa_challenges (tenant_id, challenge_hash, user_id, method, scope, expires_at)
    values (${tenantId}, ${Buffer.from(userId)}, ${userId}, 'totp', 's', now() + interval '1 hour')`;
}

async function factorOf({ userId }: Person) {
  const [row] = await openSuperuser(app.superuserUrl)`
    select totp_secret is not null as secret, totp_pending_secret is not null as pending, totp_last_step as step,
      cardinality(mfa_failed_at) as failures,
      (select count(*)::int from recovery_codes r where r.user_id = users.user_id) as codes,
      (select count(*)::int from mfa_challenges c where c.user_id = users.user_id) as challenges
    from users where user_id = ${userId}`;
  return row;
}

const nothing = { secret: false, pending: false, step: null, failures: 0, codes: 0, challenges: 0 };
const everything = { secret: true, pending: true, step: 7, failures: 10, codes: 1, challenges: 1 };

test('clears everything of the member’s second factor, revoked or not, and of no one else', async () => {
  const [colleague, revoked] = [await join(app, admin), await join(app, admin)];
  for (const person of [member, colleague, revoked]) await plantFactor(person);
  await app.json('DELETE', `/api/auth/users/${revoked.userId}`, { headers: admin.bearer });
  for (const [person, headers] of [
    [member, admin.bearer],
    [revoked, operator],
  ] as const) {
    const { status, body } = await reset(person, headers);
    expect([status, body]).toEqual([200, { mfa_reset: true, user_id: person.userId }]);
    expect(await factorOf(person)).toEqual(nothing);
  }
  expect(await factorOf(colleague)).toEqual(everything);
});

test('the member signs in without a code, and can enroll again; sessions continue', async () => {
  const { recoveryCodes } = await enrol(app, member);
  await reset(member);
  const { body } = await passwordGrant(app, member);
  expect(await sessionStatus(app, member)).toBe(200);
  const second = await enrol(app, { accessToken: body.access_token });
  const challenge = await challengeOf(app, member);
  expect((await verify(app, challenge, recoveryCodes[0] ?? '')).status).toBe(401);
  expect((await verify(app, challenge, second.recoveryCodes[0] ?? '')).status).toBe(200);
});
