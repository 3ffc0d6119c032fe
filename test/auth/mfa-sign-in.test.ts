import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, cookie, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import {
  type Authenticator,
  challengeFor,
  confirm,
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

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let ada: Person;
let hers: Authenticator;
beforeEach(async () => {
  ada = await found(app);
  hers = await enrol(app, ada);
});

const challenge = (of: Person = ada) => challengeFor(app.database, of);

/** The two ways of sending a code. */
const ways = [
  ['the MFA grant', (id: string, code: string) => mfaGrant(app, id, code)],
  ['/api/auth/mfa/verify', (id: string, code: string) => verify(app, id, code)],
] as const;

describe.each(ways)('A 3.4: %s', (_name, send) => {
  test('takes the current code: tokens, and the cookie that holds them', async () => {
    const answer = await send(await challenge(), await freshCode(app, ada, hers.secret));
    expectTokens(answer, ada);
    expect(answer.body.scope).toBe('translate:jobs');
    expect((await meOf(app, answer.body.access_token)).body.user.role).toBe('global_administrator');
    const set = sessionCookie(answer);
    expect(set?.get('ll_session')).toBe(answer.body.access_token);
    expect(set?.has('httponly')).toBe(true);
    expect(set?.get('max-age')).toBe('3600');
  });

  test('takes a recovery code, once', async () => {
    const code = hers.recoveryCodes[0] ?? '';
    expectTokens(await send(await challenge(), code), ada);
    expectRefused(await send(await challenge(), code), 401);
    expectTokens(await send(await challenge(), hers.recoveryCodes[1] ?? ''), ada);
  });

  test('refuses a wrong code with 401; the challenge stays pending', async () => {
    const id = await challenge();
    const wrong = [
      wrongTotpCode(hers.secret),
      'aaaaa-aaaaa',
      '12345',
      'nonsense',
      '0'.repeat(1000),
      '١٢٣٤٥٦',
    ];
    for (const code of wrong.slice(0, 4)) {
      const answer = await send(id, code);
      expectRefused(answer, 401);
      expect(answer.body.detail).not.toContain(code);
    }
    expectTokens(await send(id, await freshCode(app, ada, hers.secret)), ada);
    for (const code of wrong.slice(4)) {
      const { status } = await send(await challenge(), code);
      expect([401, 422]).toContain(status);
    }
  });

  test('consumes the challenge', async () => {
    const id = await challenge();
    expectTokens(await send(id, await freshCode(app, ada, hers.secret)), ada);
    for (const code of [hers.recoveryCodes[0] ?? '', await freshCode(app, ada, hers.secret)])
      expectRefused(await send(id, code), 401, REFUSED_CHALLENGE);
  });

  test('refuses an unknown challenge', async () => {
    const [other, secret] = [await found(app), (await challenge()).split('.')[1]];
    for (const id of [
      'nonsense',
      ada.accessToken,
      ada.refreshToken,
      ada.tenantId,
      "' or ''='",
      'x'.repeat(500),
      `${ada.tenantId}.${'a'.repeat(43)}`,
      `${other.tenantId}.${secret}`,
      `*.${secret}`,
      `.${secret}`,
    ])
      expectRefused(await send(id, await freshCode(app, ada, hers.secret)), 401, REFUSED_CHALLENGE);
  });

  test('refuses an expired one', async () => {
    const id = await challenge();
    await openSuperuser(app.superuserUrl)`
      update mfa_challenges set expires_at = now() - interval '1 second' where user_id = ${ada.userId}`;
    const code = await freshCode(app, ada, hers.secret);
    expectRefused(await send(id, code), 401, REFUSED_CHALLENGE);
    // Its code is not used up.
    expectTokens(await send(await challenge(), code), ada);
  });

  test('C 2: accepts a code once per time step and person, whatever the challenge', async () => {
    const code = await freshCode(app, ada, hers.secret);
    expectTokens(await send(await challenge(), code), ada);
    const id = await challenge();
    expectRefused(await send(id, code), 401);
    expectTokens(await send(id, totpCode(hers.secret, 1)), ada);
    // Nor an older one that was never used.
    expectRefused(await send(await challenge(), totpCode(hers.secret)), 401);
  });

  test('of 12 concurrent submissions of one code exactly one succeeds', async () => {
    const ids = [];
    for (let i = 0; i < 12; i += 1) ids.push(await challenge());
    const code = await freshCode(app, ada, hers.secret);
    const answers = await Promise.all(ids.map((id) => send(id, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 401, 429]).toContain(status);
  });

  test('of 12 concurrent recovery codes for one challenge one signs in', async () => {
    const id = await challenge();
    const answers = await Promise.all(hers.recoveryCodes.map((code) => send(id, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('works only for the person who gave the password', async () => {
    const ben = await join(app, ada);
    const his = await enrol(app, ben);
    const id = await challenge();
    for (const code of [await freshCode(app, ben, his.secret), his.recoveryCodes[0] ?? ''])
      expectRefused(await send(id, code), 401);
    // A code that belongs to another member is not used up.
    expectTokens(await send(await challenge(ben), his.recoveryCodes[0] ?? ''), ben);
  });

  test('A 3.2: refuses a member who was revoked meanwhile', async () => {
    const ben = await join(app, ada);
    const his = await enrol(app, ben);
    const id = await challenge(ben);
    await app.json('DELETE', `/api/auth/users/${ben.userId}`, { headers: bearer(ada.accessToken) });
    expectRefused(await send(id, await freshCode(app, ben, his.secret)), 401);
  });

  test.each(['users', 'tenants'])('A 3.2: refuses a member without access (%s)', async (table) => {
    const id = await challenge();
    const sql = openSuperuser(app.superuserUrl);
    await sql.unsafe(`update ${table} set active = false where tenant_id = $1`, [ada.tenantId]);
    expectRefused(await send(id, await freshCode(app, ada, hers.secret)), 401, REFUSED_CHALLENGE);
  });
});

test('C 2: the code that confirmed the enrollment is used up', async () => {
  const ben = await join(app, ada);
  const { body } = await enroll(app, {}, cookie(ben.accessToken));
  const code = totpCode(body.secret);
  expect((await confirm(app, { mfa_code: code }, cookie(ben.accessToken))).status).toBe(200);
  expectRefused(await verify(app, await challenge(ben), code), 401);
});

test('A 4.3: the grant type is trimmed and lowercased', async () => {
  const answer = await grant(app, {
    grant_type: ` ${MFA_GRANT.toUpperCase()} `,
    challenge_id: await challenge(),
    mfa_code: hers.recoveryCodes[0] ?? '',
  });
  expectTokens(answer, ada);
});

test('C 7: the password step returns a challenge, without tokens or a cookie; its scope is the tokens’', async () => {
  const asked = await passwordGrant(app, ada, { scope: 'translate:read' });
  expect(asked.status).toBe(200);
  expect(asked.body).toEqual({
    mfa_required: true,
    mfa_challenge: { challenge_id: expect.any(String), method: 'totp', expires_in: 600 },
    next: { oauth2_token: '/api/oauth2/token', mfa_verify: '/api/auth/mfa/verify' },
  });
  expect(asked.headers.get('set-cookie')).toBe(null);
  const { challenge_id } = asked.body.mfa_challenge;
  const { body } = await verify(app, challenge_id, await freshCode(app, ada, hers.secret));
  expect(body.scope).toBe('translate:read');
});

test('A 4.3: a scope is recorded on the tokens', async () => {
  const code = hers.recoveryCodes[0] ?? '';
  const { body } = await mfaGrant(app, await challenge(), code, { scope: 'of its own' });
  expect(body.scope).toBe('of its own');
  for (const token of [body.access_token, body.refresh_token])
    expect((await introspect(app, token, bearer(ada.accessToken))).body.scope).toBe('of its own');
});

test.each(['challenge_id', 'mfa_code'])('without %s: 422 that names it', async (field) => {
  const fields = { challenge_id: await challenge(), mfa_code: '123456' };
  const { [field]: _, ...rest }: Record<string, string> = fields;
  expectInvalid(await grant(app, { grant_type: MFA_GRANT, ...rest }), field);
  expectInvalid(await app.json('POST', '/api/auth/mfa/verify', { body: rest }), field);
});

test('A 5.3 rule 2: a challenge to enrol does not accept a code', async () => {
  await app.json('PATCH', '/api/tenants/security', {
    headers: bearer(ada.accessToken),
    body: { mfa_required: true },
  });
  const ben = await found(app);
  await app.json('PATCH', '/api/tenants/security', {
    headers: bearer(ben.accessToken),
    body: { mfa_required: true },
  });
  for (const [, send] of ways) {
    const id = await challenge(ben);
    expectRefused(await send(id, '123456'), 401);
    // A code of an unconfirmed secret is not accepted either.
    const { body } = await enroll(app, { challenge_id: id });
    expectRefused(await send(id, totpCode(body.secret)), 401);
  }
  expect((await meOf(app, ben.accessToken)).body.user.totp_enrolled).toBe(false);
});

test('neither a challenge nor a code is a credential', async () => {
  const id = await challenge();
  expect((await meOf(app, id)).status).toBe(401);
  expect((await app.json('GET', '/api/translations', { headers: { 'x-api-key': id } })).status).toBe(401);
});
