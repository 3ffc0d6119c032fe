import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { lockMember } from '#server/identity/access/sessions.ts';
import { introspect as introspectAt, passwordGrant, refresh, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { holdOpen, waitingOr } from './held-transactions.ts';

const app = useTestApp({ env });

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});
afterEach(() => void vi.useRealTimers());

/** Sets the clock of this process to `seconds` after (or, if negative, before) the clock of the database. */
const setClock = (seconds: number) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + seconds * 1000);
};
const hour = 3600;

/** Changes the time at which the member's refresh tokens were used to `seconds` earlier. */
const letPass = (seconds: number) => openSuperuser(app.superuserUrl)`
  update tokens set consumed_at = consumed_at - make_interval(secs => ${seconds})
  where user_id = ${member.userId} and consumed_at is not null`;

const introspect = async (token: string) => (await introspectAt(app, token, operator)).body;

const withToken = (accessToken: string): Person => ({
  ...member,
  accessToken,
  bearer: { authorization: `Bearer ${accessToken}` },
});

const reuses = () => eventsOf(app, admin.tenantId, 'refresh_token_reused');

describe('late second uses', () => {
  test('two at the same time end the family, and one of them is in the log', async () => {
    const { body: next } = await refresh(app, member.refreshToken);
    await letPass(11);
    const { tenantId, userId } = member;
    const held = await holdOpen(app, tenantId, (tx) => lockMember(tx, tenantId, userId));
    const both = Promise.all([refresh(app, member.refreshToken), refresh(app, member.refreshToken)]);
    // Both requests have read that the token was used, and wait to end its session.
    await waitingOr(app, 2, both);
    await held.letGo();
    expect((await both).map(({ status }) => status)).toEqual([401, 401]);
    expect(await sessionStatus(app, withToken(next.access_token))).toBe(401);
    expect((await refresh(app, next.refresh_token)).status).toBe(401);
    // Using the token again changes nothing more, and is not logged.
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    expect(await reuses()).toEqual([
      expect.objectContaining({ actor: 'anonymous', details: { user_id: userId } }),
    ]);
  });
});

describe('the ten-second grace after a use is measured by the database’s clock', () => {
  test('a late one ends the family, though this process’s clock is an hour behind', async () => {
    const { body: next } = await refresh(app, member.refreshToken);
    await letPass(11);
    setClock(-hour);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    expect((await refresh(app, next.refresh_token)).status).toBe(401);
    expect(await reuses()).toHaveLength(1);
  });
});

describe('the database’s clock decides when a token expires (A 2.3)', () => {
  test.each([
    ['ahead', 2 * hour],
    ['behind', -2 * hour],
  ])('it is valid once issued, though this process’s clock is two hours %s', async (_, seconds) => {
    setClock(seconds);
    const { body } = await passwordGrant(app, member);
    vi.useRealTimers();
    expect(await sessionStatus(app, withToken(body.access_token))).toBe(200);
    for (const [token, life] of [
      [body.access_token, body.expires_in],
      [body.refresh_token, body.refresh_expires_in],
    ]) {
      const { active, exp } = await introspect(token);
      expect(active).toBe(true);
      expect(Math.abs(exp - (Date.now() / 1000 + life))).toBeLessThan(60);
    }
    const rows = await openSuperuser(app.superuserUrl)`
      select d.expires_at = t.expires_at as same from tokens t
      join credential_directory d on d.credential_hash = t.token_hash where t.user_id = ${member.userId}`;
    expect(rows.map(({ same }) => same)).toEqual([true, true, true, true]);
  });

  test('an expired token is refused, though this process’s clock is behind', async () => {
    const sql = openSuperuser(app.superuserUrl);
    await sql`update tokens set expires_at = now() - interval '1 second' where user_id = ${member.userId}`;
    await sql`update credential_directory d set expires_at = t.expires_at from tokens t
      where t.token_hash = d.credential_hash and t.user_id = ${member.userId}`;
    setClock(-hour);
    expect(await sessionStatus(app, member)).toBe(401);
    expect((await refresh(app, member.refreshToken)).status).toBe(401);
    for (const token of [member.accessToken, member.refreshToken])
      expect((await introspect(token)).active).toBe(false);
  });
});
