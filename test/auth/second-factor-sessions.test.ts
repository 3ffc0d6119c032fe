import { beforeEach, describe, expect, test } from 'vitest';
import { bearer, cookie, found, join, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
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

/** Sets the security policy of the tenant, as its administrator. */
async function demand(policy: object = { mfa_required: true }): Promise<void> {
  const headers = bearer(admin.accessToken);
  const { status } = await app.json('PATCH', '/api/tenants/security', { headers, body: policy });
  expect(status).toBe(200);
}

/** Refreshes the tokens, which must succeed, and returns the new refresh token. */
async function continues(refreshToken: string): Promise<string> {
  const { status, body } = await refresh(app, refreshToken);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.refresh_token;
}

const ends = async (refreshToken: string) =>
  expectRefused(await refresh(app, refreshToken), 401, REFUSED_REFRESH);

const endings = (userId: string) => openSuperuser(app.superuserUrl)`
  select tenant_id, actor_kind, target, details from audit_log
  where action = 'session_ended' and details ->> 'user_id' = ${userId}`;

describe('after a policy change that requires a second factor, a session without one', () => {
  test('cannot refresh: 401, all its tokens end, and the audit log has the reason', async () => {
    const { body: apart } = await signIn(app, member);
    const newest = await continues(member.refreshToken);
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
    // The session has ended completely: the next refresh is rejected in the same way, and adds no second event to the
    // log.
    await ends(newest);
    expect(await endings(member.userId)).toHaveLength(1);
    // Another session of the same member is separate. It ends at its own next refresh.
    expect((await meOf(app, apart.access_token)).status).toBe(200);
    await ends(apart.refresh_token);
  });
});

describe('a session that passed a second factor still refreshes under the policy', () => {
  /** Refreshes several times. Each must succeed, because the session remembers that a second factor was used. */
  async function expectLasting(refreshToken: string): Promise<void> {
    await demand();
    let newest = refreshToken;
    for (let i = 0; i < 3; i++) newest = await continues(newest);
  }

  test('by a code of the authenticator', async () => {
    const { secret } = await enrol(app, member);
    const id = await challengeFor(app.database, member);
    const { body } = await verify(app, id, await freshCode(app, member, secret));
    await expectLasting(body.refresh_token);
  });

  test('by enrolling and confirming at sign-in', async () => {
    await demand();
    const { answer } = await enrolByChallenge(app, await challengeFor(app.database, member));
    await expectLasting(answer.body.token.refresh_token);
  });

  test('by enrolling during the session, also after a reset of the authenticator, which ends no session', async () => {
    await enrol(app, member);
    const path = `/api/auth/users/${member.userId}/mfa/reset`;
    const reset = await app.json('POST', path, { headers: bearer(admin.accessToken) });
    expect(reset.status).toBe(200);
    await expectLasting(member.refreshToken);
  });
});

describe('a member who enrolls opts in to MFA', () => {
  test('the session that enrolled stays valid; one that began with a password alone ends at its next refresh', async () => {
    const { body: other } = await signIn(app, member);
    await enrol(app, member);
    await continues(member.refreshToken);
    await ends(other.refresh_token);
  });

  test('a session without a second factor gets no new recovery codes: 401, and the old ones stay valid', async () => {
    const { body: other } = await signIn(app, member);
    const { recoveryCodes } = await enrol(app, member);
    const refused = await regenerate(app, cookie(other.access_token));
    expectRefused(refused, 401, 'authentication required');
    const passed = await verify(app, await challengeFor(app.database, member), recoveryCodes[0] ?? '');
    expect(passed.status).toBe(200);
    expect((await regenerate(app, cookie(passed.body.access_token))).status).toBe(200);
  });
});

describe('a session by single sign-on', () => {
  test('is exempt, unless the tenant requires a second factor there too', async () => {
    const { invite_token } = (
      await app.json('POST', '/api/tenants/invites', { headers: bearer(admin.accessToken), body: {} })
    ).body;
    const { sub } = account();
    const { body } = await signInBySso(sub, { invite_token });
    await demand({ mfa_required: true });
    const newest = await continues(body.refresh_token);
    await demand({ mfa_required: true, mfa_required_for_sso: true });
    await ends(newest);
    // Without `mfa_required`, the policy for single sign-on has no effect.
    await demand({ mfa_required: false });
    const again = (await signInBySso(sub)).body;
    await continues(again.refresh_token);
  });
});
