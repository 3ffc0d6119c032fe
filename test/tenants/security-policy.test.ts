import { beforeEach, describe, expect, test } from 'vitest';
import { me, passwordGrant, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, type Headers, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const set = (body: unknown, headers: Headers = admin.bearer, query = '') =>
  app.json('PATCH', `/api/tenants/security${query}`, { headers, body });
async function metadataOf({ tenantId }: Person) {
  const [row] = await openSuperuser(app.superuserUrl)`
    select metadata from tenants where tenant_id = ${tenantId}`;
  return row?.['metadata'];
}

describe('the security policy (A 4.4)', () => {
  test('sets the given fields, leaves the rest, and returns the account; members do not see it', async () => {
    const own = { own: 1, pay_tier: 'pro' };
    await openSuperuser(app.superuserUrl)`
      update tenants set metadata = ${JSON.stringify(own)}::text::jsonb where tenant_id = ${admin.tenantId}`;
    const steps = [
      [{ mfa_required: true }, { ...own, mfa_required: true }],
      [
        { mfa_required_for_sso: true, mfa_required: false },
        { ...own, mfa_required: false, mfa_required_for_sso: true },
      ],
    ];
    for (const [policy, metadata] of steps) {
      const { status, body } = await set(policy);
      expect([status, body.id, body.metadata]).toEqual([200, admin.tenantId, metadata]);
      expect(await metadataOf(admin)).toEqual(metadata);
    }
    const event = { actor: ['member', admin.userId], target: admin.tenantId };
    expect(await eventsOf(app, admin.tenantId, 'security_policy_changed')).toEqual(
      steps.map(([details]) => expect.objectContaining({ ...event, details })),
    );
    const member = await join(app, admin);
    expect((await me(app, member.bearer)).body.tenant.metadata).toEqual({ own: 1 });
  });

  test('applies at the next sign-in; sessions continue', async () => {
    const signIn = async () => (await passwordGrant(app, admin)).body;
    await set({ mfa_required_for_sso: true });
    expect((await signIn()).access_token).toEqual(expect.any(String));
    await set({ mfa_required: true });
    expect(await signIn()).toMatchObject({ mfa_required: true, mfa_challenge: { method: 'totp_enroll' } });
    expect(await sessionStatus(app, admin)).toBe(200);
    await set({ mfa_required: false });
    expect((await signIn()).access_token).toEqual(expect.any(String));
  });

  test.each([{}, { mfa_required: 'true' }, { mfa_required: true, pay_tier: 'studio' }])(
    'accepts booleans under these two names, at least one; else 422: %j',
    async (body) => {
      const answer = await set(body);
      expect([answer.status, answer.body.detail]).toEqual([422, expect.any(Array)]);
      expect(await metadataOf(admin)).toEqual({});
      expect(await eventsOf(app, admin.tenantId, 'security_policy_changed')).toEqual([]);
    },
  );

  test('two concurrent changes lose nothing of each other', async () => {
    await Promise.all([set({ mfa_required: true }), set({ mfa_required_for_sso: true })]);
    expect(await metadataOf(admin)).toEqual({ mfa_required: true, mfa_required_for_sso: true });
  });

  test('an operator must name the workspace', async () => {
    const detail = 'tenant_id query parameter is required for operators';
    for (const headers of [operator, { ...admin.bearer, ...operator }])
      expect(await set({ mfa_required: true }, headers)).toMatchObject({ status: 400, body: { detail } });
    const named = await set({ mfa_required: true }, operator, `?tenant_id=${admin.tenantId}`);
    expect([named.status, named.body.metadata]).toEqual([200, { mfa_required: true }]);
    const events = await eventsOf(app, admin.tenantId, 'security_policy_changed');
    expect(events).toMatchObject([{ actor: 'operator_key' }]);
  });
});
