import superjson from 'superjson';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  bearer as bearerOf,
  cookie,
  type Person as Founder,
  foundEnrolled,
  found as foundMember,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import { auditOf } from '#test/setup/stored-rows.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import { challengeFor, confirm, enroll, failuresOf, verify } from './mfa.ts';
import { passwordGrant } from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let founder: Founder;
beforeEach(async () => {
  founder = await foundMember(app);
});

const challenge = (member: Founder = founder) => challengeFor(app.database, member);

async function pendingSecret(headers: Record<string, string> = founder.cookie): Promise<string> {
  return (await enroll(app, {}, headers)).body.secret;
}

async function isEnrolled({ accessToken }: Founder): Promise<boolean> {
  const { body } = await app.json('GET', '/api/auth/me', {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  return body.user.totp_enrolled;
}

const notAuthenticated = { status: 401, body: { detail: 'authentication required' } };
const wrongCode = { status: 401, body: { detail: 'invalid MFA code' } };
const noChallenge = { status: 401, body: { detail: 'invalid or expired MFA challenge' } };

describe('C 2: enrolling', () => {
  test('returns a base32 secret, its key URI and a picture of that', async () => {
    const { status, body } = await enroll(app, {}, founder.cookie);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['otpauth_uri', 'qr_code', 'secret']);
    expect(body.secret).toMatch(/^[A-Z2-7]{32}$/);
    const uri = new URL(body.otpauth_uri);
    expect(decodeURIComponent(uri.pathname)).toBe(`/LinguaLoop:${founder.email}`);
    expect(uri.searchParams.get('secret')).toBe(body.secret);
    expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
    expect(uri.searchParams.get('digits') ?? '6').toBe('6');
    expect(uri.searchParams.get('period') ?? '30').toBe('30');
    expect(uri.searchParams.get('algorithm') ?? 'SHA1').toBe('SHA1');
    const [, base64] = /^data:image\/svg\+xml;base64,(.+)$/.exec(body.qr_code) ?? [];
    const svg = Buffer.from(base64 ?? '', 'base64').toString();
    expect(svg).toMatch(/^<svg .*<\/svg>$/s);
    expect(svg).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    // Not confirmed yet: a sign-in asks for no code.
    expect(await isEnrolled(founder)).toBe(false);
    expect((await passwordGrant(app, founder)).body.access_token).toEqual(expect.any(String));
  });

  test('A 3.4: by a challenge, the confirmation completes the sign-in, with cookie and tokens', async () => {
    const id = await challenge();
    const { body } = await enroll(app, { challenge_id: id });
    const confirmed = await confirm(app, { challenge_id: id, mfa_code: totpCode(body.secret) });
    expect(confirmed.status).toBe(200);
    expect(confirmed.body).toMatchObject({
      enrolled: true,
      token: { token_type: 'bearer', scope: 'translate:jobs', user: { user_id: founder.userId } },
    });
    const { access_token: accessToken } = confirmed.body.token;
    expect(confirmed.headers.get('set-cookie')).toContain(`ll_session=${accessToken};`);
    expect(await isEnrolled({ ...founder, accessToken })).toBe(true);
    // The challenge is consumed.
    expect(await confirm(app, { challenge_id: id, mfa_code: totpCode(body.secret, 1) })).toMatchObject(
      notAuthenticated,
    );
    expect(await verify(app, id, totpCode(body.secret, 1))).toMatchObject(noChallenge);
  });

  test('by a session it returns no tokens, and sets no cookie', async () => {
    expect((await confirm(app, {}, founder.cookie)).status).toBe(422);
    const { status, body, headers } = await confirm(
      app,
      { mfa_code: totpCode(await pendingSecret()) },
      founder.cookie,
    );
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['enrolled', 'recovery_codes']);
    expect(headers.get('set-cookie')).toBe(null);
    expect(await isEnrolled(founder)).toBe(true);
  });

  test('A 5.3 rule 5: ten different recovery codes, xxxxx-xxxxx', async () => {
    const { recoveryCodes } = await foundEnrolled(app);
    expect(new Set(recoveryCodes).size).toBe(10);
    for (const code of recoveryCodes) expect(code).toMatch(/^[2-9a-hjkmnp-z]{5}-[2-9a-hjkmnp-z]{5}$/);
  });

  test('again before the confirmation replaces the secret', async () => {
    const [first, second] = [await pendingSecret(), await pendingSecret()];
    const others = await pendingSecret((await foundMember(app)).cookie);
    expect(new Set([first, second, others]).size).toBe(3);
    for (const secret of [first, others])
      expect(await confirm(app, { mfa_code: totpCode(secret) }, founder.cookie)).toMatchObject(wrongCode);
    expect((await confirm(app, { mfa_code: totpCode(second) }, founder.cookie)).status).toBe(200);
  });

  test('the code that confirmed it is used up, and passes no challenge', async () => {
    const secret = await pendingSecret();
    const code = totpCode(secret);
    await confirm(app, { mfa_code: code }, founder.cookie);
    const id = await challenge();
    expect(await verify(app, id, code)).toMatchObject(wrongCode);
    expect((await verify(app, id, totpCode(secret, 1))).status).toBe(200);
  });

  test('C 2: a member who is enrolled already: 409, and the authenticator stays', async () => {
    const member = await foundEnrolled(app);
    const taken = {
      status: 409,
      body: { detail: 'an authenticator is already enrolled; ask an administrator to reset it' },
    };
    expect(await enroll(app, {}, member.cookie)).toMatchObject(taken);
    // Nor by the password alone.
    const asked = { challenge_id: await challenge(member) };
    expect(await enroll(app, asked)).toMatchObject(taken);
    const confirmed = await confirm(app, { ...asked, mfa_code: totpCode(member.secret, 1) });
    expect([confirmed.status, confirmed.headers.get('set-cookie')]).toEqual([409, null]);
    const { body: list } = await app.json('GET', '/api/auth/users', { headers: member.bearer });
    expect(list).toMatchObject([{ user_id: member.userId, totp_enrolled: true }]);
    expect(await confirm(app, { mfa_code: totpCode(member.secret, 1) }, member.cookie)).toMatchObject(taken);
    expect((await verify(app, await challenge(member), totpCode(member.secret, 1))).status).toBe(200);
  });

  test('a confirmation without an enrollment is 409, and is not counted as a failure', async () => {
    expect(await confirm(app, { mfa_code: '123456' }, founder.cookie)).toMatchObject({
      status: 409,
      body: { detail: 'no pending enrollment; enroll first' },
    });
    expect(await failuresOf(app.superuserUrl, founder)).toBe(0);
    expect(await isEnrolled(founder)).toBe(false);
  });
});

