import { beforeEach, describe, expect, test } from 'vitest';
import { found, invite, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';
import { dancing, openIdentityProvider } from './sso-flow.ts';

const { provider, env, account } = await openIdentityProvider();
const app = useTestApp({ env });
const dance = dancing(app, provider);

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
  await openSuperuser(app.superuserUrl)`delete from audit_log where tenant_id = ''`;
});

/** Without a tenant, like every failed sign-in. */
const failures = () => eventsOf(app, '', 'sign_in_failed');

/** A member of the administrator's tenant by single sign-on; its subject and id. */
async function joinBySso() {
  const { sub, email } = account();
  const { invite_token } = await invite(app, admin);
  const { status, body } = await dance.signIn(sub, { invite_token });
  expect(status, JSON.stringify(body)).toBe(200);
  return { sub, email, userId: body.user.user_id as string };
}

async function expectRefusedAndRecorded(sub: string, email: string | null, reason: string, fields = {}) {
  const brought = await dance.bring(sub, fields);
  const { status, body, headers } = await dance.callback(brought, { 'x-request-id': `of-${sub}` });
  expect([status, body, headers.getSetCookie()]).toEqual([403, { detail: reason }, []]);
  expect(await failures()).toEqual([
    {
      actor: 'anonymous',
      target: email,
      details: { way: 'sso', reason },
      address: '127.0.0.1',
      requestId: `of-${sub}`,
    },
  ]);
  const rows = await openSuperuser(app.superuserUrl)`select a::text as row from audit_log a`;
  for (const { row } of rows)
    for (const secret of [brought.code, brought.state]) expect(row).not.toContain(secret);
}

describe('A 6 rule 5: a single sign-on that fails is in the audit log', () => {
  const unverified = 'the identity provider has not verified this email address';
  const revoked = 'access to this workspace was revoked';

  test('for an address that is not verified', async () => {
    const { sub, email } = account({ email: 'Not.Verified@Example.org', email_verified: false });
    await expectRefusedAndRecorded(sub, email.toLowerCase(), unverified);
  });

  test('for a revoked member', async () => {
    const { sub, email, userId } = await joinBySso();
    const path = `/api/auth/users/${userId}`;
    expect((await app.json('DELETE', path, { headers: admin.bearer })).status).toBe(200);
    await expectRefusedAndRecorded(sub, email, revoked);
  });

  test('for a revoked member who brings an invite', async () => {
    const { sub, email, userId } = await joinBySso();
    await app.json('DELETE', `/api/auth/users/${userId}`, { headers: admin.bearer });
    const { invite_token } = await invite(app, admin);
    await expectRefusedAndRecorded(sub, email, revoked, { invite_token });
  });

  test('for somebody of an organization whose workspace asks for an invite', async () => {
    const organization = `organization of ${admin.userId}`;
    const first = account({ org_id: organization });
    expect((await dance.signIn(first.sub)).status).toBe(200);
    const { sub, email } = account({ org_id: organization });
    await expectRefusedAndRecorded(sub, email, 'invitation required');
  });

  test('a successful one is not', async () => {
    const { sub } = await joinBySso();
    expect((await dance.signIn(sub)).status).toBe(200);
    expect(await failures()).toEqual([]);
  });
});
