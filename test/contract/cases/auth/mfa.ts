import { openSuperuser } from '#test/setup/database.ts';
import { totpCode } from '#test/setup/totp.ts';
import {
  beginEnrollment,
  challengeOf,
  enrollmentChallenge,
  found,
  foundEnrolled,
  type Person,
} from '../../../factories.ts';
import type { ContractFixture } from '../../fixture.ts';
import { asNobody, type Cases, withoutCookie } from '../case.ts';

const required = 'authentication required';

/** Starts a sign-in of a member with an authenticator. Returns the member and the challenge. */
async function challenged({ app }: ContractFixture) {
  const person = await foundEnrolled(app);
  return { person, challenge_id: await challengeOf(app, person) };
}

/**
 * Starts a sign-in of a member who must set up an authenticator. Returns the challenge and a code, which may be right
 * or wrong.
 */
const confirming =
  (codeOf: (secret: string) => string) =>
  async ({ app }: ContractFixture) => {
    const challenge_id = await enrollmentChallenge(app);
    return { challenge_id, mfa_code: codeOf(await beginEnrollment(app, challenge_id)) };
  };

/** A request of a new member with the session cookie as its only credential. */
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
  ],
  'auth.confirmMfa': [
    { name: 'by a challenge', status: 200, ask: asNobody(confirming(totpCode)) },
    {
      name: 'nothing waits for confirmation, by the cookie',
      status: 409,
      ask: byCookie(found, { mfa_code: '000000' }),
      rpc: withoutCookie(required),
    },
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
  ],
  'auth.regenerateRecoveryCodes': [
    { name: 'replaces them', status: 200, ask: byCookie(foundEnrolled), rpc: withoutCookie(required) },
  ],
};