describe('A 5.2 "Challenge or cookie"', () => {
  test('no other credential: 401', async () => {
    const { bearer, key, apiKey, refreshToken } = founder;
    for (const headers of [{}, bearer, key, bearerOf(apiKey), cookie('unknown'), cookie(refreshToken)]) {
      expect(await enroll(app, {}, headers)).toMatchObject(notAuthenticated);
      expect(await confirm(app, { mfa_code: '123456' }, headers)).toMatchObject(notAuthenticated);
    }
  });

  test('a challenge that is not pending is 401, with or without a cookie beside it', async () => {
    const pending = await challenge();
    const expired = await challenge();
    await openSuperuser(app.superuserUrl)`
      update mfa_challenges set expires_at = clock_timestamp()
      where tenant_id = ${founder.tenantId} and challenge_hash = sha256(${expired.split('.')[1] as string}::bytea)`;
    const neighbour = await foundMember(app);
    const secret = pending.split('.')[1];
    const unusable = [
      '',
      'unknown',
      expired,
      `${founder.tenantId}.${'a'.repeat(43)}`,
      `${neighbour.tenantId}.${secret}`,
      `*.${secret}`,
    ];
    for (const id of unusable) {
      expect(await enroll(app, { challenge_id: id }, founder.cookie)).toMatchObject(notAuthenticated);
      expect(await confirm(app, { challenge_id: id, mfa_code: '123456' }, founder.cookie)).toMatchObject(
        notAuthenticated,
      );
    }
    expect((await enroll(app, { challenge_id: pending })).status).toBe(200);
  });

  test.each([
    ['a revoked member', 'users', false],
    ['an inactive workspace', 'tenants', false],
  ])('%s has no pending challenge', async (_, table) => {
    const id = await challenge();
    await openSuperuser(app.superuserUrl).unsafe(`update ${table} set active = false where tenant_id = $1`, [
      founder.tenantId,
    ]);
    expect(await enroll(app, { challenge_id: id })).toMatchObject(notAuthenticated);
    expect(await verify(app, id, '123456')).toMatchObject(noChallenge);
    expect(await enroll(app, {}, founder.cookie)).toMatchObject(notAuthenticated);
  });

  test('a challenge whose five codes were used cannot enrol', async () => {
    const id = await challenge();
    await openSuperuser(app.superuserUrl)`
      update mfa_challenges set codes_submitted = 5 where tenant_id = ${founder.tenantId}`;
    expect(await enroll(app, { challenge_id: id })).toMatchObject(notAuthenticated);
  });

  test('a challenge for a code cannot enrol either, after the authenticator was reset', async () => {
    const member = await foundEnrolled(app);
    const id = await challenge(member);
    await openSuperuser(
      app.superuserUrl,
    )`update users set totp_secret = null where user_id = ${member.userId}`;
    expect(await enroll(app, { challenge_id: id })).toMatchObject(notAuthenticated);
    expect(await verify(app, id, totpCode(member.secret, 1))).toMatchObject(wrongCode);
  });
});

