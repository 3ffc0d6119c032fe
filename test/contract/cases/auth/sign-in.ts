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
import { asNobody, type Cases } from '../case.ts';

const signup = { tenant_name: 'Both Transports', email: 'founder@example.org', password };
const credentials = { grant_type: 'password', password };
const mfaGrant = 'urn:ietf:params:oauth:grant-type:mfa-otp';

const ofFounder = ({ founder }: ContractFixture) => ({ ...credentials, username: founder.email });
const ofEnrolled = async ({ app }: ContractFixture) => ({
  ...credentials,
  username: (await foundEnrolled(app)).email,
});

/** Creates two workspaces of a person who has the same password in both. */
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

const joining = async ({ app, founder }: ContractFixture) => {
  const { invite_token } = await invite(app, founder);
  return { ...signup, email: freshEmail(), invite_token };
};

export const signInCases: Cases = {
  'auth.signUpWithEmail': [
    { name: 'founds a workspace', status: 200, ask: asNobody(signup) },
    { name: 'joins one', status: 200, ask: asNobody(joining) },
    {
      name: 'the invite is none',
      status: 400,
      detail: 'invalid or expired invite',
      ask: asNobody({ ...signup, invite_token: 'x.y' }),
    },
    {
      name: 'it is no JSON',
      status: 400,
      raw: { contentType: 'application/json', body: '{"email": ' },
    },
  ],
  'auth.token': [
    { name: 'by password', status: 200, ask: asNobody(ofFounder) },
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
    { name: 'the grant is none', status: 422, ask: asNobody({ grant_type: 'implicit' }) },
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
  ],
  'auth.requestPasswordReset': [
    { name: 'an address', status: 200, ask: asNobody({ email: 'nobody@example.org' }) },
    { name: 'no address', status: 422, ask: asNobody({}) },
  ],
};
