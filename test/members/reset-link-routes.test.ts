import { beforeEach, describe, expect, test } from 'vitest';
import { enrol } from '#test/auth/mfa.ts';
import { me, passwordGrant, refresh } from '#test/auth/sign-in.ts';
import { openTeam, operator, operatorKey, type Person, password, type Team } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const origin = 'https://lingualoop.example';
const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey, BASE_URL: origin },
});

const renewed = 'a wholly different passphrase';

let team: Team;
let member: Person;
beforeEach(async () => {
  team = await openTeam(app);
  member = await team.join();
});

const issue = (userId = member.userId, headers = team.admin) =>
  app.json('POST', `/api/auth/users/${userId}/password-reset-link`, { headers });
const tokenOf = async (userId?: string) => String((await issue(userId)).body.reset_token);
const reset = (token: unknown, password: unknown = renewed) =>
  app.json('POST', '/api/auth/password-reset', { body: { reset_token: token, new_password: password } });

const unusable = [401, { detail: 'invalid or expired reset link' }];
async function expectUnusable(token: string) {
  const { status, body } = await reset(token);
  expect([status, body]).toEqual(unusable);
}
const works = async (password: string) =>
  (await passwordGrant(app, member, { password: password })).status === 200;

describe('C 2: POST /api/auth/users/{user_id}/password-reset-link', () => {
  test('returns the token, a link with it only in the fragment, and its expiry', async () => {
    const asked = Date.now();
    const { status, body } = await issue();
    expect(status).toBe(200);
    expect(body).toEqual({
      reset_token: expect.any(String),
      reset_url: expect.any(String),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/),
    });
    const link = new URL(body.reset_url);
    expect(link.origin).toBe(origin);
    expect(decodeURIComponent(link.hash)).toContain(body.reset_token);
    expect(body.reset_url.slice(0, body.reset_url.indexOf('#'))).not.toContain(body.reset_token);
    expect(link.search).toBe('');
    // C 1: PASSWORD_RESET_TTL_SECONDS.
    expect(Math.abs(Date.parse(body.expires_at) - asked - 3_600_000)).toBeLessThan(30_000);
  });

  test('by the operator key too', async () => {
    const { status, body } = await issue(member.userId, operator);
    expect(status).toBe(200);
    expect((await reset(body.reset_token)).status).toBe(200);
  });

  test('each link is different, and the token is not kept', async () => {
    const [first, second] = [await tokenOf(), await tokenOf()];
    expect(first).not.toBe(second);
    expect(second.length).toBeGreaterThanOrEqual(32);
    const rows = await openSuperuser(app.superuserUrl)`select t::text as row from reset_links t`;
    const secret = second.split('.').at(-1) ?? second;
    const forms = [secret, Buffer.from(secret).toString('hex')];
    for (const { row } of rows) for (const form of forms) expect(row).not.toContain(form);
  });
});

