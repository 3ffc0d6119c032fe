import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bearer, found, founding, invite, join, type Person } from '#test/factories.ts';
import { startBeside, type TestApp, useTestApp } from '#test/setup/app.ts';
import { enrol, enrolByChallenge, freshCode, verify } from './mfa.ts';
import { type Answer, expectTokens, meOf, refresh, sessionCookie, signIn, signUp } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const strict = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MFA_REQUIRED: 'true' } });

const toEnrol = {
  mfa_required: true,
  mfa_challenge: { challenge_id: expect.stringMatching(/.{16}/), method: 'totp_enroll', expires_in: 600 },
  next: {
    mfa_enroll: '/api/auth/mfa/enroll',
    mfa_confirm: '/api/auth/mfa/confirm',
    oauth2_token: '/api/oauth2/token',
  },
};
const toVerify = {
  mfa_required: true,
  mfa_challenge: { challenge_id: expect.stringMatching(/.{16}/), method: 'totp', expires_in: 600 },
  next: { oauth2_token: '/api/oauth2/token', mfa_verify: '/api/auth/mfa/verify' },
};

/** A challenge instead of tokens: none in the response, and no cookie. */
function expectAsked(answer: Answer, shape: object): void {
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject(shape);
  for (const key of ['access_token', 'refresh_token', 'token', 'user'])
    expect(answer.body).not.toHaveProperty(key);
  expect(sessionCookie(answer)).toBeUndefined();
}

const setPolicy = (admin: Person, body: unknown, at: TestApp = app) =>
  at.json('PATCH', '/api/tenants/security', { headers: bearer(admin.accessToken), body });

describe('MFA_REQUIRED=true', () => {
  test('A 4.2 rule 3: a founding signup returns the key and a challenge, no token and no cookie', async () => {
    const answer = await signUp(strict, founding());
    expectAsked(answer, toEnrol);
    expect(answer.body.tenant_api_key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(answer.body.account.id).toEqual(expect.any(String));
  });

  test('A 5.3 rule 2: enrolling and confirming completes that sign-in; later sign-ins ask for a code', async () => {
    const sent = founding();
    const { body } = await signUp(strict, sent);
    const { recoveryCodes, answer } = await enrolByChallenge(strict, body.mfa_challenge.challenge_id);
    const { token } = answer.body;
    expect((await meOf(strict, token.access_token)).body.user).toMatchObject({
      email: sent.email,
      role: 'global_administrator',
      totp_enrolled: true,
    });
    const asked = await signIn(strict, sent);
    expectAsked(asked, toVerify);
    const verified = await verify(strict, asked.body.mfa_challenge.challenge_id, recoveryCodes[0] ?? '');
    expectTokens(verified, {
      userId: token.user.user_id,
      tenantId: body.account.id,
      email: sent.email,
    });
  });

  test('A 4.3 rule 2: the password grant too returns a challenge to enrol', async () => {
    const sent = founding();
    await signUp(strict, sent);
    expectAsked(await signIn(strict, sent), toEnrol);
    // The response to a wrong password does not reveal it.
    const wrong = await signIn(strict, { ...sent, password: 'not the passphrase at all' });
    expect(wrong.status).toBe(401);
    expect(Object.keys(wrong.body)).toEqual(['detail']);
  });

  test('A 3.3: a refresh grant asks for no code', async () => {
    const { body } = await signUp(strict, founding());
    const { answer } = await enrolByChallenge(strict, body.mfa_challenge.challenge_id);
    const { refresh_token: refreshToken, user } = answer.body.token;
    expectTokens(await refresh(strict, refreshToken), {
      userId: user.user_id,
      tenantId: user.tenant_id,
      email: user.email,
    });
  });
});

describe('MFA_CHALLENGE_TTL_SECONDS', () => {
  const brief = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MFA_CHALLENGE_TTL_SECONDS: '90' } });

  test('C 2: is the lifetime that a challenge states', async () => {
    const ada = await found(brief);
    await enrol(brief, ada);
    expect((await signIn(brief, ada)).body.mfa_challenge.expires_in).toBe(90);
  });
});

