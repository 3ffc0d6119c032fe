import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, cookie, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import {
  type Authenticator,
  challenge,
  confirm,
  enrol,
  enroll,
  freshCode,
  mfaGrant,
  REFUSED_CHALLENGE,
  verify,
} from './authenticator.ts';
import { type Answer, expectRefused, expectTokens, meOf } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', TRUST_PROXY: '1' } });

let ada: Person;
let hers: Authenticator;
beforeEach(async () => {
  ada = await found(app);
  hers = await enrol(app, ada);
});

const rightCode = () => freshCode(app, ada, hers.secret);

/** Sends `times` wrong codes to the challenge, of both kinds, by both endpoints, from different addresses. */
async function fail(id: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    const code = i % 3 === 0 ? 'aaaaa-aaaaa' : wrongTotpCode(hers.secret);
    const from = { 'x-forwarded-for': `192.0.2.${i}` };
    const answer = i % 2 === 0 ? await verify(app, id, code, from) : await mfaGrant(app, id, code, {}, from);
    expectRefused(answer, 401);
  }
}

/** Moves each failure `minutes` into the past. */
const letPass = (minutes: number) => openSuperuser(app.superuserUrl)`
  update users set mfa_failed_at =
    (select array_agg(failed - make_interval(mins => ${minutes})) from unnest(mfa_failed_at) failed)
  where user_id = ${ada.userId}`;

function expectSpent(answer: Answer): number {
  expectRefused(answer, 429, 'too many MFA attempts');
  const seconds = Number(answer.headers.get('retry-after'));
  expect(Number.isInteger(seconds)).toBe(true);
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(900);
  return seconds;
}

describe('A 5.3 rule 3: five codes per challenge', () => {
  test('the fifth may be the right one', async () => {
    const id = await challenge(app, ada);
    await fail(id, 4);
    expectTokens(await verify(app, id, await rightCode()), ada);
  });

  test.each([
    ['verify', (id: string, code: string) => verify(app, id, code)],
    ['the MFA grant', (id: string, code: string) => mfaGrant(app, id, code)],
  ])('after five the next one burns the challenge, even if it is right (%s)', async (_way, send) => {
    const id = await challenge(app, ada);
    await fail(id, 5);
    expectRefused(await send(id, await rightCode()), 401, REFUSED_CHALLENGE);
    expectRefused(await send(id, hers.recoveryCodes[0] ?? ''), 401, REFUSED_CHALLENGE);
    // It used up neither of them.
    expectTokens(await send(await challenge(app, ada), hers.recoveryCodes[0] ?? ''), ada);
  });

  test('another challenge of the same person has five of its own', async () => {
    await fail(await challenge(app, ada), 5);
    const id = await challenge(app, ada);
    await fail(id, 4);
    expectTokens(await verify(app, id, await rightCode()), ada);
  });

  test('of 20 concurrent wrong codes at most five are checked', async () => {
    const id = await challenge(app, ada);
    const wrong = wrongTotpCode(hers.secret);
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(app, id, wrong)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
    expectRefused(await verify(app, id, await rightCode()), 401, REFUSED_CHALLENGE);
    // C 7: so that five failures are counted, not ten.
    expectTokens(await verify(app, await challenge(app, ada), await rightCode()), ada);
  });

  test('C 7: a code sent to a burnt challenge does not count against the person', async () => {
    const id = await challenge(app, ada);
    await fail(id, 5);
    for (let i = 0; i < 10; i += 1)
      expectRefused(await verify(app, id, wrongTotpCode(hers.secret)), 401, REFUSED_CHALLENGE);
    await fail(await challenge(app, ada), 4);
    expectTokens(await verify(app, await challenge(app, ada), await rightCode()), ada);
  });

  test('C 2: the codes of confirm count as well', async () => {
    const ben = await mustEnrol();
    const id = await challenge(app, ben);
    const { body } = await enroll(app, { challenge_id: id });
    for (let i = 0; i < 5; i += 1) {
      const wrong = await confirm(app, { challenge_id: id, mfa_code: wrongTotpCode(body.secret) });
      expectRefused(wrong, 401, 'invalid MFA code');
    }
    expectRefused(await confirm(app, { challenge_id: id, mfa_code: totpCode(body.secret) }), 401);
    expect((await meOf(app, ben.accessToken)).body.user.totp_enrolled).toBe(false);
  });
});

