import { beforeEach, describe, expect, test } from 'vitest';
import { apiKey, bearer, cookie, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import { challenge, confirm, enrol, enrolByChallenge, enroll, freshCode, verify } from './authenticator.ts';
import {
  expectInvalid,
  expectRefused,
  expectTokens,
  introspect,
  meOf,
  sessionCookie,
  signIn,
} from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let ada: Person;
let session: { cookie: string };
beforeEach(async () => {
  ada = await found(app);
  session = cookie(ada.accessToken);
});

const isEnrolled = async () => (await meOf(app, ada.accessToken)).body.user.totp_enrolled;

/** The challenge of a person who must enrol. */
async function mustEnrol(): Promise<string> {
  const { status } = await app.json('PATCH', '/api/tenants/security', {
    headers: bearer(ada.accessToken),
    body: { mfa_required: true },
  });
  expect(status).toBe(200);
  return challenge(app, ada);
}

describe('C 2: enroll', () => {
  test.each([
    ['a cookie', async () => enroll(app, {}, session)],
    ['a challenge', async () => enroll(app, { challenge_id: await mustEnrol() })],
  ])('by %s: a base32 secret, its otpauth address, and that as a picture', async (_by, ask) => {
    const { status, body } = await ask();
    expect(status).toBe(200);
    // RFC 4226, 4: at least 128 bits.
    expect(body.secret).toMatch(/^[A-Z2-7]{26,}$/);
    const uri = new URL(body.otpauth_uri);
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(uri.searchParams.get('secret')).toBe(body.secret);
    expect(decodeURIComponent(uri.pathname)).toContain(ada.email);
    expect(uri.searchParams.get('digits') ?? '6').toBe('6');
    expect(uri.searchParams.get('period') ?? '30').toBe('30');
    expect(uri.searchParams.get('algorithm') ?? 'SHA1').toBe('SHA1');
    expect(body.qr_code).toMatch(/^data:image\/svg\+xml[;,]/);
    const [, kind, data = ''] = /^data:image\/svg\+xml([^,]*),(.*)$/s.exec(body.qr_code) ?? [];
    const svg = kind?.includes('base64') ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
    expect(svg).toMatch(/^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/);
    expect(svg).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    // A 4.1: an object of string values.
    for (const value of Object.values(body)) expect(value).toEqual(expect.any(String));
  });

  test('A 4.1: not by a bearer, a key or without a credential: 401 authentication required', async () => {
    const none = [
      {},
      bearer(ada.accessToken),
      apiKey(ada.apiKey),
      bearer(ada.apiKey),
      cookie('nonsense'),
      cookie(ada.refreshToken),
    ];
    for (const headers of none) {
      expectRefused(await enroll(app, {}, headers), 401, 'authentication required');
      expectRefused(await confirm(app, { mfa_code: '123456' }, headers), 401, 'authentication required');
    }
    expectRefused(await enroll(app, { challenge_id: 'nonsense' }), 401, 'authentication required');
    expectRefused(
      await confirm(app, { challenge_id: 'nonsense', mfa_code: '123456' }),
      401,
      'authentication required',
    );
  });

  test('is not an enrolment yet: the next sign-in asks for no code', async () => {
    await enroll(app, {}, session);
    expect(await isEnrolled()).toBe(false);
    expectTokens(await signIn(app, ada), ada);
  });

  test('again before confirm replaces the pending secret', async () => {
    const [one, other] = [await enroll(app, {}, session), await enroll(app, {}, session)];
    expect(one.body.secret).not.toBe(other.body.secret);
    const old = await confirm(app, { mfa_code: totpCode(one.body.secret) }, session);
    expectRefused(old, 401, 'invalid MFA code');
    expect((await confirm(app, { mfa_code: totpCode(other.body.secret) }, session)).status).toBe(200);
  });

  test('two members have different secrets, and a code of one does not confirm the other’s', async () => {
    const ben = await found(app);
    const mine = await enroll(app, {}, session);
    const his = await enroll(app, {}, cookie(ben.accessToken));
    expect(mine.body.secret).not.toBe(his.body.secret);
    expectRefused(
      await confirm(app, { mfa_code: totpCode(his.body.secret) }, session),
      401,
      'invalid MFA code',
    );
  });
});

describe('C 2: confirm', () => {
  test('by the cookie: enrolled, ten recovery codes, no token and no cookie', async () => {
    const { body: begun } = await enroll(app, {}, session);
    const answer = await confirm(app, { mfa_code: totpCode(begun.secret) }, session);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ enrolled: true, recovery_codes: expect.any(Array) });
    expect(answer.body.recovery_codes).toHaveLength(10);
    expect(answer.body.token ?? null).toBeNull();
    expect(sessionCookie(answer)).toBeUndefined();
    expect(await isEnrolled()).toBe(true);
  });

  test('by a challenge: also the tokens, and the cookie that holds them', async () => {
    const { answer, recoveryCodes } = await enrolByChallenge(app, await mustEnrol());
    expect(answer.body.enrolled).toBe(true);
    expect(recoveryCodes).toHaveLength(10);
    expectTokens({ ...answer, body: answer.body.token }, ada);
    expect(sessionCookie(answer)?.get('ll_session')).toBe(answer.body.token.access_token);
    expect((await meOf(app, answer.body.token.access_token)).body.user.totp_enrolled).toBe(true);
  });

  test('A 3.4: the challenge is consumed by it', async () => {
    const id = await mustEnrol();
    const { secret } = await enrolByChallenge(app, id);
    const again = await confirm(app, { challenge_id: id, mfa_code: await freshCode(app, ada, secret) });
    expectRefused(again, 401);
    expectRefused(await enroll(app, { challenge_id: id }), 401);
  });

  test('a wrong code: 401 invalid MFA code, and nobody is enrolled or signed in', async () => {
    const { body: begun } = await enroll(app, {}, session);
    const wrong = wrongTotpCode(begun.secret);
    expectRefused(await confirm(app, { mfa_code: wrong }, session), 401, 'invalid MFA code');
    expect(await isEnrolled()).toBe(false);
    expect((await confirm(app, { mfa_code: totpCode(begun.secret) }, session)).status).toBe(200);

    const id = await challengeOfAnother();
    const { body } = await enroll(app, { challenge_id: id });
    const answer = await confirm(app, { challenge_id: id, mfa_code: wrongTotpCode(body.secret) });
    expectRefused(answer, 401, 'invalid MFA code');
  });

  test('before an enrolment has begun is refused', async () => {
    const answer = await confirm(app, { mfa_code: '123456' }, session);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(await isEnrolled()).toBe(false);
  });

  test('C 7: without mfa_code: 422', async () => {
    await enroll(app, {}, session);
    expectInvalid(await confirm(app, {}, session), 'mfa_code');
  });

  test('of ten concurrent confirmations one enrols', async () => {
    const { body: begun } = await enroll(app, {}, session);
    const code = totpCode(begun.secret);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => confirm(app, { mfa_code: code }, session)),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    // Only its codes are valid.
    const [recovery = ''] = won[0]!.body.recovery_codes;
    expectTokens(await verify(app, await challenge(app, ada), recovery), ada);
  });

  async function challengeOfAnother(): Promise<string> {
    ada = await found(app);
    return mustEnrol();
  }
});

