import type postgres from 'postgres';
import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, found, join, openSession, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { poll } from '#test/setup/poll.ts';
import {
  expectInvalid,
  expectRefused,
  expectTokens,
  introspect,
  meOf,
  REFUSED_REFRESH,
  refresh,
} from './sign-in.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const key = 'k'.repeat(16);
const otherKey = 'o'.repeat(16);

let ada: Person;
let sql: ReturnType<typeof openSuperuser>;
beforeEach(async () => {
  ada = await found(app);
  sql = openSuperuser(app.superuserUrl);
});

/** Changes the time at which the member's refresh tokens were used to `seconds` earlier. */
const letPass = (seconds: number) => sql`
  update tokens set consumed_at = consumed_at - make_interval(secs => ${seconds})
  where user_id = ${ada.userId} and consumed_at is not null`;

interface Pair {
  access_token: string;
  refresh_token: string;
}

/** Refreshes the tokens, which must succeed, and returns the new pair. */
async function renew(token: string, retryKey?: string): Promise<Pair> {
  const answer = await refresh(app, token, retryKey === undefined ? {} : { retry_key: retryKey });
  expectTokens(answer, ada);
  return answer.body;
}

const expectUnusable = async (token: string, retryKey?: string) =>
  expectRefused(
    await refresh(app, token, retryKey === undefined ? {} : { retry_key: retryKey }),
    401,
    REFUSED_REFRESH,
  );

const signedIn = async ({ access_token }: Pair) => (await meOf(app, access_token)).status === 200;

/** Whether a connection of the application waits for a lock or is in a transaction. */
const busy = async (lock: postgres.ISql = sql) =>
  (
    await lock`select 1 from pg_stat_activity a left join pg_locks l on l.pid = a.pid and not l.granted
      where a.datname = current_database() and a.pid <> pg_backend_pid()
        and (l.pid is not null or a.state <> 'idle')`
  ).length > 0;

describe('a refresh that is repeated with its retry_key', () => {
  test('gives a new pair for the life of the token, and revokes the pair of the earlier use', async () => {
    const lost = await renew(ada.refreshToken, key);
    const second = await renew(ada.refreshToken, key);
    expect([await signedIn(lost), await signedIn(second)]).toEqual([false, true]);
    await letPass(20 * 86_400);
    const third = await renew(ada.refreshToken, key);
    expect([await signedIn(second), await signedIn(third)]).toEqual([false, true]);
    // The session continues, and its next refresh needs no retry key.
    expect(await signedIn(await renew(third.refresh_token))).toBe(true);
  });

  test('keeps the scope, the age and the tokens of earlier refreshes', async () => {
    const earlier = await renew(ada.refreshToken);
    await sql`update tokens set family_began_at = now() - interval '80 days' where user_id = ${ada.userId}`;
    await refresh(app, earlier.refresh_token, { retry_key: key, scope: 'one two' });
    const { body } = await refresh(app, earlier.refresh_token, { retry_key: key, scope: 'one two' });
    expect(body.scope).toBe('one two');
    expect(body.refresh_expires_in).toBeLessThanOrEqual(10 * 86_400);
    expect(await signedIn(earlier)).toBe(true);
  });

  test('ten times at the same time: every response is a pair, and exactly one of them is valid', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refresh(app, ada.refreshToken, { retry_key: key })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const valid = [];
    for (const { body } of answers) if (await signedIn(body)) valid.push(body);
    expect(valid).toHaveLength(1);
    expect(await signedIn(await renew(valid[0].refresh_token))).toBe(true);
    const ended = await sql`select 1 from audit_log where tenant_id = ${ada.tenantId}
      and action in ('refresh_token_reused', 'session_ended')`;
    expect(ended).toHaveLength(0);
  });

  test('with another key or none, or of a use without one: 401 within 10 s, after that the session ends', async () => {
    for (const [used, wrong] of [
      [key, otherKey],
      [key, undefined],
      [undefined, key],
    ]) {
      const { refreshToken } = await openSession(app, ada);
      const pair = await renew(refreshToken, used);
      await expectUnusable(refreshToken, wrong);
      expect(await signedIn(pair)).toBe(true);
      await letPass(11);
      await expectUnusable(refreshToken, wrong);
      expect(await signedIn(pair)).toBe(false);
      await expectUnusable(refreshToken, used);
    }
  });

  test('after the new pair was refreshed it is a second use by someone else: the whole session ends', async () => {
    const pair = await renew(ada.refreshToken, key);
    const next = await renew(pair.refresh_token, otherKey);
    await expectUnusable(ada.refreshToken, key);
    expect(await signedIn(next)).toBe(true);
    await letPass(11);
    await expectUnusable(ada.refreshToken, key);
    expect(await signedIn(next)).toBe(false);
    await expectUnusable(next.refresh_token);
  });

  test('a use of the refresh token that a repeat revoked ends the whole session immediately', async () => {
    const lost = await renew(ada.refreshToken, key);
    const next = await renew(ada.refreshToken, key);
    expect((await introspect(app, lost.refresh_token, bearer(next.access_token))).body.active).toBe(false);
    await expectUnusable(lost.refresh_token);
    expect(await signedIn(next)).toBe(false);
  });

  test('needs what a refresh needs: an active member, a session that is not too old, the factor of the policy', async () => {
    const member = await join(app, ada);
    await refresh(app, member.refreshToken, { retry_key: key });
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: bearer(ada.accessToken) });
    await expectUnusable(member.refreshToken, key);

    const { refreshToken: old } = await openSession(app, ada);
    await renew(old, key);
    await sql`update tokens set family_began_at = now() - interval '91 days' where user_id = ${ada.userId}`;
    await expectUnusable(old, key);

    const { refreshToken: weak } = await openSession(app, ada);
    const pair = await renew(weak, key);
    await sql`update tenants set metadata = metadata || '{"mfa_required": true}' where tenant_id = ${ada.tenantId}`;
    await expectUnusable(weak, key);
    expect(await signedIn(pair)).toBe(false);
  });
});

describe('a retry_key', () => {
  test.each(['k'.repeat(15), 'k'.repeat(129), `${'k'.repeat(16)} `])(
    '%j is 422, and uses nothing up',
    async (wrong) => {
      expectInvalid(await refresh(app, ada.refreshToken, { retry_key: wrong }), 'retry_key');
      await renew(ada.refreshToken);
    },
  );

  test.each(['k'.repeat(128), 'AZaz09-._~AZaz09'])('%s is accepted', async (good) => {
    await renew(ada.refreshToken, good);
    await renew(ada.refreshToken, good);
  });
});

test('a refresh whose client has disconnected before its turn uses nothing up and revokes nothing', async () => {
  const pair = await renew(ada.refreshToken, key);
  const gone = new AbortController();
  await sql.begin(async (lock) => {
    await lock`select 1 from users where user_id = ${ada.userId} for update`;
    const late = fetch(`${app.address}/api/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: ada.refreshToken,
        retry_key: key,
      }),
      signal: gone.signal,
    });
    await poll(() => busy(lock));
    gone.abort();
    await expect(late).rejects.toThrow();
    // The service handles a later request over the loopback address only after it has seen that the earlier one was
    // aborted.
    await app.request('/healthz');
  });
  await poll(async () => !(await busy()));
  expect(await signedIn(pair)).toBe(true);
});
