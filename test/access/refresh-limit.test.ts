import { beforeEach, describe, expect, test } from 'vitest';
import { passwordGrant, refresh as refreshAt } from '#test/auth/sign-in.ts';
import { found, type Person } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp();

let person: Person;
beforeEach(async () => {
  person = await found(app);
});

const refresh = (refreshToken: string, at = app) => refreshAt(at, refreshToken);

/**
 * Refreshes `times` times, each time with the token from the previous response. Returns the statuses and the last
 * token.
 */
async function refreshTimes(times: number, refreshToken: string, at = app) {
  const statuses: number[] = [];
  let newest = refreshToken;
  for (let i = 0; i < times; i++) {
    const { status, body } = await refresh(newest, at);
    statuses.push(status);
    newest = body.refresh_token ?? newest;
  }
  return { statuses, newest };
}

const ok = (times: number) => Array<number>(times).fill(200);

/** All rows that a refresh changes or inserts. */
async function rowsOf({ userId }: Person) {
  const [row] = await openSuperuser(app.superuserUrl)`
    select count(*)::int as tokens, count(consumed_at)::int as consumed from tokens where user_id = ${userId}`;
  return row;
}

const endWindows = () => openSuperuser(app.superuserUrl)`
  update rate_windows set ends_at = now() where bucket = 'refresh'`;

describe('refreshes of one family are rate-limited, because each leaves rows until they expire', () => {
  test('past 30 in 60 seconds: 429 with Retry-After; the token is not used up, and works after the window', async () => {
    const { statuses, newest } = await refreshTimes(30, person.refreshToken);
    expect(statuses).toEqual(ok(30));
    const before = await rowsOf(person);
    for (let i = 0; i < 2; i++) {
      const { status, headers, body } = await refresh(newest);
      expect([status, body]).toEqual([429, refusalOf(expect.any(String))]);
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect(await rowsOf(person)).toEqual(before);
    await endWindows();
    // In the new window, the complete number of attempts is available.
    expect((await refreshTimes(30, newest)).statuses).toEqual(ok(30));
  });

  test('another sign-in of the same member has its own count', async () => {
    const { body } = await passwordGrant(app, person);
    const { newest } = await refreshTimes(31, person.refreshToken);
    expect((await refresh(newest)).status).toBe(429);
    expect((await refreshTimes(3, body.refresh_token)).statuses).toEqual(ok(3));
  });

  test('refused uses are not counted: used tokens, and all but one of concurrent uses of a token', async () => {
    const { body } = await refresh(person.refreshToken);
    const again = await Promise.all(Array.from({ length: 40 }, () => refresh(person.refreshToken)));
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([401]));
    const atOnce = await Promise.all(Array.from({ length: 40 }, () => refresh(body.refresh_token)));
    const statuses = atOnce.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, ...Array<number>(39).fill(401)]);
    const { refresh_token } = atOnce.find(({ status }) => status === 200)?.body ?? {};
    expect((await refreshTimes(28, refresh_token)).statuses).toEqual(ok(28));
  });
});
