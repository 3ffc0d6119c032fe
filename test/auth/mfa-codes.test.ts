import { beforeEach, describe, expect, test } from 'vitest';
import { type Enrolled, foundEnrolled, found as foundMember } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import {
  auditOf,
  challengeFor,
  freshCode,
  grant,
  mfaGrantType,
  passwordGrant,
  regenerate,
  verify,
} from './mfa-members.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let member: Enrolled;
beforeEach(async () => {
  member = await foundEnrolled(app);
});

const challenge = (of: Enrolled = member) => challengeFor(app.database, of);
const code = (of: Enrolled = member) => freshCode(app.superuserUrl, of);

const wrongCode = { status: 401, body: { detail: 'invalid MFA code' } };
const noChallenge = { status: 401, body: { detail: 'invalid or expired MFA challenge' } };

describe('C 7: a member with an authenticator is asked for a code', () => {
  test('the password grant returns a challenge, and no tokens or cookie', async () => {
    const { status, body, headers } = await passwordGrant(app, member);
    expect(status).toBe(200);
    expect(body).toEqual({
      mfa_required: true,
      mfa_challenge: { challenge_id: expect.any(String), method: 'totp', expires_in: 600 },
      next: { oauth2_token: '/api/oauth2/token', mfa_verify: '/api/auth/mfa/verify' },
    });
    expect(headers.get('set-cookie')).toBe(null);
  });

  test('a code is exchanged for tokens of the grant’s scope, once', async () => {
    const { body } = await passwordGrant(app, member, { scope: 'translate:read' });
    const id = body.mfa_challenge.challenge_id;
    const passed = await verify(app, id, await code());
    expect(passed.status).toBe(200);
    expect(passed.body).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'translate:read',
      user: { user_id: member.userId, role: 'agent_id_developer', provider: 'email' },
    });
    expect(passed.headers.get('set-cookie')).toContain(`ll_session=${passed.body.access_token};`);
    const me = await app.json('GET', '/api/auth/me', {
      headers: { authorization: `Bearer ${passed.body.access_token}` },
    });
    expect(me.body.user).toMatchObject({ user_id: member.userId, totp_enrolled: true });
    expect(await verify(app, id, totpCode(member.secret, 1))).toMatchObject(noChallenge);
  });

  test('the MFA grant does the same, and takes recovery codes too', async () => {
    for (const mfa_code of [await code(), member.recoveryCodes[0] as string]) {
      const challenge_id = await challenge();
      const passed = await grant(app, { grant_type: mfaGrantType, challenge_id, mfa_code });
      expect(passed.status).toBe(200);
      expect(passed.body).toMatchObject({ scope: 'translate:jobs', user: { user_id: member.userId } });
      expect(passed.headers.get('set-cookie')).toContain(`ll_session=${passed.body.access_token};`);
    }
  });
});

describe('a code', () => {
  test('that is wrong is 401, and the challenge stays pending', async () => {
    const id = await challenge();
    const right = await code();
    for (const wrong of [wrongTotpCode(member.secret), '', 'x', 'aaaaa-aaaaa', '1'.repeat(100)])
      expect(await verify(app, id, wrong)).toMatchObject(wrongCode);
    const other = await challenge();
    expect((await verify(app, other, right)).status).toBe(200);
  });

  test('C 2: is accepted once per step and member, whatever the challenge; the next step’s code is accepted then', async () => {
    const now = await code();
    expect((await verify(app, await challenge(), now)).status).toBe(200);
    const id = await challenge();
    expect(await verify(app, id, now)).toMatchObject(wrongCode);
    expect((await verify(app, id, totpCode(member.secret, 1))).status).toBe(200);
    // Nor an older one that was never used.
    const later = await challenge();
    expect(await verify(app, later, totpCode(member.secret))).toMatchObject(wrongCode);
  });

  test('of one member does not work for another', async () => {
    const other = await foundEnrolled(app);
    expect(await verify(app, await challenge(other), await code(member))).toMatchObject(wrongCode);
    const [recoveryCode] = member.recoveryCodes;
    expect(await verify(app, await challenge(other), recoveryCode as string)).toMatchObject(wrongCode);
    expect((await verify(app, await challenge(member), recoveryCode as string)).status).toBe(200);
  });
});

