import { describe, expect, test } from 'vitest';
import { isMfaRequired } from '#server/identity/auth/mfa/requirement.ts';
import { readSettings } from '#server/settings.ts';
import { env, founding } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { enrolByChallenge, verify } from './mfa.ts';
import { type Answer, expectTokens, meOf, refresh, signIn, signUp } from './sign-in.ts';

describe('whether a sign-in requires a second factor (A 5.3 rule 1)', () => {
  const operators = { OPERATOR_TENANT_ID: 'operators', OPERATOR_EMAILS: 'ann@ops.example' };
  const required = { MFA_REQUIRED: 'true' };
  const password = { way: 'password' };
  const sso = { way: 'sso' };
  const [ofTenant, ofSso] = [{ mfa_required: true }, { mfa_required_for_sso: true }];

  test.each<[string, object, object, object, boolean]>([
    ['a password, without any policy', {}, {}, password, false],
    ['a password, by the setting', required, {}, password, true],
    ['a signup, by the setting', required, {}, { way: 'signup' }, true],
    ['a password, by the workspace', {}, ofTenant, password, true],
    ['a password, by a policy that is no boolean', {}, { mfa_required: 'true' }, password, false],
    ['a password of a designated operator', operators, {}, { ...password, email: 'ann@ops.example' }, true],
    ['a password of another member there', operators, {}, password, false],
    ['a single sign-on, by the setting', required, {}, sso, false],
    ['a single sign-on, by the workspace', {}, ofTenant, sso, false],
    ['a single sign-on, by its own policy only', {}, ofSso, sso, false],
    ['a single sign-on, by the workspace and its own policy', {}, { ...ofTenant, ...ofSso }, sso, true],
    ['a single sign-on of an operator', operators, ofSso, { ...sso, email: 'ann@ops.example' }, true],
  ])('%s', (_, settings, metadata, facts, expected) => {
    const member = { tenantId: 'operators', email: 'ben@ops.example', enrolled: false };
    const asked = { ...member, ...facts } as Parameters<typeof isMfaRequired>[2];
    expect(isMfaRequired(readSettings({ ...settings }), { metadata: { ...metadata } }, asked)).toBe(expected);
  });
});

const strict = useTestApp({ env: { ...env, MFA_REQUIRED: 'true', MFA_CHALLENGE_TTL_SECONDS: '90' } });

/** Expects a challenge instead of tokens: the response contains no tokens and sets no cookie. */
function expectAsked(answer: Answer, method: 'totp' | 'totp_enroll', expires_in = 600): void {
  const { status, body, headers } = answer;
  const toVerify = { oauth2_token: '/api/oauth2/token', mfa_verify: '/api/auth/mfa/verify' };
  const toEnroll = {
    mfa_enroll: '/api/auth/mfa/enroll',
    mfa_confirm: '/api/auth/mfa/confirm',
    oauth2_token: '/api/oauth2/token',
  };
  expect([status, headers.getSetCookie()]).toEqual([200, []]);
  expect(body).toMatchObject({
    mfa_required: true,
    mfa_challenge: { challenge_id: expect.stringMatching(/.{16}/), method, expires_in },
    next: method === 'totp' ? toVerify : toEnroll,
  });
  for (const key of ['access_token', 'refresh_token', 'token', 'user']) expect(body).not.toHaveProperty(key);
}

describe('MFA_REQUIRED=true', () => {
  test('a signup returns the key and a challenge; enrolling completes it, later sign-ins ask for a code', async () => {
    const sent = founding();
    const begun = await signUp(strict, sent);
    expectAsked(begun, 'totp_enroll', 90);
    expect(begun.body.tenant_api_key).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expectAsked(await signIn(strict, sent), 'totp_enroll', 90);
    const { recoveryCodes, answer } = await enrolByChallenge(strict, begun.body.mfa_challenge.challenge_id);
    const { token } = answer.body;
    expect((await meOf(strict, token.access_token)).body.user).toMatchObject({
      email: sent.email,
      role: 'global_administrator',
      totp_enrolled: true,
    });
    const asked = await signIn(strict, sent);
    expectAsked(asked, 'totp', 90);
    const who = { userId: token.user.user_id, tenantId: begun.body.account.id, email: sent.email };
    expectTokens(await verify(strict, asked.body.mfa_challenge.challenge_id, recoveryCodes[0] ?? ''), who);
    // A refresh requires no code.
    expectTokens(await refresh(strict, token.refresh_token), who);
    // The response to a wrong password does not reveal that a code is required.
    const wrong = await signIn(strict, { ...sent, password: 'not the passphrase at all' });
    expect([wrong.status, wrong.body]).toEqual([401, refusalOf(expect.any(String))]);
  });
});
