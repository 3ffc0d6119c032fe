import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, found, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import {
  expectRefused,
  introspect,
  meOf,
  REFUSED_REFRESH,
  refresh,
  sessionCookie,
  signIn,
} from './sign-in.ts';

const maxAge = 5000;
const app = useTestApp({
  env: { AUTH_RATE_LIMIT_ENABLED: 'false', SESSION_MAX_AGE_SECONDS: String(maxAge) },
});

let ada: Person;
beforeEach(async () => {
  ada = await found(app);
});

/** Moves the person's sign-in `seconds` into the past. */
const letPass = (seconds: number) => openSuperuser(app.superuserUrl)`
  update tokens set family_began_at = family_began_at - make_interval(secs => ${seconds})
  where user_id = ${ada.userId}`;

describe('SESSION_MAX_AGE_SECONDS: the absolute age of a session, however often it refreshes', () => {
  test('no token outlives it, and the response states each token’s lifetime', async () => {
    const answer = await signIn(app, ada);
    expect(answer.body).toMatchObject({ expires_in: 3600, refresh_expires_in: maxAge });
    const [row] = await openSuperuser(app.superuserUrl)`
      select max(extract(epoch from expires_at - family_began_at))::float8 as age from tokens
      where user_id = ${ada.userId}`;
    expect(row?.['age']).toBeLessThanOrEqual(maxAge);
  });

  test('a refresh does not extend it: access token and cookie get the remaining time', async () => {
    await letPass(4000);
    const answer = await refresh(app, ada.refreshToken);
    expect(answer.status).toBe(200);
    const { expires_in, refresh_expires_in, access_token, refresh_token } = answer.body;
    expect(refresh_expires_in).toBeLessThanOrEqual(maxAge - 4000);
    expect(refresh_expires_in).toBeGreaterThan(maxAge - 4000 - 300);
    expect(expires_in).toBe(refresh_expires_in);
    expect(sessionCookie(answer)?.get('max-age')).toBe(String(expires_in));
    for (const token of [access_token, refresh_token]) {
      const { body } = await introspect(app, token, bearer(access_token));
      expect(Math.abs(body.exp - Date.now() / 1000 - expires_in)).toBeLessThan(300);
    }
  });

  test('past it, a refresh is 401, the session ends, and the audit log says why', async () => {
    // As after the setting was lowered: the token itself would be good for longer.
    await letPass(maxAge);
    expectRefused(await refresh(app, ada.refreshToken), 401, REFUSED_REFRESH);
    expect((await meOf(app, ada.accessToken)).status).toBe(401);
    const rows = await openSuperuser(app.superuserUrl)`
      select details from audit_log where action = 'session_ended' and tenant_id = ${ada.tenantId}`;
    expect([...rows]).toEqual([{ details: { user_id: ada.userId, reason: 'age' } }]);
  });

  test('a new sign-in starts a new age', async () => {
    await letPass(4000);
    expect((await signIn(app, ada)).body.refresh_expires_in).toBe(maxAge);
  });
});