describe('a challenge for an enrollment', () => {
  test('is passed by no code while its member has no authenticator', async () => {
    const id = await challenge();
    const { secret } = (await enroll(app, { challenge_id: id })).body;
    expect(await verify(app, id, totpCode(secret))).toMatchObject(wrongCode);
    expect(await verify(app, id, 'aaaaa-aaaaa')).toMatchObject(wrongCode);
    expect(await isEnrolled(founder)).toBe(false);
  });

  test('ends when the member enrols by another one', async () => {
    const other = await challenge();
    await confirm(app, { mfa_code: totpCode(await pendingSecret()) }, founder.cookie);
    expect(await enroll(app, { challenge_id: other })).toMatchObject(notAuthenticated);
    expect(await verify(app, other, '123456')).toMatchObject(noChallenge);
  });

  test('of two concurrent enrollments one secret wins, and only its codes work', async () => {
    const [one, two] = [await challenge(), await challenge()];
    await enroll(app, { challenge_id: one });
    const { secret } = (await enroll(app, { challenge_id: two })).body;
    const code = totpCode(secret);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        confirm(app, { challenge_id: index % 2 ? one : two, mfa_code: code }),
      ),
    );
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    expect(winner?.body.recovery_codes).toHaveLength(10);
    for (const answer of answers.filter((each) => each !== winner))
      expect(answer).toMatchObject(notAuthenticated);
    const codes = await openSuperuser(app.superuserUrl)`
      select from recovery_codes where user_id = ${founder.userId}`;
    expect(codes).toHaveLength(10);
  });
});