describe('C 2: a member who is enrolled already', () => {
  test('gets 409 on enroll, and keeps the authenticator', async () => {
    const { secret } = await enrol(app, ada);
    const answer = await enroll(app, {}, session);
    expect(answer.status).toBe(409);
    expect(answer.body).not.toHaveProperty('secret');
    expectTokens(await verify(app, await challenge(app, ada), await freshCode(app, ada, secret)), ada);
  });

  test('cannot replace it with the password alone: a challenge for a code gets 409', async () => {
    const { secret } = await enrol(app, ada);
    const id = await challenge(app, ada);
    const answer = await enroll(app, { challenge_id: id });
    expect(answer.status).toBe(409);
    expect(answer.body).not.toHaveProperty('secret');
    // Confirming with a code of the old authenticator enrols nobody.
    const confirmed = await confirm(app, { challenge_id: id, mfa_code: await freshCode(app, ada, secret) });
    expect(confirmed.status).toBeGreaterThanOrEqual(400);
    expect(sessionCookie(confirmed)).toBeUndefined();
  });

  test('a secret that was pending on another challenge is worthless', async () => {
    const first = await mustEnrol();
    const second = await challenge(app, ada);
    const { secret } = await enrolByChallenge(app, first);
    const late = await enroll(app, { challenge_id: second });
    expect(late.status).toBeGreaterThanOrEqual(400);
    expectTokens(await verify(app, await challenge(app, ada), await freshCode(app, ada, secret)), ada);
  });

  test('A 2.2: the member list shows the enrolment, and no secret', async () => {
    const { secret, recoveryCodes } = await enrol(app, ada);
    const { body } = await app.json('GET', '/api/auth/users', { headers: bearer(ada.accessToken) });
    expect(body).toMatchObject([{ user_id: ada.userId, totp_enrolled: true }]);
    for (const hidden of [secret, ...recoveryCodes]) expect(JSON.stringify(body)).not.toContain(hidden);
  });

  test('the session that enrolled stays valid', async () => {
    await enrol(app, ada);
    expect((await introspect(app, 'nobody', session)).status).toBe(200);
  });
});
