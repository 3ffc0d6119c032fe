import { beforeEach, describe, expect, test } from 'vitest';
import { type Enrolled, foundEnrolled } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { auditOf } from '#test/setup/stored-rows.ts';
import { wrongTotpCode } from '#test/setup/totp.ts';
import { challengeFor, failuresOf, freshCode, MFA_GRANT, verify } from './mfa.ts';
import { grant, passwordGrant, sessionStatus } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', TRUST_PROXY: '1' } });

let member: Enrolled;
beforeEach(async () => {
  member = await foundEnrolled(app);
});

const challenge = (of: Enrolled = member) => challengeFor(app.database, of);
const code = (of: Enrolled = member) => freshCode(app, of, of.secret);
const failures = () => failuresOf(app.superuserUrl, member);

const wrongCode = { status: 401, body: { detail: 'invalid MFA code' } };
const noChallenge = { status: 401, body: { detail: 'invalid or expired MFA challenge' } };
const tooMany = { status: 429, body: { detail: 'too many MFA attempts' } };

/** Sends `times` wrong codes for the challenge, each from another client address. */
async function fail(id: string, times: number): Promise<void> {
  const wrong = wrongTotpCode(member.secret);
  for (let sent = 0; sent < times; sent += 1) {
    const from = { 'x-forwarded-for': `192.0.2.${sent}` };
    expect(await verify(app, id, wrong, from)).toMatchObject(wrongCode);
  }
}

/** Replaces the failures of the member. Each argument is the age of one failure in seconds. */
async function setFailures(...secondsAgo: number[]): Promise<void> {
  await openSuperuser(app.superuserUrl)`
    update users set mfa_failed_at = array(
      select clock_timestamp() - make_interval(secs => ago::float8)
      from json_array_elements_text(${JSON.stringify(secondsAgo)}::text::json) ago)
    where user_id = ${member.userId}`;
}

describe('five codes per challenge (A 5.3 rule 3)', () => {
  test('the fifth still passes; the sixth burns the challenge even if it is right, and is not a failure', async () => {
    const [other, id] = [await challenge(), await challenge()];
    await fail(id, 5);
    const right = await code();
    expect(await verify(app, id, right)).toMatchObject(noChallenge);
    expect(await verify(app, id, right)).toMatchObject(noChallenge);
    expect(await failures()).toBe(5);
    const log = await auditOf(app.superuserUrl, member);
    const count = (action: string) => log.filter((event) => event.action === action).length;
    expect([count('mfa_code_refused'), count('mfa_challenge_burnt')]).toEqual([5, 1]);
    // The rejected attempt did not use up the code. Each challenge allows five attempts of its own.
    await fail(other, 4);
    expect((await verify(app, other, right)).status).toBe(200);
  });

  test('of 20 concurrent wrong codes five are checked, and one burns the challenge', async () => {
    const [id, wrong] = [await challenge(), wrongTotpCode(member.secret)];
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(app, id, wrong)));
    const refusals = answers.map(({ body }) => body.detail);
    expect(refusals.filter((detail) => detail === 'invalid MFA code')).toHaveLength(5);
    expect(await failures()).toBe(5);
  });

  test('both kinds of code and both endpoints count together', async () => {
    const id = await challenge();
    const byGrant = (mfa_code: string) => grant(app, { grant_type: MFA_GRANT, challenge_id: id, mfa_code });
    await fail(id, 2);
    expect(await verify(app, id, 'aaaaa-aaaaa')).toMatchObject(wrongCode);
    expect(await byGrant('aaaaa-aaaaa')).toMatchObject(wrongCode);
    expect(await byGrant(wrongTotpCode(member.secret))).toMatchObject(wrongCode);
    expect(await byGrant(member.recoveryCodes[0] as string)).toMatchObject(noChallenge);
  });
});

describe('ten failed codes a member in 15 minutes (A 5.3 rule 4)', () => {
  test('counted over all challenges; a right one is 429 then too, and stays usable', async () => {
    await fail(await challenge(), 5);
    await fail(await challenge(), 4);
    const id = await challenge();
    await fail(id, 1);
    const right = await code();
    for (const attempt of [right, wrongTotpCode(member.secret), member.recoveryCodes[0] as string]) {
      const refused = await verify(app, id, attempt);
      expect(refused).toMatchObject(tooMany);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(890);
      expect(seconds).toBeLessThanOrEqual(900);
    }
    expect(await grant(app, { grant_type: MFA_GRANT, challenge_id: id, mfa_code: right })).toMatchObject(
      tooMany,
    );
    expect(await failures()).toBe(10);
    // The limit applies to codes only, and not to sessions or the password step.
    expect(await sessionStatus(app, member)).toBe(200);
    expect((await passwordGrant(app, member)).body.mfa_required).toBe(true);
    // Attempts that were rejected because of the member's limit did not count for the challenge.
    await setFailures(...Array(10).fill(900));
    await fail(id, 3);
    expect((await verify(app, id, right)).status).toBe(200);
  });

  test('right codes neither count nor reset the count', async () => {
    await setFailures(...Array(9).fill(60));
    for (const recoveryCode of member.recoveryCodes.slice(0, 3))
      expect((await verify(app, await challenge(), recoveryCode)).status).toBe(200);
    expect(await failures()).toBe(9);
    const id = await challenge();
    await fail(id, 1);
    expect(await verify(app, id, await code())).toMatchObject(tooMany);
  });

  test('the window slides: when one failure leaves it, one more is allowed', async () => {
    await setFailures(899, ...Array(9).fill(60));
    const id = await challenge();
    const refused = await verify(app, id, await code());
    expect(refused).toMatchObject(tooMany);
    expect(refused.headers.get('retry-after')).toBe('1');

    await setFailures(900, ...Array(9).fill(60));
    await fail(id, 1);
    const again = await verify(app, id, await code());
    expect(again).toMatchObject(tooMany);
    const seconds = Number(again.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(830);
    expect(seconds).toBeLessThanOrEqual(840);
    expect(await failures()).toBe(10);
  });
});