describe('without any requirement', () => {
  test('a member without an authenticator is not asked', async () => {
    const ada = await found(app);
    expectTokens(await signIn(app, ada), ada);
  });

  test('C 7: a member with one is always asked', async () => {
    const ada = await found(app);
    const { secret } = await enrol(app, ada);
    const asked = await signIn(app, ada);
    expectAsked(asked, toVerify);
    const code = await freshCode(app, ada, secret);
    expectTokens(await verify(app, asked.body.mfa_challenge.challenge_id, code), ada);
  });
});

describe('A 5.3 rule 1: the tenant’s mfa_required', () => {
  let ada: Person;
  beforeEach(async () => {
    ada = await found(app);
  });

  test('asks its members to enrol, administrators too, and no other tenant’s', async () => {
    const [member, stranger] = [await join(app, ada), await found(app)];
    const { status, body } = await setPolicy(ada, { mfa_required: true });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: ada.tenantId, metadata: { mfa_required: true } });
    for (const person of [ada, member]) expectAsked(await signIn(app, person), toEnrol);
    expectTokens(await signIn(app, stranger), stranger);
  });

  test('switched off again, it no longer asks members without an authenticator', async () => {
    await setPolicy(ada, { mfa_required: true });
    await setPolicy(ada, { mfa_required: false });
    expectTokens(await signIn(app, ada), ada);
  });

  test('A 4.2 rule 3: a join is asked to enrol, and has neither key, token nor cookie', async () => {
    await setPolicy(ada, { mfa_required: true });
    const sent = founding({ invite_token: (await invite(app, ada)).invite_token });
    const answer = await signUp(app, sent);
    expectAsked(answer, toEnrol);
    expect(answer.body.tenant_api_key).toBeNull();
    expect(answer.body.account.id).toBe(ada.tenantId);
    const confirmed = await enrolByChallenge(app, answer.body.mfa_challenge.challenge_id);
    const { token } = confirmed.answer.body;
    expect((await meOf(app, token.access_token)).body.user).toMatchObject({
      tenant_id: ada.tenantId,
      email: sent.email,
      role: 'agent_id_developer',
    });
  });

  test('a founding signup elsewhere is not asked', async () => {
    await setPolicy(ada, { mfa_required: true });
    const { body } = await signUp(app, founding());
    expect(body).toMatchObject({ mfa_required: false, token: { access_token: expect.any(String) } });
  });
});

describe('A 5.3 rule 1: designated platform operators', () => {
  /** Another application over the same database, whose operators are `emails` of the workspace. */
  async function designate(tenantId: string, emails: string) {
    const other = await startBeside(app, {
      AUTH_RATE_LIMIT_ENABLED: 'false',
      OPERATOR_TENANT_ID: tenantId,
      OPERATOR_EMAILS: emails,
    });
    onTestFinished(() => other.close());
    return other;
  }

  test('are asked to enrol, and for a code after that; other members of that workspace are not', async () => {
    const ada = await found(app);
    const [member, other] = [await join(app, ada), await join(app, ada)];
    const platform = await designate(ada.tenantId, `nobody@example.org, ${member.email.toUpperCase()}`);
    expectTokens(await signIn(platform, other), other);
    expectTokens(await signIn(platform, ada), ada);
    const asked = await signIn(platform, member);
    expectAsked(asked, toEnrol);
    const { recoveryCodes } = await enrolByChallenge(platform, asked.body.mfa_challenge.challenge_id);
    const again = await signIn(platform, member);
    expectAsked(again, toVerify);
    const { challenge_id } = again.body.mfa_challenge;
    expectTokens(await verify(platform, challenge_id, recoveryCodes[0] ?? ''), member);
  });
});
