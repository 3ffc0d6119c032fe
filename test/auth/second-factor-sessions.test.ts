import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type App, bearer, cookie, found, join, type Person } from '#test/factories.ts';
import { startBeside, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { challengeFor, enrol, enrolByChallenge, freshCode, regenerate, verify } from './mfa.ts';
import { expectRefused, introspect, meOf, REFUSED_REFRESH, refresh, signIn } from './sign-in.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env });
const { signIn: signInBySso } = dancing(app, provider);

let admin: Person;
let member: Person;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
});

/** Sets the tenant's security policy, as its administrator. */
async function demand(policy: object = { mfa_required: true }): Promise<void> {
  const headers = bearer(admin.accessToken);
  const { status } = await app.json('PATCH', '/api/tenants/security', { headers, body: policy });
  expect(status).toBe(200);
}

/** Refreshes, and returns the new refresh token. */
async function goesOn(refreshToken: string, at: App = app): Promise<string> {
  const { status, body } = await refresh(at, refreshToken);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.refresh_token;
}

const ends = async (refreshToken: string, at: App = app) =>
  expectRefused(await refresh(at, refreshToken), 401, REFUSED_REFRESH);

const endings = (userId: string) => openSuperuser(app.superuserUrl)`
  select tenant_id, actor_kind, target, details from audit_log
  where action = 'session_ended' and details ->> 'user_id' = ${userId}`;

/** Another application over the same database, with other settings. */
async function beside(settings: Record<string, string>): Promise<App> {
  const other = await startBeside(app, { AUTH_RATE_LIMIT_ENABLED: 'false', ...settings });
  onTestFinished(() => other.close());
  return other;
}

describe('C 7: after a policy change that requires a second factor, a session without one', () => {
  test('cannot refresh: 401, all its tokens end, and the audit log says why', async () => {
    const { body: apart } = await signIn(app, member);
    const newest = await goesOn(member.refreshToken);
    await demand();
    const answer = await refresh(app, newest);
    expectRefused(answer, 401, REFUSED_REFRESH);
    expect((await meOf(app, member.accessToken)).status).toBe(401);
    const { body } = await introspect(app, newest, bearer(admin.accessToken));
    expect(body.active).toBe(false);
    const family = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect([...(await endings(member.userId))]).toEqual([
      {
        tenant_id: admin.tenantId,
        actor_kind: 'anonymous',
        target: family,
        details: { user_id: member.userId, reason: 'second_factor' },
      },
    ]);
    // Nothing is left of it: it is the same refusal, and no second line.
    await ends(newest);
    expect(await endings(member.userId)).toHaveLength(1);
    // Another sign-in of the same member is a family of its own, and ends at its own refresh.
    expect((await meOf(app, apart.access_token)).status).toBe(200);
    await ends(apart.refresh_token);
  });

  test('continues if the policy was taken back before its refresh', async () => {
    await demand();
    await demand({ mfa_required: false });
    await goesOn(member.refreshToken);
  });

  test('continues in another tenant', async () => {
    const stranger = await found(app);
    await demand();
    await goesOn(stranger.refreshToken);
  });

  test('ends if MFA_REQUIRED requires it of everybody', async () => {
    const strict = await beside({ MFA_REQUIRED: 'true' });
    const newest = await goesOn(member.refreshToken);
    await ends(newest, strict);
  });

  test('ends if its member has become a designated operator; other members’ sessions continue', async () => {
    const platform = await beside({ OPERATOR_TENANT_ID: admin.tenantId, OPERATOR_EMAILS: member.email });
    await goesOn(admin.refreshToken, platform);
    await ends(member.refreshToken, platform);
  });

  test('20 refreshes at once end it once', async () => {
    await demand();
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(app, member.refreshToken)));
    for (const answer of answers) expectRefused(answer, 401, REFUSED_REFRESH);
    expect(await endings(member.userId)).toHaveLength(1);
  });

  test('ends, too, if it is from before second factors were recorded', async () => {
    await enrol(app, member);
    await openSuperuser(app.superuserUrl)`
      update tokens set second_factor = default where user_id = ${member.userId}`;
    await demand();
    await ends(member.refreshToken);
  });
});

describe('a session that passed a second factor still refreshes under the policy', () => {
  /** Over several refreshes: a passed second factor is remembered. */
  async function expectLasting(refreshToken: string): Promise<void> {
    await demand();
    let newest = refreshToken;
    for (let i = 0; i < 3; i++) newest = await goesOn(newest);
  }

  test('by a code of the authenticator', async () => {
    const { secret } = await enrol(app, member);
    const id = await challengeFor(app.database, member);
    const { body } = await verify(app, id, await freshCode(app, member, secret));
    await expectLasting(body.refresh_token);
  });

  test('by a recovery code', async () => {
    const { recoveryCodes } = await enrol(app, member);
    const { body } = await verify(app, await challengeFor(app.database, member), recoveryCodes[0] ?? '');
    await expectLasting(body.refresh_token);
  });

  test('by enrolling and confirming at sign-in', async () => {
    await demand();
    const { answer } = await enrolByChallenge(app, await challengeFor(app.database, member));
    await expectLasting(answer.body.token.refresh_token);
  });

  test('by enrolling and confirming during the session', async () => {
    await enrol(app, member);
    await expectLasting(member.refreshToken);
  });

  test('also after a reset of its authenticator, which ends no session', async () => {
    await enrol(app, member);
    const path = `/api/auth/users/${member.userId}/mfa/reset`;
    const reset = await app.json('POST', path, { headers: bearer(admin.accessToken) });
    expect(reset.status).toBe(200);
    await expectLasting(member.refreshToken);
  });
});

describe('C 7: a member who enrolls opts in to MFA', () => {
  test('the session that enrolled stays valid; one that began with a password alone ends at its next refresh', async () => {
    const { body: other } = await signIn(app, member);
    await enrol(app, member);
    await goesOn(member.refreshToken);
    await ends(other.refresh_token);
  });

  test('A 5.3 rule 5: a session without a second factor gets no new recovery codes: 401, and the old ones stay valid', async () => {
    const { body: other } = await signIn(app, member);
    const { recoveryCodes } = await enrol(app, member);
    const refused = await regenerate(app, cookie(other.access_token));
    expectRefused(refused, 401, 'authentication required');
    const passed = await verify(app, await challengeFor(app.database, member), recoveryCodes[0] ?? '');
    expect(passed.status).toBe(200);
    expect((await regenerate(app, cookie(passed.body.access_token))).status).toBe(200);
  });
});

describe('A 5.3 rule 1: a session by single sign-on', () => {
  test('is exempt, unless the tenant requires a second factor there too', async () => {
    const { invite_token } = (
      await app.json('POST', '/api/tenants/invites', { headers: bearer(admin.accessToken), body: {} })
    ).body;
    const { sub } = account();
    const { body } = await signInBySso(sub, { invite_token });
    await demand({ mfa_required: true });
    const newest = await goesOn(body.refresh_token);
    await demand({ mfa_required: true, mfa_required_for_sso: true });
    await ends(newest);
    // C 7: alone it requires nothing.
    await demand({ mfa_required: false });
    const again = (await signInBySso(sub)).body;
    await goesOn(again.refresh_token);
  });
});