describe('an invalid challenge', () => {
  test('unknown, malformed or foreign: 401', async () => {
    const secret = (await challenge()).split('.')[1];
    const other = await foundMember(app);
    const right = await code();
    const ids = [
      'x',
      `${member.tenantId}.${'a'.repeat(43)}`,
      `${other.tenantId}.${secret}`,
      `*.${secret}`,
      `.${secret}`,
    ];
    for (const id of ids) {
      expect(await verify(app, id, right)).toMatchObject(noChallenge);
      expect(await grant(app, { grant_type: mfaGrantType, challenge_id: id, mfa_code: right })).toMatchObject(
        noChallenge,
      );
    }
  });

  test('expired: 401, and its code is not used up', async () => {
    const id = await challenge();
    await openSuperuser(app.superuserUrl)`
      update mfa_challenges set expires_at = clock_timestamp() where tenant_id = ${member.tenantId}`;
    const right = await code();
    expect(await verify(app, id, right)).toMatchObject(noChallenge);
    expect((await verify(app, await challenge(), right)).status).toBe(200);
  });

  test.each(['users', 'tenants'])('of a member who has lost access meanwhile (%s): 401', async (table) => {
    const id = await challenge();
    await openSuperuser(app.superuserUrl).unsafe(`update ${table} set active = false where tenant_id = $1`, [
      member.tenantId,
    ]);
    expect(await verify(app, id, await code())).toMatchObject(noChallenge);
  });
});

describe('A 5.3 rule 5: recovery codes', () => {
  test('work once each, however they are typed', async () => {
    const [first, second, third] = member.recoveryCodes as [string, string, string];
    const forms = [first, second.toUpperCase(), ` ${third.replace('-', '')} `];
    for (const typed of forms) expect((await verify(app, await challenge(), typed)).status).toBe(200);
    for (const typed of [first, second, third])
      expect(await verify(app, await challenge(), typed)).toMatchObject(wrongCode);
    const used = (await auditOf(app.superuserUrl, member)).filter(
      ({ action }) => action === 'recovery_code_used',
    );
    expect(used.map(({ details }) => details.left)).toEqual([9, 8, 7]);
  });

  test('leave the authenticator as it is', async () => {
    const right = await code();
    await verify(app, await challenge(), member.recoveryCodes[0] as string);
    expect((await verify(app, await challenge(), right)).status).toBe(200);
  });

  test('a new set replaces the old one', async () => {
    const { status, body } = await regenerate(app, member.cookie);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['recovery_codes']);
    expect(body.recovery_codes).toHaveLength(10);
    const id = await challenge();
    expect(await verify(app, id, member.recoveryCodes[0] as string)).toMatchObject(wrongCode);
    expect((await verify(app, id, body.recovery_codes[0])).status).toBe(200);
    const actions = (await auditOf(app.superuserUrl, member)).map(({ action }) => action);
    expect(actions).toContain('recovery_codes_regenerated');
  });

  test('A 4.1: by the cookie alone', async () => {
    const refused = { status: 401, body: { detail: 'authentication required' } };
    const bearer = { authorization: `Bearer ${member.accessToken}` };
    for (const headers of [{}, bearer, { cookie: `ll_session=${await challenge()}` }])
      expect(await regenerate(app, headers)).toMatchObject(refused);
    const body = { challenge_id: await challenge() };
    expect(await app.json('POST', '/api/auth/mfa/recovery/regenerate', { body })).toMatchObject(refused);
    expect((await verify(app, await challenge(), member.recoveryCodes[0] as string)).status).toBe(200);
  });

  test('A 4.1: 409 without an authenticator', async () => {
    const { cookie } = await foundMember(app);
    expect(await regenerate(app, cookie)).toMatchObject({
      status: 409,
      body: { detail: 'no authenticator is enrolled' },
    });
  });
});
