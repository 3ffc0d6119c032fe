import superjson from 'superjson';
import { beforeEach, describe, expect, test } from 'vitest';
import { env, found, foundEnrolled, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import { challengeFor, confirm, enroll, failuresOf, REFUSED_CHALLENGE, verify } from './mfa.ts';
import { meOf, passwordGrant, sessionCookie } from './sign-in.ts';

const app = useTestApp({ env });

let founder: Person;
beforeEach(async () => {
  founder = await found(app);
});

const challenge = (member: Person = founder) => challengeFor(app.database, member);
const pendingSecret = async (of: Person = founder): Promise<string> =>
  (await enroll(app, {}, of.cookie)).body.secret;
const isEnrolled = async (accessToken = founder.accessToken): Promise<boolean> =>
  (await meOf(app, accessToken)).body.user.totp_enrolled;
const codesStored = () => openSuperuser(app.superuserUrl)`
  select from recovery_codes where user_id = ${founder.userId}`;

const notAuthenticated = { status: 401, body: { detail: 'authentication required' } };
const wrongCode = { status: 401, body: { detail: 'invalid MFA code' } };
const noChallenge = { status: 401, body: { detail: REFUSED_CHALLENGE } };
const tooMany = { status: 429, body: { detail: 'too many MFA attempts' } };
const taken = {
  status: 409,
  body: { detail: 'an authenticator is already enrolled; ask an administrator to reset it' },
};

describe('enrolling an authenticator', () => {
  test('returns a base32 secret, its key URI and a picture of that; nothing is required yet', async () => {
    const { status, body } = await enroll(app, {}, founder.cookie);
    expect([status, Object.keys(body).sort()]).toEqual([200, ['otpauth_uri', 'qr_code', 'secret']]);
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(decodeURIComponent(body.otpauth_uri)).toMatch(`otpauth://totp/LinguaLoop:${founder.email}?`);
    expect(new URL(body.otpauth_uri).searchParams.get('secret')).toBe(body.secret);
    const [, base64] = /^data:image\/svg\+xml;base64,(.+)$/.exec(body.qr_code) ?? [];
    const svg = Buffer.from(base64 ?? '', 'base64').toString();
    expect(svg).toMatch(/^<svg .*<\/svg>$/s);
    expect(svg).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    expect((await passwordGrant(app, founder)).body.access_token).toEqual(expect.any(String));
  });

  test('by a challenge, the confirmation completes the sign-in, and uses the challenge up', async () => {
    const id = await challenge();
    const { secret } = (await enroll(app, { challenge_id: id })).body;
    const confirmed = await confirm(app, { challenge_id: id, mfa_code: totpCode(secret) });
    expect(confirmed.status).toBe(200);
    expect(confirmed.body).toMatchObject({
      enrolled: true,
      token: { token_type: 'bearer', scope: 'translate:jobs', user: { user_id: founder.userId } },
    });
    const { access_token } = confirmed.body.token;
    expect(sessionCookie(confirmed)?.get('ll_session')).toBe(access_token);
    expect(await isEnrolled(access_token)).toBe(true);
    const next = totpCode(secret, 1);
    expect(await confirm(app, { challenge_id: id, mfa_code: next })).toMatchObject(notAuthenticated);
    expect(await verify(app, id, next)).toMatchObject(noChallenge);
  });

  test('by a session it returns ten recovery codes, no tokens and no cookie; its code is used up', async () => {
    const secret = await pendingSecret();
    const code = totpCode(secret);
    const { status, body, headers } = await confirm(app, { mfa_code: code }, founder.cookie);
    expect([status, Object.keys(body).sort()]).toEqual([200, ['enrolled', 'recovery_codes']]);
    expect(headers.getSetCookie()).toEqual([]);
    expect(new Set(body.recovery_codes).size).toBe(10);
    for (const one of body.recovery_codes) expect(one).toMatch(/^[2-9a-hjkmnp-z]{5}-[2-9a-hjkmnp-z]{5}$/);
    expect(await isEnrolled()).toBe(true);
    expect(await eventsOf(app, founder.tenantId, 'mfa_enrolled')).toHaveLength(1);
    const id = await challenge();
    expect(await verify(app, id, code)).toMatchObject(wrongCode);
    expect((await verify(app, id, totpCode(secret, 1))).status).toBe(200);
  });

  test('again before the confirmation replaces the secret', async () => {
    const [first, second] = [await pendingSecret(), await pendingSecret()];
    const others = await pendingSecret(await found(app));
    expect(new Set([first, second, others]).size).toBe(3);
    for (const secret of [first, others])
      expect(await confirm(app, { mfa_code: totpCode(secret) }, founder.cookie)).toMatchObject(wrongCode);
    expect((await confirm(app, { mfa_code: totpCode(second) }, founder.cookie)).status).toBe(200);
  });

  test('of a member who is enrolled already is 409, also by the password only; the authenticator stays', async () => {
    const member = await foundEnrolled(app);
    const asked = { challenge_id: await challenge(member) };
    const mfa_code = totpCode(member.secret, 1);
    for (const answer of [
      await enroll(app, {}, member.cookie),
      await enroll(app, asked),
      await confirm(app, { mfa_code }, member.cookie),
      await confirm(app, { ...asked, mfa_code }),
    ]) {
      expect(answer).toMatchObject(taken);
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    expect((await verify(app, await challenge(member), mfa_code)).status).toBe(200);
  });

  test('a confirmation without an enrollment is 409, and is not counted as a failure', async () => {
    expect((await confirm(app, { mfa_code: '123456' }, founder.cookie)).status).toBe(409);
    expect((await confirm(app, {}, founder.cookie)).status).toBe(422);
    expect(await failuresOf(app.superuserUrl, founder)).toBe(0);
    expect(await isEnrolled()).toBe(false);
  });
});

describe('a challenge', () => {
  test('that is not pending is 401, whether or not a cookie is with it', async () => {
    const [pending, expired] = [await challenge(), await challenge()];
    await openSuperuser(app.superuserUrl)`
      update mfa_challenges set expires_at = clock_timestamp()
      where challenge_hash = sha256(${expired.split('.')[1] as string}::bytea)`;
    const neighbor = await found(app);
    const secret = pending.split('.')[1];
    const forged = [`${founder.tenantId}.${'a'.repeat(43)}`, `${neighbor.tenantId}.${secret}`, `*.${secret}`];
    for (const id of ['', 'unknown', expired, ...forged])
      for (const headers of [{}, founder.cookie]) {
        expect(await enroll(app, { challenge_id: id }, headers)).toMatchObject(notAuthenticated);
        const confirmation = { challenge_id: id, mfa_code: '123456' };
        expect(await confirm(app, confirmation, headers)).toMatchObject(notAuthenticated);
      }
    expect((await enroll(app, { challenge_id: pending })).status).toBe(200);
  });

  test('ends when the member enrolls by another one; of two concurrent enrollments one secret wins', async () => {
    const [one, two, third] = [await challenge(), await challenge(), await challenge()];
    await enroll(app, { challenge_id: one });
    const { secret } = (await enroll(app, { challenge_id: two })).body;
    const mfa_code = totpCode(secret);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => confirm(app, { challenge_id: i % 2 ? one : two, mfa_code })),
    );
    const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect(winner?.body.recovery_codes).toHaveLength(10);
    for (const answer of others) expect(answer).toMatchObject(notAuthenticated);
    expect(await codesStored()).toHaveLength(10);
    expect(await enroll(app, { challenge_id: third })).toMatchObject(notAuthenticated);
    expect(await verify(app, third, '123456')).toMatchObject(noChallenge);
  });

  test('counts on /trpc, where the cookie does not', async () => {
    const call = (input: object) =>
      app.json('POST', '/trpc/auth.enrollMfa', { body: superjson.serialize(input), headers: founder.cookie });
    expect((await call({})).status).toBe(401);
    expect((await call({ challenge_id: await challenge() })).status).toBe(200);
  });
});

describe('wrong codes sent to the confirmation (A 5.3)', () => {
  test('count per member, whether or not with a challenge', async () => {
    const secret = await pendingSecret();
    for (let sent = 0; sent < 10; sent += 1)
      expect(await confirm(app, { mfa_code: wrongTotpCode(secret) }, founder.cookie)).toMatchObject(
        wrongCode,
      );
    const mfa_code = totpCode(secret);
    expect(await confirm(app, { mfa_code }, founder.cookie)).toMatchObject(tooMany);
    expect(await confirm(app, { challenge_id: await challenge(), mfa_code })).toMatchObject(tooMany);
    expect(await isEnrolled()).toBe(false);
  });
});
