import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { hashSecret } from '#server/identity/access/credentials.ts';
import { type SealPurpose, seal } from '#server/platform/encryption.ts';
import { type Enrolled, foundEnrolled, found as foundMember } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import { challengeFor, confirm, enroll, failuresOf, MFA_GRANT, verify } from './mfa.ts';
import { grant, passwordGrant } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env });
const dance = dancing(app, provider);

/** Sealed as the service does it, with an earlier SECRETS_KEY. */
const sealBefore = (purpose: SealPurpose, owner: string, plain: string) =>
  seal({ current: randomBytes(32), previous: null }, purpose, owner, Buffer.from(plain));

async function sealOtherwise({ tenantId, userId }: Pick<Enrolled, 'tenantId' | 'userId'>, column: string) {
  const sql = openSuperuser(app.superuserUrl);
  const sealed = sealBefore('authenticator', `${tenantId}/${userId}`, 'x'.repeat(20));
  await sql`update users set ${sql(column)} = ${sealed} where user_id = ${userId}`;
}

/** Expects exactly that 503, without anything of the secret. */
function expectUnreadable(answer: Awaited<ReturnType<typeof app.json>>, ...secrets: string[]): void {
  expect([answer.status, answer.body]).toEqual([
    503,
    {
      detail: 'the authenticator secret cannot be decrypted; reset it',
      error_code: 'service_unavailable',
      request_id: answer.headers.get('x-request-id'),
    },
  ]);
  expect(answer.headers.getSetCookie()).toEqual([]);
  for (const secret of secrets) expect(JSON.stringify(answer.body)).not.toContain(secret);
}

describe('C 1: an authenticator that was sealed under another SECRETS_KEY', () => {
  test('is 503 on both endpoints for codes, is not counted as a failure, and leaves the challenge', async () => {
    const member = await foundEnrolled(app);
    await sealOtherwise(member, 'totp_secret');
    const { status, body } = await passwordGrant(app, member);
    expect([status, body.mfa_challenge?.method]).toEqual([200, 'totp']);
    const { challenge_id } = body.mfa_challenge;
    const code = totpCode(member.secret, 1);
    // More often than a challenge takes codes.
    for (let i = 0; i < 6; i++) {
      expectUnreadable(await verify(app, challenge_id, code), member.secret, code);
      const granted = await grant(app, { grant_type: MFA_GRANT, challenge_id, mfa_code: code });
      expectUnreadable(granted, member.secret, code);
    }
    expect(await failuresOf(app.superuserUrl, member)).toBe(0);
    // Recovery codes are not affected.
    expect((await verify(app, challenge_id, member.recoveryCodes[0] as string)).status).toBe(200);
  });

  test('while it waits for its confirmation: 503 too, and enrolling again repairs it', async () => {
    const member = await foundMember(app);
    const { body: begun } = await enroll(app, {}, member.cookie);
    await sealOtherwise(member, 'totp_pending_secret');
    const code = totpCode(begun.secret);
    expectUnreadable(await confirm(app, { mfa_code: code }, member.cookie), begun.secret, code);
    const { body: again } = await enroll(app, {}, member.cookie);
    expect((await confirm(app, { mfa_code: totpCode(again.secret) }, member.cookie)).status).toBe(200);
  });

  test('works again after a reset', async () => {
    const member = await foundEnrolled(app);
    await sealOtherwise(member, 'totp_secret');
    const reset = await app.json('POST', `/api/auth/users/${member.userId}/mfa/reset`, {
      headers: { authorization: `Bearer ${member.accessToken}` },
    });
    expect(reset.status).toBe(200);
    expect((await passwordGrant(app, member)).body.access_token).toEqual(expect.any(String));
  });

  test('does not open for another member: a secret is bound to its row', async () => {
    const [member, thief] = [await foundEnrolled(app), await foundEnrolled(app)];
    await openSuperuser(app.superuserUrl)`
      update users set totp_secret = (select totp_secret from users where user_id = ${thief.userId})
      where user_id = ${member.userId}`;
    const challengeId = await challengeFor(app.database, member);
    expectUnreadable(await verify(app, challengeId, totpCode(thief.secret, 1)), thief.secret);
  });
});

describe('C 7: a state that was sealed under another SECRETS_KEY', () => {
  const stateRows = async () => (await openSuperuser(app.superuserUrl)`select from sso_states`).length;

  test('is 401, is deleted, and founds nothing', async () => {
    const { sub } = account();
    const brought = await dance.bring(sub);
    const stateHash = Buffer.from(hashSecret(brought.state));
    const sealed = sealBefore('sso_state', stateHash.toString('hex'), '{"nonce":"of before"}');
    const sql = openSuperuser(app.superuserUrl);
    await sql`update sso_states set sealed = ${sealed} where state_hash = ${stateHash}`;
    const founded = (await sql`select from tenants`).length;
    const kept = await stateRows();
    const { status, body, headers } = await dance.callback(brought);
    expect([status, body]).toEqual([401, { detail: 'invalid or expired sign-in state' }]);
    expect(headers.getSetCookie()).toEqual([]);
    expect([await stateRows(), (await sql`select from tenants`).length]).toEqual([kept - 1, founded]);
    expect((await dance.signIn(sub)).status).toBe(200);
  });

  test('an arbitrary string is too, and a state stored under another’s id', async () => {
    const [mine, theirs] = [await dance.bring(account().sub), await dance.bring(account().sub)];
    const sql = openSuperuser(app.superuserUrl);
    await sql`update sso_states set sealed = (
        select sealed from sso_states where state_hash = ${Buffer.from(hashSecret(theirs.state))})
      where state_hash = ${Buffer.from(hashSecret(mine.state))}`;
    expect((await dance.callback(mine)).status).toBe(401);
    const short = await dance.bring(account().sub);
    await sql`update sso_states set sealed = '\\x01' where state_hash = ${Buffer.from(hashSecret(short.state))}`;
    expect((await dance.callback(short)).status).toBe(401);
    expect((await dance.callback(theirs)).status).toBe(200);
  });
});
