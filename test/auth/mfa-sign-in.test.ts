import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, type Enrolled, env, found, foundEnrolled, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import {
  challengeFor,
  enrol,
  enroll,
  freshCode,
  MFA_GRANT,
  mfaGrant,
  REFUSED_CHALLENGE,
  verify,
} from './mfa.ts';
import {
  expectInvalid,
  expectRefused,
  expectTokens,
  grant,
  introspect,
  meOf,
  passwordGrant,
  sessionCookie,
} from './sign-in.ts';

const app = useTestApp({ env });

let ada: Enrolled;
beforeEach(async () => {
  ada = await foundEnrolled(app);
});

const challenge = (of: Person = ada) => challengeFor(app.database, of);
const code = () => freshCode(app, ada, ada.secret);

/** The two ways to send a code. */
const ways = [
  ['the MFA grant', (id: string, code: string) => mfaGrant(app, id, code)],
  ['/api/auth/mfa/verify', (id: string, code: string) => verify(app, id, code)],
] as const;

describe.each(ways)('a code by %s (A 3.4)', (_name, send) => {
  test('completes the sign-in: tokens, and the cookie that holds them; the challenge is used up', async () => {
    const id = await challenge();
    const answer = await send(id, await code());
    expectTokens(answer, ada);
    expect(answer.body.scope).toBe('translate:jobs');
    expect((await meOf(app, answer.body.access_token)).body.user.role).toBe('global_administrator');
    expect(sessionCookie(answer)?.get('ll_session')).toBe(answer.body.access_token);
    for (const again of [ada.recoveryCodes[0] ?? '', await code()])
      expectRefused(await send(id, again), 401, REFUSED_CHALLENGE);
    // A recovery code is accepted, too.
    expectTokens(await send(await challenge(), ada.recoveryCodes[0] ?? ''), ada);
  });

  test('that is wrong is 401; the challenge stays pending', async () => {
    const id = await challenge();
    for (const wrong of [wrongTotpCode(ada.secret), 'aaaaa-aaaaa', 'nonsense', '١٢٣٤٥٦']) {
      const answer = await send(id, wrong);
      expectRefused(answer, 401, 'invalid MFA code');
      expect(answer.body.detail).not.toContain(wrong);
    }
    expectTokens(await send(id, await code()), ada);
    const fields = { challenge_id: await challenge(), mfa_code: '123456' };
    for (const field of ['challenge_id', 'mfa_code']) {
      const { [field]: _, ...rest }: Record<string, string> = fields;
      expectInvalid(await grant(app, { grant_type: MFA_GRANT, ...rest }), field);
      expectInvalid(await app.json('POST', '/api/auth/mfa/verify', { body: rest }), field);
    }
  });
});

describe('a challenge', () => {
  test('that is unknown or expired is refused, and uses no code up', async () => {
    const [other, id] = [await found(app), await challenge()];
    const [secret, right] = [id.split('.')[1], await code()];
    const forged = [
      ...['nonsense', ada.accessToken, ada.tenantId, "' or ''='", 'x'.repeat(500), `*.${secret}`],
      ...[`${ada.tenantId}.${'a'.repeat(43)}`, `${other.tenantId}.${secret}`],
    ];
    for (const unknown of forged) expectRefused(await verify(app, unknown, right), 401, REFUSED_CHALLENGE);
    await openSuperuser(app.superuserUrl)`
      update mfa_challenges set expires_at = now() - interval '1 second' where user_id = ${ada.userId}`;
    expectRefused(await verify(app, id, right), 401, REFUSED_CHALLENGE);
    expectTokens(await verify(app, await challenge(), right), ada);
  });

  test.each(['users', 'tenants'])('is refused after a revocation or deactivation (%s)', async (table) => {
    const id = await challenge();
    const sql = openSuperuser(app.superuserUrl);
    await sql.unsafe(`update ${table} set active = false where tenant_id = $1`, [ada.tenantId]);
    expectRefused(await verify(app, id, await code()), 401, REFUSED_CHALLENGE);
    const enrolling = await enroll(app, { challenge_id: id });
    expectRefused(enrolling, 401, 'authentication required');
  });

  test('accepts only codes of the person who gave the password, whose own stay usable', async () => {
    const ben = await join(app, ada);
    const his = await enrol(app, ben);
    const id = await challenge();
    for (const foreign of [await freshCode(app, ben, his.secret), his.recoveryCodes[0] ?? ''])
      expectRefused(await verify(app, id, foreign), 401);
    expectTokens(await verify(app, await challenge(ben), his.recoveryCodes[0] ?? ''), ben);
  });

  test('for an enrollment accepts no code, not even of the unconfirmed secret', async () => {
    const ben = await found(app);
    const id = await challenge(ben);
    const { body } = await enroll(app, { challenge_id: id });
    for (const wrong of ['123456', totpCode(body.secret), 'aaaaa-aaaaa'])
      expectRefused(await verify(app, id, wrong), 401, 'invalid MFA code');
    expect((await meOf(app, ben.accessToken)).body.user.totp_enrolled).toBe(false);
  });
});

test.each<[string, () => Promise<string[]>, () => Promise<string[]>]>([
  [
    'one code, each to its own challenge',
    () => Promise.all(Array.from({ length: 10 }, () => challenge())),
    async () => [await code()],
  ],
  [
    'one recovery code, likewise',
    () => Promise.all(Array.from({ length: 10 }, () => challenge())),
    async () => ada.recoveryCodes.slice(0, 1),
  ],
  ['several codes to one challenge', async () => [await challenge()], async () => ada.recoveryCodes],
])('of concurrent submissions of %s, exactly one succeeds', async (_, challengesOf, codesOf) => {
  const [ids, codes] = [await challengesOf(), await codesOf()];
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      verify(app, ids[i % ids.length] ?? '', codes[i % codes.length] ?? ''),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('the scope of the tokens is the one of the grant, or else of the password step', async () => {
  const asked = await passwordGrant(app, ada, { scope: 'translate:read' });
  expect(asked.body).toEqual({
    mfa_required: true,
    mfa_challenge: { challenge_id: expect.any(String), method: 'totp', expires_in: 600 },
    next: { oauth2_token: '/api/oauth2/token', mfa_verify: '/api/auth/mfa/verify' },
  });
  const { challenge_id } = asked.body.mfa_challenge;
  expect((await verify(app, challenge_id, await code())).body.scope).toBe('translate:read');
  const fields = { grant_type: ` ${MFA_GRANT.toUpperCase()} `, scope: 'another' };
  const { body } = await mfaGrant(app, await challenge(), ada.recoveryCodes[0] ?? '', fields);
  for (const token of [body.access_token, body.refresh_token])
    expect((await introspect(app, token, bearer(ada.accessToken))).body.scope).toBe('another');
});
