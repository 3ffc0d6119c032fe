import superjson from 'superjson';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type Enrolled,
  type Person as Founder,
  foundEnrolled,
  found as foundMember,
  freshEmail,
  operator,
  operatorKey,
  password,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { totpCode } from '#test/setup/totp.ts';
import { confirm, enroll, MFA_GRANT, regenerate, verify } from './mfa.ts';
import { grant, passwordGrant } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });
const dance = dancing(app, provider);

let founder: Founder;
let enrolled: Enrolled;
beforeEach(async () => {
  founder = await foundMember(app);
  enrolled = await foundEnrolled(app);
});

type Answer = Awaited<ReturnType<typeof app.json>>;

const bearer = () => ({ authorization: `Bearer ${founder.accessToken}` });
const post = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.json('POST', path, { body, headers });
const signUp = (fields = {}) =>
  post('/api/auth/signup/email', { tenant_name: 'x', email: freshEmail(), password, ...fields });

const challengeOf = async () => String((await passwordGrant(app, enrolled)).body.mfa_challenge.challenge_id);
const invited = async (fields = {}) => (await post('/api/tenants/invites', fields, bearer())).body;

/** A challenge of somebody who has to enrol, and has begun to. */
async function enrolling() {
  await app.json('PATCH', '/api/tenants/security', { headers: bearer(), body: { mfa_required: true } });
  const { challenge_id } = (await passwordGrant(app, founder)).body.mfa_challenge;
  const { secret } = (await enroll(app, { challenge_id: challenge_id })).body;
  return { challenge_id, secret };
}

/** Every response that contains a secret: the request, and where the secret is. */
const answers: [string, () => Promise<Answer>, (body: Answer['body']) => unknown][] = [
  ['sign-up', signUp, ({ token, tenant_api_key }) => token.access_token && tenant_api_key],
  [
    'sign-up by an invite',
    async () => signUp({ invite_token: (await invited()).invite_token }),
    ({ token }) => token.refresh_token,
  ],
  ['the password grant', () => passwordGrant(app, founder), (body) => body.access_token],
  [
    'the password grant that leads to a challenge',
    () => passwordGrant(app, enrolled),
    (body) => body.mfa_challenge.challenge_id,
  ],
  [
    'the refresh grant',
    async () => {
      const { refresh_token } = (await passwordGrant(app, founder)).body;
      return grant(app, { grant_type: 'refresh_token', refresh_token });
    },
    (body) => body.refresh_token,
  ],
  [
    'the MFA grant',
    async () =>
      grant(app, {
        grant_type: MFA_GRANT,
        challenge_id: await challengeOf(),
        mfa_code: totpCode(enrolled.secret, 1),
      }),
    (body) => body.access_token,
  ],
  [
    'mfa/verify',
    async () => verify(app, await challengeOf(), totpCode(enrolled.secret, 1)),
    (body) => body.access_token,
  ],
  ['mfa/enroll', () => enroll(app, {}, founder.cookie), (body) => body.secret],
  [
    'mfa/confirm by the cookie',
    async () => {
      const { secret } = (await enroll(app, {}, founder.cookie)).body;
      return confirm(app, { mfa_code: totpCode(secret) }, founder.cookie);
    },
    (body) => body.recovery_codes[0],
  ],
  [
    'mfa/confirm by a challenge',
    async () => {
      const { challenge_id, secret } = await enrolling();
      return confirm(app, { challenge_id: challenge_id, mfa_code: totpCode(secret) });
    },
    (body) => body.token.access_token,
  ],
  ['mfa/recovery/regenerate', () => regenerate(app, enrolled.cookie), (body) => body.recovery_codes[0]],
  [
    'POST /api/tenants/invites',
    () => post('/api/tenants/invites', {}, bearer()),
    (body) => body.invite_token,
  ],
  [
    'password-reset-link',
    () => post(`/api/auth/users/${founder.userId}/password-reset-link`, undefined, bearer()),
    (body) => body.reset_token,
  ],
  ['POST /api/tenants', () => post('/api/tenants', { name: 'x' }, operator), (body) => body.api_key],
  [
    'the callback of a single sign-on',
    () => dance.signIn(account().sub),
    (body) => body.access_token && body.tenant_api_key,
  ],
];

describe('RFC 6749, 5.1: a response that carries a secret says Cache-Control: no-store', () => {
  test.each(answers)('%s', async (_, ask, secretOf) => {
    const { status, headers, body } = await ask();
    expect(status, JSON.stringify(body)).toBe(200);
    expect(secretOf(body)).toEqual(expect.stringMatching(/\S{8}/));
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['members.createInvite', {}, bearer],
    ['members.issueResetLink', () => ({ user_id: founder.userId }), bearer],
    ['tenants.create', { name: 'x' }, () => operator],
  ])('over /trpc too: %s', async (procedure, input, credentials) => {
    const json = typeof input === 'function' ? input() : input;
    const { status, headers } = await post(`/trpc/${procedure}`, superjson.serialize(json), credentials());
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  });
});