describe('A 5.3 rule 4: ten failures of a person in 15 minutes', () => {
  async function spend(): Promise<void> {
    await fail(await challenge(app, ada), 5);
    await fail(await challenge(app, ada), 5);
  }

  test('then 429 with Retry-After, for a right code too, on both endpoints and for both kinds of code', async () => {
    await spend();
    const id = await challenge(app, ada);
    expectSpent(await verify(app, id, await rightCode()));
    expectSpent(await mfaGrant(app, await challenge(app, ada), await rightCode()));
    expectSpent(await verify(app, await challenge(app, ada), hers.recoveryCodes[0] ?? ''));
    expectSpent(await verify(app, await challenge(app, ada), wrongTotpCode(hers.secret)));
  });

  test('across challenges and addresses: after nine failures one more is allowed', async () => {
    await fail(await challenge(app, ada), 5);
    await fail(await challenge(app, ada), 4);
    const id = await challenge(app, ada);
    await fail(id, 1);
    expectSpent(await verify(app, id, await rightCode(), { 'x-forwarded-for': '198.51.100.7' }));
  });

  test('correct codes neither count nor reset the count', async () => {
    await fail(await challenge(app, ada), 5);
    await fail(await challenge(app, ada), 4);
    for (const code of [await rightCode(), ...hers.recoveryCodes.slice(0, 4)])
      expectTokens(await verify(app, await challenge(app, ada), code), ada);
    const id = await challenge(app, ada);
    await fail(id, 1);
    expectSpent(await verify(app, id, hers.recoveryCodes[4] ?? ''));
  });

  test('a recovery code that got the 429 is not used up', async () => {
    await spend();
    const [code = ''] = hers.recoveryCodes;
    expectSpent(await verify(app, await challenge(app, ada), code));
    await letPass(16);
    expectTokens(await verify(app, await challenge(app, ada), code), ada);
  });

  test('it is over when they are 15 minutes old, as Retry-After says', async () => {
    await spend();
    await letPass(14);
    const seconds = expectSpent(await verify(app, await challenge(app, ada), await rightCode()));
    expect(seconds).toBeLessThanOrEqual(60);
    await letPass(2);
    expectTokens(await verify(app, await challenge(app, ada), await rightCode()), ada);
  });

  test('C 7: the password step is not limited; sessions stay valid', async () => {
    await spend();
    expect(await challenge(app, ada)).toEqual(expect.any(String));
    expect((await meOf(app, ada.accessToken)).status).toBe(200);
  });

  test('another person is not affected', async () => {
    const ben = await join(app, ada);
    const his = await enrol(app, ben);
    await spend();
    expectTokens(await verify(app, await challenge(app, ben), await freshCode(app, ben, his.secret)), ben);
  });

  test('of 14 concurrent wrong codes, each for its own challenge, at most ten are checked', async () => {
    const ids = [];
    for (let i = 0; i < 14; i += 1) ids.push(await challenge(app, ada));
    const wrong = wrongTotpCode(hers.secret);
    const answers = await Promise.all(ids.map((id) => verify(app, id, wrong)));
    const looked = answers.filter(({ status }) => status === 401);
    expect(looked).toHaveLength(10);
    for (const answer of answers) if (!looked.includes(answer)) expectSpent(answer);
  });

  test('C 2: wrong codes of confirm count, by a cookie or by challenges', async () => {
    const ben = await found(app);
    const session = cookie(ben.accessToken);
    const { body } = await enroll(app, {}, session);
    for (let i = 0; i < 10; i += 1)
      expectRefused(
        await confirm(app, { mfa_code: wrongTotpCode(body.secret) }, session),
        401,
        'invalid MFA code',
      );
    expectSpent(await confirm(app, { mfa_code: totpCode(body.secret) }, session));

    const cal = await mustEnrol();
    for (let round = 0; round < 2; round += 1) {
      const id = await challenge(app, cal);
      const { body: begun } = await enroll(app, { challenge_id: id });
      for (let i = 0; i < 5; i += 1)
        await confirm(app, { challenge_id: id, mfa_code: wrongTotpCode(begun.secret) });
    }
    const id = await challenge(app, cal);
    const { body: begun } = await enroll(app, { challenge_id: id });
    expectSpent(await confirm(app, { challenge_id: id, mfa_code: totpCode(begun.secret) }));
  });
});

/** A person without an authenticator, whose workspace demands one. */
async function mustEnrol(): Promise<Person> {
  const person = await found(app);
  const { status } = await app.json('PATCH', '/api/tenants/security', {
    headers: bearer(person.accessToken),
    body: { mfa_required: true },
  });
  expect(status).toBe(200);
  return person;
}
