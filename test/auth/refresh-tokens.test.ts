import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, found, join, openSession, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  expectInvalid,
  expectRefused,
  expectTokens,
  grant,
  introspect,
  meOf,
  REFUSED_REFRESH,
  refresh,
  sessionCookie,
  signIn,
} from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

let ada: Person;
beforeEach(async () => {
  ada = await found(app);
});

/** Moves the use of the person's refresh tokens `seconds` into the past. */
const letPass = (seconds: number, { userId }: Person) => openSuperuser(app.superuserUrl)`
  update tokens set consumed_at = consumed_at - make_interval(secs => ${seconds})
  where user_id = ${userId} and consumed_at is not null`;

/** Uses the refresh token, and returns the new pair. */
async function rotate(refreshToken: string) {
  const { status, body } = await refresh(app, refreshToken);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as { access_token: string; refresh_token: string };
}

const expectUnusable = async (refreshToken: string) =>
  expectRefused(await refresh(app, refreshToken), 401, REFUSED_REFRESH);

const scopeOf = async (token: string) => (await introspect(app, token, bearer(ada.accessToken))).body.scope;

describe('A 3.3: a refresh token is consumed, a new pair issued', () => {
  test('the response is the same token response, with a pair that is new and works', async () => {
    const answer = await refresh(app, ada.refreshToken);
    expectTokens(answer, ada);
    expect(answer.body.access_token).not.toBe(ada.accessToken);
    expect(answer.body.refresh_token).not.toBe(ada.refreshToken);
    expect((await meOf(app, answer.body.access_token)).body.user.user_id).toBe(ada.userId);
    await rotate(answer.body.refresh_token);
    // The rules do not say whether it sets the cookie; it sets no other one.
    const set = sessionCookie(answer)?.get('ll_session');
    expect([undefined, answer.body.access_token]).toContain(set);
  });

  test('C 7: consumed, it returns 401', async () => {
    await rotate(ada.refreshToken);
    await expectUnusable(ada.refreshToken);
  });

  test('C 7: unknown, it returns 401; neither an access token nor a key is one', async () => {
    for (const value of ['nonsense', ada.accessToken, ada.apiKey, ada.tenantId, "' or ''='", 'x'.repeat(500)])
      await expectUnusable(value);
    await expectUnusable(`${ada.refreshToken}x`);
    await expectUnusable(ada.refreshToken.slice(0, -1));
    await rotate(ada.refreshToken);
  });

  test('C 7: expired, it returns 401', async () => {
    await openSuperuser(app.superuserUrl)`
      update tokens set expires_at = now() - interval '1 second'
      where user_id = ${ada.userId} and kind like '%refresh%'`;
    await expectUnusable(ada.refreshToken);
  });

  test('without one: 422', async () => {
    expectInvalid(await grant(app, { grant_type: 'refresh_token' }), 'refresh_token');
  });

  test('the grant type is trimmed and lowercased', async () => {
    expectTokens(await refresh(app, ada.refreshToken, { grant_type: ' Refresh_Token ' }), ada);
  });
});

describe('A 4.3: the scope of a refresh', () => {
  test('if omitted, it stays that of the consumed token', async () => {
    const { body } = await signIn(app, ada, { scope: 'one two' });
    const next = await refresh(app, body.refresh_token);
    expect(next.body.scope).toBe('one two');
    for (const token of [next.body.access_token, next.body.refresh_token])
      expect(await scopeOf(token)).toBe('one two');
  });

  test('if given, it is recorded and kept from then on', async () => {
    const { body } = await refresh(app, ada.refreshToken, { scope: 'three' });
    expect(body.scope).toBe('three');
    expect(await scopeOf(body.access_token)).toBe('three');
    const next = await rotate(body.refresh_token);
    expect(await scopeOf(next.access_token)).toBe('three');
  });
});

