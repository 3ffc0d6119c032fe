import superjson from 'superjson';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockMember, newFamily, startSession } from '#server/identity/access/sessions.ts';
import { challengeFor } from '#test/auth/mfa.ts';
import { passwordGrant, refresh } from '#test/auth/sign-in.ts';
import { addKey, found, invite, join, type Person } from '#test/factories.ts';
import { refusalOf, type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';
import { byTheServer, env, operateHere, outputOf, waitingForLocks } from './command.ts';

const app = useTestApp({ env });

let admin: Person;
let member: Person;
let apiKey: string;
let limitedKey: string;
beforeEach(async () => {
  admin = await found(app);
  member = await join(app, admin);
  apiKey = (await operateHere(app, ['rotate-key', admin.tenantId])).at(-1) as string;
  limitedKey = (await addKey(app, admin)).api_key;
});

/** The responses to each credential of the tenant, on a route that normally accepts it. */
async function knock() {
  const status = async (path: string, headers: Record<string, string>, body?: unknown) =>
    (await app.json(body ? 'POST' : 'GET', path, { headers, ...(body ? { body } : {}) })).status;
  const text = { source_text: 'Hello', target_lang: 'fr' };
  return {
    key: await status('/api/translations', { 'x-api-key': apiKey }),
    limitedKey: await status('/api/translations', { 'x-api-key': limitedKey }),
    keyAsBearer: await status('/api/translations', { authorization: `Bearer ${apiKey}` }, text),
    keyAtTheTypedDoor: await status(
      '/trpc/translations.create',
      { 'x-api-key': apiKey },
      superjson.serialize(text),
    ),
    token: await status('/api/translations', member.bearer),
    tokenOfTheAdministrator: await status('/api/auth/users', admin.bearer),
    me: await status('/api/auth/me', member.bearer),
    cookie: await status('/api/auth/users', { cookie: `ll_session=${admin.accessToken}` }),
    refresh: (await refresh(app, member.refreshToken)).status,
    password: (await passwordGrant(app, admin)).status,
  };
}

const all = <T>(answers: Record<string, unknown>, value: T) =>
  Object.fromEntries(Object.keys(answers).map((name) => [name, value]));

describe('deactivate-tenant', () => {
  test('rejects each credential from the next request on; reactivation restores the keys and passwords only', async () => {
    const neighbour: Signup = await app.signUp();
    const { invite_token } = await invite(app, admin);
    const isInviteValid = async () =>
      (await app.json('POST', '/api/auth/invites/preview', { body: { invite_token } })).body.valid;
    const before = await knock();
    expect(before).toEqual(all(before, 200));
    await operateHere(app, ['deactivate-tenant', admin.tenantId]);
    expect(await knock()).toEqual(all(before, 401));
    expect(await isInviteValid()).toBe(false);
    const { headers } = neighbour;
    expect((await app.json('GET', '/api/translations', { headers })).status).toBe(200);
    await operateHere(app, ['reactivate-tenant', admin.tenantId]);
    expect(await isInviteValid()).toBe(true);
    expect(await knock()).toEqual({
      ...all(before, 401),
      key: 200,
      limitedKey: 200,
      keyAsBearer: 200,
      keyAtTheTypedDoor: 200,
      password: 200,
    });
  });

  test('ends pending reset links and challenges for good', async () => {
    const { tenantId } = admin;
    const reset = `/api/auth/users/${member.userId}/password-reset-link`;
    const { body: link } = await app.json('POST', reset, { headers: admin.bearer });
    const challenge_id = await challengeFor(app.database, admin);
    await operateHere(app, ['deactivate-tenant', tenantId]);
    await operateHere(app, ['reactivate-tenant', tenantId]);
    const body = { reset_token: link.reset_token, new_password: 'quite another passphrase' };
    const answer = await app.json('POST', '/api/auth/password-reset', { body });
    expect([answer.status, answer.body]).toEqual([401, refusalOf('invalid or expired reset link')]);
    const verified = await app.json('POST', '/api/auth/mfa/verify', {
      body: { challenge_id, mfa_code: '123456' },
    });
    expect([verified.status, verified.body]).toEqual([401, refusalOf('invalid or expired MFA challenge')]);
    const [left] = await openSuperuser(app.superuserUrl)`select
      (select count(*)::int from reset_links where tenant_id = ${tenantId}) as links,
      (select count(*)::int from mfa_challenges where tenant_id = ${tenantId}) as challenges`;
    expect(left).toEqual({ links: 0, challenges: 0 });
    expect((await passwordGrant(app, member)).status).toBe(200);
  });

  test('waits for a sign-in in progress, and ends its session', async () => {
    const { tenantId, userId, email } = member;
    const locked = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const signingIn = app.database.inTenant(tenantId, async (tx) => {
      await lockMember(tx, tenantId, userId);
      locked.resolve();
      await goOn.promise;
      const who = { tenantId, userId, email, provider: 'email', role: 'agent_id_developer' };
      return startSession(tx, who, app.services.settings, newFamily({ secondFactor: false }));
    });
    await locked.promise;
    const deactivated = operateHere(app, ['deactivate-tenant', tenantId]);
    await waitingForLocks(app, 1);
    goOn.resolve();
    const { accessToken } = await signingIn;
    await deactivated;
    await operateHere(app, ['reactivate-tenant', tenantId]);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await app.json('GET', '/api/auth/me', { headers })).status).toBe(401);
  });

  test('deactivation and reactivation are audited; repeating them changes nothing', async () => {
    const { tenantId } = admin;
    await operateHere(app, ['deactivate-tenant', tenantId]);
    const deactivated = await contentsOf(app);
    expect(await outputOf(app, ['deactivate-tenant', tenantId])).toMatchObject([{ changed: false }]);
    expect(await contentsOf(app)).toBe(deactivated);
    await operateHere(app, ['reactivate-tenant', tenantId]);
    const reactivated = await contentsOf(app);
    await operateHere(app, ['reactivate-tenant', tenantId]);
    expect(await contentsOf(app)).toBe(reactivated);
    expect(await eventsOf(app, tenantId, 'tenant_deactivated')).toEqual([
      byTheServer(tenantId, { from: true, to: false }),
    ]);
    expect(await eventsOf(app, tenantId, 'tenant_reactivated')).toEqual([
      byTheServer(tenantId, { from: false, to: true }),
    ]);
  });
});
