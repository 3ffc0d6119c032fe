import { totpCode } from '#test/setup/totp.ts';
import {
  challengeOf,
  found,
  foundEnrolled,
  freshEmail,
  invite,
  password,
  resetToken,
} from '../../../factories.ts';
import type { ContractFixture } from '../../fixture.ts';
import { asAdmin, asForeignPage, asNobody, type Cases, crossSite } from '../case.ts';

const signup = { tenant_name: 'Both Transports', email: 'founder@example.org', password };
const credentials = { grant_type: 'password', password };
const mfaGrant = 'urn:ietf:params:oauth:grant-type:mfa-otp';

const ofFounder = ({ founder }: ContractFixture) => ({ ...credentials, username: founder.email });
const ofEnrolled = async ({ app }: ContractFixture) => ({
  ...credentials,
  username: (await foundEnrolled(app)).email,
});

/** A person with the same password in two workspaces. */
async function ofTwoWorkspaces({ app }: ContractFixture) {
  const { email } = await found(app);
  await found(app, { email });
  return { ...credentials, username: email };
}

async function byMfaCode({ app }: ContractFixture) {
  const person = await foundEnrolled(app);
  const challenge_id = await challengeOf(app, person);
  return { grant_type: mfaGrant, challenge_id, mfa_code: totpCode(person.secret, 1) };
}

/** A join by an invite of these fields. */
const joining =
  (inviting: Record<string, unknown>, fields: Record<string, unknown> = {}) =>
  async ({ app, founder }: ContractFixture) => {
    const { invite_token } = await invite(app, founder, inviting);
    return { ...signup, email: freshEmail(), invite_token, ...fields };
  };

export const signInCases: Cases = {
  'auth.signUpWithEmail': [
    { name: 'founds a workspace', status: 200, ask: asNobody(signup) },
    { name: 'joins one', status: 200, ask: asNobody(joining({})) },
    { name: 'a field is missing', status: 422, ask: asNobody({ email: 'a@example.org' }) },
    {
      name: 'a field has the wrong type',
      status: 422,
      ask: asNobody({ ...signup, monthly_char_limit: '5' }),
    },
    { name: 'the password is short', status: 400, ask: asNobody({ ...signup, password: 'ten chars.' }) },
    { name: 'the address is none', status: 400, ask: asNobody({ ...signup, email: 'nobody' }) },
    {
      name: 'the invite is none',
      status: 400,
      detail: 'invalid or expired invite',
      ask: asNobody({ ...signup, invite_token: 'x.y' }),
    },
    {
      name: 'the invite is somebody else’s',
      status: 400,
      detail: 'this invite was issued for a different email address',
      ask: asNobody(joining({ email: 'ida@example.org' })),
    },
    {
      name: 'the address is a member’s',
      status: 400,
      detail: 'email already registered for tenant',
      ask: asNobody(async (fixture) => joining({}, { email: fixture.member.email })(fixture)),
    },
    { name: 'another site sends it', status: 403, detail: crossSite, ask: asForeignPage(signup) },
    {
      name: 'it is no JSON',
      status: 400,
      raw: { contentType: 'application/json', body: '{"email": ' },
    },
  ],
  'auth.token': [
    { name: 'by password', status: 200, ask: asNobody(ofFounder) },
    {
      name: 'by password, in a named workspace, with a scope',
      status: 200,
      ask: asNobody((fixture) => ({
        ...ofFounder(fixture),
        tenant_id: fixture.founder.tenantId,
        scope: 'something',
      })),
    },
    { name: 'asks which workspace', status: 200, ask: asNobody(ofTwoWorkspaces) },
    { name: 'asks for a code', status: 200, ask: asNobody(ofEnrolled) },
    { name: 'by a code', status: 200, ask: asNobody(byMfaCode) },
    {
      name: 'by a refresh token',
      status: 200,
      ask: asNobody(async ({ app }) => ({
        grant_type: 'refresh_token',
        refresh_token: (await found(app)).refreshToken,
      })),
    },
    {
      name: 'the password is wrong',
      status: 401,
      ask: asNobody((fixture) => ({ ...ofFounder(fixture), password: 'not the password' })),
    },
    {
      name: 'the challenge is none',
      status: 401,
      detail: 'invalid or expired MFA challenge',
      ask: asNobody({ grant_type: mfaGrant, challenge_id: 'x.y', mfa_code: '000000' }),
    },
    {
      name: 'the refresh token is none',
      status: 401,
      detail: 'invalid or expired refresh token',
      ask: asNobody({ grant_type: 'refresh_token', refresh_token: 'x' }),
    },
    { name: 'the grant is none', status: 422, ask: asNobody({ grant_type: 'implicit' }) },
    { name: 'the grant is missing', status: 422, ask: asNobody({ username: 'a@example.org' }) },
    { name: 'a field of the grant is missing', status: 422, ask: asNobody(credentials) },
    { name: 'another site sends it', status: 403, detail: crossSite, ask: asForeignPage(ofFounder) },
    {
      name: 'it is JSON',
      status: 422,
      raw: { contentType: 'application/json', body: '{"grant_type": "password"}' },
    },
  ],
  'auth.resetPassword': [
    {
      name: 'sets a password',
      status: 200,
      ask: asNobody(async ({ app }) => ({
        reset_token: await resetToken(app, await found(app)),
        new_password: 'another long passphrase',
      })),
    },
    {
      name: 'the policy refuses it',
      status: 400,
      ask: asNobody(async ({ app, founder }) => ({
        reset_token: await resetToken(app, founder),
        new_password: 'ten chars.',
      })),
    },
    {
      name: 'the link is none',
      status: 401,
      detail: 'invalid or expired reset link',
      ask: asNobody({ reset_token: 'x.y', new_password: 'another long passphrase' }),
    },
    {
      name: 'the link is none, whoever asks',
      status: 401,
      detail: 'invalid or expired reset link',
      ask: asAdmin({ reset_token: 'x.y', new_password: 'another long passphrase' }),
    },
    {
      name: 'it is under 8 characters',
      status: 422,
      ask: asNobody({ reset_token: 'x.y', new_password: '7 chars' }),
    },
    { name: 'the link is missing', status: 422, ask: asNobody({ new_password: 'another long passphrase' }) },
  ],
};
