import { beforeEach, describe, expect, test } from 'vitest';
import { programOf } from '#server/http/program.ts';
import { viaRpc } from '#test/contract/call.ts';
import { bearer, env, type Fields, found, type Headers, type Person, resetToken } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { expectTokens, meOf, refresh, signIn } from './sign-in.ts';

const app = useTestApp({ env: { ...env, TRUST_PROXY: '1' } });
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const next = 'another passphrase of some length';

const tell = (name: string, input: Fields, headers: Headers) =>
  viaRpc(app, { path: `auth.${name}`, type: 'mutation' }, { input, headers });
const sessionsOf = async ({ bearer: headers }: Pick<Person, 'bearer'>) =>
  (await viaRpc(app, { path: 'auth.sessions', type: 'query' }, { input: {}, headers })).body.sessions;

let person: Person;
beforeEach(async () => {
  person = await found(app);
});

describe('a change of the own password', () => {
  test('needs the current one or a recent proof, and ends the other sessions and the reset link', async () => {
    const { body: other } = await signIn(app, person);
    const reset_token = await resetToken(app, person);
    await openSuperuser(app.superuserUrl)`
      update tokens set proved_at = now() - interval '601 s' where user_id = ${person.userId}`;
    const refused = await tell('changePassword', { new_password: next }, person.bearer);
    expect([refused.status, refused.body.error_code]).toEqual([403, 'proof_required']);
    const wrong = { current_password: 'a wrong passphrase', new_password: next };
    expect((await tell('changePassword', wrong, person.bearer)).status).toBe(403);
    const common = { current_password: person.password, new_password: 'Password2024!' };
    expect((await tell('changePassword', common, person.bearer)).status).toBe(400);
    expect((await meOf(app, other.access_token)).status).toBe(200);

    const right = { current_password: person.password, new_password: next };
    expect((await tell('changePassword', right, person.bearer)).status).toBe(200);
    expect((await meOf(app, person.accessToken)).status).toBe(200);
    expect((await meOf(app, other.access_token)).status).toBe(401);
    expect((await refresh(app, other.refresh_token)).status).toBe(401);
    expect((await refresh(app, person.refreshToken)).status).toBe(200);
    const body = { reset_token, new_password: 'a third passphrase of some length' };
    expect((await app.json('POST', '/api/auth/password-reset', { body })).status).toBe(401);
    expect((await signIn(app, person)).status).toBe(401);
    expectTokens(await signIn(app, { ...person, password: next }), person);
    const [event] = await openSuperuser(app.superuserUrl)`
      select actor_id from audit_log where action = 'password_changed' and target = ${person.userId}`;
    expect(event?.['actor_id']).toBe(person.userId);
  });
});

describe('the own sessions', () => {
  test('have program, network and times; the member ends one of them, but none of another member', async () => {
    const headers = { 'user-agent': firefox, 'x-forwarded-for': '203.0.113.77' };
    const { body: other } = await signIn(app, person, {}, headers);
    const sessions = await sessionsOf(person);
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toMatchObject({
      is_current: false,
      agent: 'Firefox, Linux',
      network: '203.0.113.0/24',
      last_used_at: expect.stringMatching(/Z$/),
    });
    expect(sessions[1].is_current).toBe(true);

    // A refresh stays the same session, and shows its last program and network.
    const moved = { 'user-agent': 'curl/8.5.0', 'x-forwarded-for': '2001:db8:1:2::3' };
    const { body: refreshed } = await refresh(app, other.refresh_token, {}, moved);
    const [first, ...rest] = await sessionsOf({ bearer: bearer(refreshed.access_token) });
    expect(rest).toHaveLength(1);
    expect(first).toMatchObject({
      ...{ id: sessions[0].id, is_current: true, agent: 'curl/8.5.0', network: '2001:db8:1::/48' },
      signed_in_at: sessions[0].signed_in_at,
    });

    const stranger = await found(app);
    const end = { session_id: first.id };
    expect((await tell('endSession', end, stranger.bearer)).status).toBe(404);
    expect((await tell('endSession', end, person.bearer)).status).toBe(200);
    expect((await meOf(app, refreshed.access_token)).status).toBe(401);
    expect((await refresh(app, refreshed.refresh_token)).status).toBe(401);
    expect((await tell('endSession', end, person.bearer)).status).toBe(404);
    expect(await sessionsOf(person)).toHaveLength(1);
  });

  test.each([
    [firefox, 'Firefox, Linux'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
      'Edge, Windows',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
      'Chrome, Android',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Mobile Safari/604.1',
      'Safari, iOS',
    ],
    ['lingualoop-cli/1.2.0 (a comment)', 'lingualoop-cli/1.2.0'],
    ['<script>', null],
    ['', null],
  ])('the program of %s', (userAgent, program) => {
    expect(programOf(userAgent)).toBe(program);
  });
});