describe('C 7: a second use', () => {
  test('within 10 seconds is refused, and leaves the family alive', async () => {
    const next = await rotate(ada.refreshToken);
    await expectUnusable(ada.refreshToken);
    await letPass(8, ada);
    await expectUnusable(ada.refreshToken);
    expect((await meOf(app, next.access_token)).status).toBe(200);
    await rotate(next.refresh_token);
  });

  test('later than 10 seconds ends the whole family, access tokens included', async () => {
    const second = await rotate(ada.refreshToken);
    const third = await rotate(second.refresh_token);
    await letPass(11, ada);
    expect((await meOf(app, third.access_token)).status).toBe(200);
    await expectUnusable(ada.refreshToken);
    for (const token of [ada.accessToken, second.access_token, third.access_token])
      expect((await meOf(app, token)).status).toBe(401);
    for (const token of [second.refresh_token, third.refresh_token]) await expectUnusable(token);
  });

  test('even of an earlier generation', async () => {
    const second = await rotate(ada.refreshToken);
    const third = await rotate(second.refresh_token);
    await letPass(11, ada);
    await expectUnusable(second.refresh_token);
    expect((await meOf(app, third.access_token)).status).toBe(401);
    await expectUnusable(third.refresh_token);
  });

  test('other sign-ins of the same person are not affected', async () => {
    const { body: apart } = await signIn(app, ada);
    await rotate(ada.refreshToken);
    await letPass(11, ada);
    await expectUnusable(ada.refreshToken);
    expect((await meOf(app, apart.access_token)).status).toBe(200);
    await rotate(apart.refresh_token);
  });

  test('a late one is audited, under its request', async () => {
    await rotate(ada.refreshToken);
    await letPass(11, ada);
    const id = `late-${ada.userId}`;
    await refresh(app, ada.refreshToken, {}, { 'x-request-id': id });
    const rows = await openSuperuser(app.superuserUrl)`
      select tenant_id, t::text as row from audit_log t where request_id = ${id}`;
    expect(rows.map((row) => row['tenant_id'])).toEqual([ada.tenantId]);
    expect(rows[0]?.['row']).not.toContain(ada.refreshToken);
  });
});

describe('which members may refresh', () => {
  test('A 3.2: a revoked member may not, nor may they with the old tokens once restored', async () => {
    const member = await join(app, ada);
    const headers = bearer(ada.accessToken);
    expect((await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers })).status).toBe(200);
    await expectUnusable(member.refreshToken);
    expect((await meOf(app, member.accessToken)).status).toBe(401);
    await app.json('POST', `/api/auth/users/${member.userId}/restore`, { headers });
    // Signed out everywhere at once, not only after the restoration.
    await expectUnusable(member.refreshToken);
    expect((await meOf(app, member.accessToken)).status).toBe(401);
  });

  test('C 7: the role is read anew; introspection shows the role at each token’s issuance', async () => {
    const member = await join(app, ada);
    const headers = bearer(ada.accessToken);
    const changed = await app.json('PATCH', `/api/auth/users/${member.userId}/role`, {
      headers,
      body: { role: 'global_administrator' },
    });
    expect(changed.status).toBe(200);
    const next = await rotate(member.refreshToken);
    expect((await meOf(app, next.access_token)).body.user.role).toBe('global_administrator');
    expect((await introspect(app, member.accessToken, headers)).body.role).toBe('agent_id_developer');
    expect((await introspect(app, next.access_token, headers)).body.role).toBe('global_administrator');
  });
});

describe('concurrent refreshes', () => {
  test('20 uses of one token give exactly one pair, which works', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(app, ada.refreshToken)));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const answer of answers) if (answer !== won[0]) expectRefused(answer, 401, REFUSED_REFRESH);
    const { access_token, refresh_token } = won[0]!.body;
    expect((await meOf(app, access_token)).status).toBe(200);
    await rotate(refresh_token);
  });

  test('of 20 different tokens do not interfere', async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => openSession(app, ada)));
    const answers = await Promise.all(sessions.map(({ refreshToken }) => refresh(app, refreshToken)));
    expect(answers.map(({ status }) => status)).toEqual(sessions.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(20);
  });
});
