import { openSuperuser } from '#test/setup/database.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import {
  beginEnrollment,
  challengeOf,
  enrollmentChallenge,
  found,
  foundEnrolled,
  type Person,
} from '../../../factories.ts';
import type { ContractFixture } from '../../fixture.ts';
import { asAdmin, asForeignPage, asNobody, type Cases, crossSite, withoutCookie } from '../case.ts';

const required = 'authentication required';
const noChallenge = 'invalid or expired MFA challenge';
const unknown = { challenge_id: 'x.y', mfa_code: '000000' };

/** A challenge of an enrolled member, and the member. */
async function challenged({ app }: ContractFixture) {
  const person = await foundEnrolled(app);
  return { person, challenge_id: await challengeOf(app, person) };
}

/** A challenge of a member who must enrol, with a right or wrong code. */
const confirming =
  (codeOf: (secret: string) => string) =>
  async ({ app }: ContractFixture) => {
    const challenge_id = await enrollmentChallenge(app);
    return { challenge_id, mfa_code: codeOf(await beginEnrollment(app, challenge_id)) };
  };

const enrolledChallenge = async (fixture: ContractFixture) => ({
  challenge_id: (await challenged(fixture)).challenge_id,
});

/** A request of a new member with only the cookie. */
const byCookie =
  (somebody: (app: ContractFixture['app']) => Promise<Person>, input: Record<string, unknown> = {}) =>
  async ({ app }: ContractFixture) => ({ input, headers: (await somebody(app)).cookie });

export const mfaCases: Cases = {
  'auth.enrollMfa': [
    {
      name: 'by a challenge',
      status: 200,
      ask: asNobody(async ({ app }) => ({ challenge_id: await enrollmentChallenge(app) })),
    },
    { name: 'by the cookie', status: 200, ask: byCookie(found), rpc: withoutCookie(required) },
    { name: 'somebody is enrolled already', status: 409, ask: asNobody(enrolledChallenge) },
    {
      name: 'somebody is enrolled already, by the cookie',
      status: 409,
      ask: byCookie(foundEnrolled),
      rpc: withoutCookie(required),
    },
    { name: 'the challenge is none', status: 401, detail: required, ask: asNobody({ challenge_id: 'x.y' }) },
    { name: 'nobody asks', status: 401, detail: required, ask: asNobody() },
    { name: 'a bearer asks', status: 401, detail: required, ask: asAdmin() },
    { name: 'the challenge is no text', status: 422, ask: asNobody({ challenge_id: 5 }) },
  ],
  'auth.confirmMfa': [
    { name: 'by a challenge', status: 200, ask: asNobody(confirming(totpCode)) },
    {
      name: 'the code is wrong',
      status: 401,
      detail: 'invalid MFA code',
      ask: asNobody(confirming(wrongTotpCode)),
    },
    {
      name: 'nothing waits for confirmation, by the cookie',
      status: 409,
      ask: byCookie(found, { mfa_code: '000000' }),
      rpc: withoutCookie(required),
    },
    {
      name: 'somebody is enrolled already',
      status: 409,
      ask: asNobody(async (fixture) => ({ ...(await enrolledChallenge(fixture)), mfa_code: '000000' })),
    },
    { name: 'the challenge is none', status: 401, detail: required, ask: asNobody(unknown) },
    { name: 'nobody asks', status: 401, detail: required, ask: asNobody({ mfa_code: '000000' }) },
    { name: 'a bearer asks', status: 401, detail: required, ask: asAdmin({ mfa_code: '000000' }) },
    { name: 'the code is missing', status: 422, ask: asNobody() },
    { name: 'another site sends it', status: 403, detail: crossSite, ask: asForeignPage(unknown) },
  ],
  'auth.verifyMfa': [
    {
      name: 'by a code',
      status: 200,
      ask: asNobody(async (fixture) => {
        const { person, challenge_id } = await challenged(fixture);
        return { challenge_id, mfa_code: totpCode(person.secret, 1) };
      }),
    },
    {
      name: 'by a recovery code',
      status: 200,
      ask: asNobody(async (fixture) => {
        const { person, challenge_id } = await challenged(fixture);
        return { challenge_id, mfa_code: person.recoveryCodes[0] };
      }),
    },
    {
      name: 'the code is wrong',
      status: 401,
      detail: 'invalid MFA code',
      ask: asNobody(async (fixture) => {
        const { person, challenge_id } = await challenged(fixture);
        return { challenge_id, mfa_code: wrongTotpCode(person.secret) };
      }),
    },
    {
      name: 'the member’s budget is spent',
      status: 429,
      detail: 'too many MFA attempts',
      ask: asNobody(async (fixture) => {
        const { person, challenge_id } = await challenged(fixture);
        await openSuperuser(fixture.app.superuserUrl)`
          update users set mfa_failed_at = array_fill(now(), array[10]) where user_id = ${person.userId}`;
        return { challenge_id, mfa_code: totpCode(person.secret, 1) };
      }),
    },
    { name: 'the challenge is none', status: 401, detail: noChallenge, ask: asNobody(unknown) },
    { name: 'the challenge is none, whoever asks', status: 401, detail: noChallenge, ask: asAdmin(unknown) },
    { name: 'the code is missing', status: 422, ask: asNobody({ challenge_id: 'x.y' }) },
    { name: 'another site sends it', status: 403, detail: crossSite, ask: asForeignPage(unknown) },
  ],
  'auth.regenerateRecoveryCodes': [
    { name: 'replaces them', status: 200, ask: byCookie(foundEnrolled), rpc: withoutCookie(required) },
    { name: 'no authenticator is enrolled', status: 409, ask: byCookie(found), rpc: withoutCookie(required) },
    {
      name: 'another site’s page sends it with the member’s cookie',
      status: 403,
      detail: crossSite,
      ask: ({ founder }) => ({ headers: { ...founder.cookie, 'sec-fetch-site': 'same-site' } }),
    },
    { name: 'a bearer asks', status: 401, detail: required, ask: asAdmin() },
    { name: 'a challenge asks', status: 401, detail: required, ask: asNobody(enrolledChallenge) },
    { name: 'nobody asks', status: 401, detail: required, ask: asNobody() },
  ],
};