describe('C 2: POST /api/auth/password-reset', () => {
  test('the new password works, the old one does not; it signs nobody in', async () => {
    const answer = await reset(await tokenOf());
    expect([answer.status, answer.body]).toEqual([200, { password_reset: true }]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await works(renewed)).toBe(true);
    expect(await works(password)).toBe(false);
  });

  test('every session of that user ends, and nobody else’s', async () => {
    const again = await passwordGrant(app, member);
    const token = await tokenOf();
    expect((await me(app, member.bearer)).status).toBe(200);
    await reset(token);
    const bearers = [member.bearer, { authorization: `Bearer ${again.body.access_token}` }];
    for (const bearer of bearers) {
      const { status, body } = await me(app, bearer);
      expect([status, body.detail]).toEqual([401, 'invalid or expired bearer token']);
    }
    for (const refreshToken of [member.refreshToken, again.body.refresh_token])
      expect((await refresh(app, refreshToken)).status).toBe(401);
    expect((await me(app, team.founder.bearer)).status).toBe(200);
    expect((await refresh(app, team.founder.refreshToken)).status).toBe(200);
  });

  test('the password of the same person in another workspace stays', async () => {
    const elsewhere = await openTeam(app, { email: member.email });
    await reset(await tokenOf());
    expect((await passwordGrant(app, elsewhere.founder)).status).toBe(200);
    expect((await me(app, elsewhere.founder.bearer)).status).toBe(200);
  });

  test('the authenticator is still asked for', async () => {
    await enrol(app, member);
    await reset(await tokenOf());
    const { body } = await passwordGrant(app, member, { password: renewed });
    expect(body).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp' } });
    expect(body.access_token).toBeUndefined();
  });

  test('a link is used once', async () => {
    const token = await tokenOf();
    await reset(token);
    const { status, body } = await reset(token, 'yet another long passphrase');
    expect([status, body]).toEqual(unusable);
    expect(await works(renewed)).toBe(true);
  });

  test('of ten concurrent uses one succeeds, and its password is the one that counts', async () => {
    const token = await tokenOf();
    const passwords = Array.from({ length: 10 }, (_, i) => `a raced passphrase number ${i}`);
    const answers = await Promise.all(passwords.map((password) => reset(token, password)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(401)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    expect(await works(passwords[winner] ?? '')).toBe(true);
  });

  test('each user has one valid link: a second one ends the first', async () => {
    const [first, second] = [await tokenOf(), await tokenOf()];
    await expectUnusable(first);
    expect((await reset(second)).status).toBe(200);
  });

  test('that is one per user, not per workspace', async () => {
    const colleague = await team.join();
    const [hers, his] = [await tokenOf(member.userId), await tokenOf(colleague.userId)];
    expect((await reset(hers)).status).toBe(200);
    expect((await reset(his)).status).toBe(200);
  });

  test('C 1: it ends after PASSWORD_RESET_TTL_SECONDS', async () => {
    const token = await tokenOf();
    await openSuperuser(app.superuserUrl)`
      update reset_links set expires_at = now() - interval '1 second' where user_id = ${member.userId}`;
    await expectUnusable(token);
    expect(await works(password)).toBe(true);
  });

  test('A 4.1: every unusable token gets the same 401', async () => {
    const token = await tokenOf();
    const other = await openTeam(app);
    const [owner = '', ...rest] = token.split('.');
    const forged = [
      `${token}A`,
      token.slice(0, -1),
      'nonsense',
      'a.b',
      '.',
      '%00',
      'é'.repeat(40),
      member.accessToken,
      ...(rest.length > 0
        ? [`${other.tenantId}.${rest.join('.')}`, `${owner}.`, `nobody.${rest.join('.')}`]
        : []),
    ];
    for (const value of forged) await expectUnusable(value);
    expect((await reset(token)).status).toBe(200);
  });
});

describe('C 2: the new password', () => {
  test.each([
    ['fewer than 12 characters', () => 'eleven-char'],
    ['one of the most common', () => 'password1234'],
    ['the local part of the address', () => 'firstname.lastname'],
  ])('%s: 400, and nothing has changed', async (_, password) => {
    const person = await team.join({}, 'firstname.lastname@example.org');
    const token = await tokenOf(person.userId);
    const { status, body } = await reset(token, password());
    expect([status, typeof body.detail]).toEqual([400, 'string']);
    expect((await me(app, person.bearer)).status).toBe(200);
    expect((await passwordGrant(app, person)).status).toBe(200);
    // Nothing happened, so the link may be tried again.
    expect((await reset(token)).status).toBe(200);
  });

  test.each([['seven77'], [''], [12345678901234], [null]])('%j is 422', async (password) => {
    const token = await tokenOf();
    const { status, body } = await reset(token, password);
    expect([status, Array.isArray(body.detail)]).toEqual([422, true]);
    expect((await reset(token)).status).toBe(200);
  });

  test('C 7: a missing field is 422', async () => {
    const bodies = [{}, { reset_token: 'x' }, { new_password: renewed }];
    for (const body of bodies)
      expect((await app.json('POST', '/api/auth/password-reset', { body })).status).toBe(422);
  });
});
