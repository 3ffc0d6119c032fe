import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, env, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import {
  expectInvalid,
  expectRefused,
  expectTokens,
  grant,
  introspect,
  meOf,
  REFUSED_REFRESH,
  refresh,
  revoke,
  sessionCookie,
  signIn,
} from './sign-in.ts';

const app = useTestApp({ env });

let ada: Person;
beforeEach(async () => {
  ada = await found(app);
});

/** Changes the time at which the member's refresh tokens were used to `seconds` earlier. */
const letPass = (seconds: number, { userId }: Person) => openSuperuser(app.superuserUrl)`
  update tokens set consumed_at = consumed_at - make_interval(secs => ${seconds})
  where user_id = ${userId} and consumed_at is not null`;

/** Uses a refresh token, and returns the new pair. */
async function rotate(refreshToken: string) {
  const { status, body } = await refresh(app, refreshToken);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { access_token: string; refresh_token: string };
}

const expectUnusable = async (refreshToken: string) =>
  expectRefused(await refresh(app, refreshToken), 401, REFUSED_REFRESH);
const isAccepted = async (token: string) => (await meOf(app, token)).status === 200;
const introspected = async (token: string) => (await introspect(app, token, bearer(ada.accessToken))).body;

describe('a refresh (A 3.3)', () => {
  test('uses the token up and issues a pair that is new and works', async () => {
    const answer = await refresh(app, ada.refreshToken, { grant_type: ' Refresh_Token ' });
    expectTokens(answer, ada);
    expect(answer.body.access_token).not.toBe(ada.accessToken);
    expect(answer.body.refresh_token).not.toBe(ada.refreshToken);
    expect(sessionCookie(answer)?.get('ll_session')).toBe(answer.body.access_token);
    expect((await meOf(app, answer.body.access_token)).body.user.user_id).toBe(ada.userId);
    await rotate(answer.body.refresh_token);
    await expectUnusable(ada.refreshToken);
  });

  test('refuses what is no refresh token, or an expired one, and needs one', async () => {
    const wrong = ['nonsense', ada.accessToken, ada.apiKey, "' or ''='", `${ada.refreshToken}x`];
    for (const value of [...wrong, ada.refreshToken.slice(0, -1)]) await expectUnusable(value);
    expectInvalid(await grant(app, { grant_type: 'refresh_token' }), 'refresh_token');
    await openSuperuser(app.superuserUrl)`
      update tokens set expires_at = now() - interval '1 second'
      where user_id = ${ada.userId} and kind = 'refresh_token'`;
    await expectUnusable(ada.refreshToken);
  });

  test('keeps the scope of the used token, unless it names another', async () => {
    const { body } = await signIn(app, ada, { scope: 'one two' });
    const kept = await rotate(body.refresh_token);
    for (const token of [kept.access_token, kept.refresh_token])
      expect((await introspected(token)).scope).toBe('one two');
    const { body: changed } = await refresh(app, kept.refresh_token, { scope: 'three' });
    const next = await rotate(changed.refresh_token);
    for (const token of [changed.access_token, next.access_token])
      expect((await introspected(token)).scope).toBe('three');
  });
});

describe('a second use of a refresh token', () => {
  test('within 10 seconds is refused, and leaves the session alive', async () => {
    const next = await rotate(ada.refreshToken);
    await expectUnusable(ada.refreshToken);
    await letPass(8, ada);
    await expectUnusable(ada.refreshToken);
    expect(await isAccepted(next.access_token)).toBe(true);
    await rotate(next.refresh_token);
  });

  test.each([
    ['the first', 0],
    ['a later', 1],
  ])(
    'later than 10 seconds, of %s generation, ends the whole session and no other; the log has it',
    async (_, which) => {
      const { body: apart } = await signIn(app, ada);
      const second = await rotate(ada.refreshToken);
      const third = await rotate(second.refresh_token);
      await letPass(11, ada);
      const replayed = [ada.refreshToken, second.refresh_token][which] as string;
      const id = `late-${ada.userId}`;
      expectRefused(await refresh(app, replayed, {}, { 'x-request-id': id }), 401, REFUSED_REFRESH);
      for (const token of [ada.accessToken, second.access_token, third.access_token])
        expect(await isAccepted(token)).toBe(false);
      for (const token of [second.refresh_token, third.refresh_token]) await expectUnusable(token);
      expect(await isAccepted(apart.access_token)).toBe(true);
      await rotate(apart.refresh_token);
      expect(await eventsOf(app, ada.tenantId, 'refresh_token_reused')).toEqual([
        expect.objectContaining({ actor: 'anonymous', details: { user_id: ada.userId }, requestId: id }),
      ]);
    },
  );
});