test('of concurrent confirmations by a session one enrols, and one set of recovery codes is valid', async () => {
  const code = totpCode(await pendingSecret());
  const sql = openSuperuser(app.superuserUrl);
  // Held until several requests wait for the member's row, so that they are really concurrent.
  const all = await openSuperuser(app.superuserUrl).begin(async (held) => {
    await held`select from users where user_id = ${founder.userId} for update`;
    const sent = Array.from({ length: 12 }, () => confirm(app, { mfa_code: code }, founder.cookie));
    await poll(async () => {
      const waiting = await sql`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return waiting.length >= 3;
    });
    return { sent };
  });
  const answers = await Promise.all(all.sent);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)]);
  expect(await sql`select from recovery_codes where user_id = ${founder.userId}`).toHaveLength(10);
});

describe('A 5.3 rules 3 and 4: codes sent to the confirmation', () => {
  test('count per challenge; the sixth burns it, and is not a failure', async () => {
    const id = await challenge();
    const { secret } = (await enroll(app, { challenge_id: id })).body;
    for (let sent = 0; sent < 5; sent += 1)
      expect(await confirm(app, { challenge_id: id, mfa_code: wrongTotpCode(secret) })).toMatchObject(
        wrongCode,
      );
    expect(await confirm(app, { challenge_id: id, mfa_code: totpCode(secret) })).toMatchObject(noChallenge);
    expect(await confirm(app, { challenge_id: id, mfa_code: totpCode(secret) })).toMatchObject(
      notAuthenticated,
    );
    expect(await failuresOf(app.superuserUrl, founder)).toBe(5);
    expect(await isEnrolled(founder)).toBe(false);
  });

  test('count per member, with or without a challenge', async () => {
    const secret = await pendingSecret();
    for (let sent = 0; sent < 10; sent += 1)
      expect(await confirm(app, { mfa_code: wrongTotpCode(secret) }, founder.cookie)).toMatchObject(
        wrongCode,
      );
    const refused = { status: 429, body: { detail: 'too many MFA attempts' } };
    expect(await confirm(app, { mfa_code: totpCode(secret) }, founder.cookie)).toMatchObject(refused);
    expect(await confirm(app, { challenge_id: await challenge(), mfa_code: totpCode(secret) })).toMatchObject(
      refused,
    );
    expect(await isEnrolled(founder)).toBe(false);
  });
});

test('secrets and recovery codes cannot be read in the database or in the audit log', async () => {
  const pending = await pendingSecret();
  const member = await foundEnrolled(app);
  const used = member.recoveryCodes[0] as string;
  const id = await challenge(member);
  expect((await verify(app, id, used)).status).toBe(200);

  const sql = openSuperuser(app.superuserUrl);
  const rows = await Promise.all([
    sql`select u::text as row, totp_secret, totp_pending_secret from users u`,
    sql`select r::text as row from recovery_codes r`,
    sql`select c::text as row from mfa_challenges c`,
    sql`select a::text as row from audit_log a`,
  ]);
  const stored = rows.flat().map(({ row }) => String(row).toLowerCase());
  const secrets = [pending, member.secret, id, id.split('.')[1] as string, ...member.recoveryCodes];
  for (const secret of secrets)
    for (const form of [secret, secret.replace('-', ''), hexOf(secret)])
      expect(stored.filter((row) => row.includes(form.toLowerCase()))).toEqual([]);
  for (const secret of [pending, member.secret])
    expect(stored.filter((row) => row.includes(base32Hex(secret)))).toEqual([]);

  expect(await auditOf(app.superuserUrl, member)).toEqual(
    expect.arrayContaining([
      { action: 'mfa_enrolled', actor: 'member', details: {} },
      { action: 'recovery_code_used', actor: 'member', details: { left: 9 } },
      { action: 'signed_in', actor: 'member', details: { way: 'mfa' } },
    ]),
  );
});

test('C 7: another site’s page confirms nothing', async () => {
  const id = await challenge();
  const { secret } = (await enroll(app, { challenge_id: id })).body;
  const foreign = { 'sec-fetch-site': 'cross-site' };
  expect((await confirm(app, { challenge_id: id, mfa_code: totpCode(secret) }, foreign)).status).toBe(403);
  expect((await verify(app, id, totpCode(secret), foreign)).status).toBe(403);
  expect((await confirm(app, { challenge_id: id, mfa_code: totpCode(secret) })).status).toBe(200);
});

test('C 7: on /trpc the challenge counts, and the cookie does not', async () => {
  const call = (input: object) =>
    app.json('POST', '/trpc/auth.enrollMfa', { body: superjson.serialize(input), headers: founder.cookie });
  expect((await call({})).status).toBe(401);
  const { status, body } = await call({ challenge_id: await challenge() });
  expect(status).toBe(200);
  expect(body.result.data.json.secret).toMatch(/^[A-Z2-7]{32}$/);
});

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

/** The bytes of a base32 text, in hex. */
function base32Hex(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...text].map((char) => alphabet.indexOf(char).toString(2).padStart(5, '0')).join('');
  return (bits.match(/.{4}/g) ?? []).map((nibble) => Number.parseInt(nibble, 2).toString(16)).join('');
}