describe('ending tokens (RFC 7009, 2.1)', () => {
  /** Creates a session that was refreshed once. All four tokens are valid, except the first refresh token. */
  async function openFamily() {
    const { body: first } = await signIn(app, ada);
    const second = await rotate(first.refresh_token);
    return {
      usedUp: String(first.refresh_token),
      refreshToken: second.refresh_token,
      earlier: String(first.access_token),
      access: second.access_token,
    };
  }

  /** Returns which tokens of a session are valid. */
  async function validOf({ earlier, access, refreshToken }: Awaited<ReturnType<typeof openFamily>>) {
    return {
      earlier: await isAccepted(earlier),
      access: await isAccepted(access),
      refreshToken: (await introspected(refreshToken)).active,
    };
  }

  const all = { earlier: true, access: true, refreshToken: true };
  const none = { earlier: false, access: false, refreshToken: false };
  const signOut = (options: object) => app.json('POST', '/api/auth/signout', options);

  test.each<[string, 'refreshToken' | 'usedUp', (token: string) => ReturnType<typeof signOut>]>([
    ['revoking', 'refreshToken', (token) => revoke(app, token, bearer(ada.accessToken))],
    ['revoking', 'usedUp', (token) => revoke(app, token, bearer(ada.accessToken))],
    ['signing out', 'refreshToken', (token) => signOut({ body: { refresh_token: token } })],
    ['signing out', 'usedUp', (token) => signOut({ body: { refresh_token: token } })],
  ])('%s by a refresh token (%s) ends the whole session, and no other', async (_, which, end) => {
    const [family, apart] = [await openFamily(), await openFamily()];
    expect(await validOf(family)).toEqual(all);
    expect((await end(family[which])).status).toBe(200);
    expect(await validOf(family)).toEqual(none);
    expect(await validOf(apart)).toEqual(all);
  });

  test.each<[string, (token: string) => ReturnType<typeof signOut>]>([
    ['revoking', (token) => revoke(app, token, bearer(ada.accessToken))],
    ['signing out', (token) => signOut({ headers: { cookie: `ll_session=${token}` } })],
  ])('%s by an access token ends only that token', async (_, end) => {
    const family = await openFamily();
    expect((await end(family.earlier)).status).toBe(200);
    expect(await validOf(family)).toEqual({ ...all, earlier: false });
    await rotate(family.refreshToken);
  });
});

describe('the maximum age of a session, however often it refreshes: three lives of a refresh token', () => {
  const life = 2000;
  const maxAge = 3 * life;
  const brief = useTestApp({ env: { ...env, REFRESH_TOKEN_TTL_SECONDS: String(life) } });
  let ben: Person;
  beforeEach(async () => {
    ben = await found(brief);
  });

  /** Changes the time of the member's sign-in to `seconds` earlier. */
  const letAge = (seconds: number) => openSuperuser(brief.superuserUrl)`
    update tokens set family_began_at = family_began_at - make_interval(secs => ${seconds})
    where user_id = ${ben.userId}`;

  test('no token outlives it: a refresh gets the remaining time, a new sign-in all of it', async () => {
    await letAge(5000);
    const answer = await refresh(brief, ben.refreshToken);
    const { expires_in, refresh_expires_in, access_token, refresh_token } = answer.body;
    expect(refresh_expires_in).toBeLessThanOrEqual(maxAge - 5000);
    expect(refresh_expires_in).toBeGreaterThan(maxAge - 5000 - 300);
    expect(expires_in).toBe(refresh_expires_in);
    expect(sessionCookie(answer)?.get('max-age')).toBe(String(expires_in));
    for (const token of [access_token, refresh_token]) {
      const { body } = await introspect(brief, token, bearer(access_token));
      expect(Math.abs(body.exp - Date.now() / 1000 - expires_in)).toBeLessThan(300);
    }
    const fresh = { expires_in: 3600, refresh_expires_in: life };
    expect((await signIn(brief, ben)).body).toMatchObject(fresh);
  });

  test('past it a refresh is 401, the session ends, and the audit log has the reason', async () => {
    // The token itself would be valid for longer.
    await letAge(maxAge);
    expectRefused(await refresh(brief, ben.refreshToken), 401, REFUSED_REFRESH);
    expect((await meOf(brief, ben.accessToken)).status).toBe(401);
    expect(await eventsOf(brief, ben.tenantId, 'session_ended')).toMatchObject([
      { details: { user_id: ben.userId, reason: 'age' } },
    ]);
  });
});
