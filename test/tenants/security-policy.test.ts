import { beforeEach, describe, expect, test } from 'vitest';
import { me, passwordGrant, sessionStatus } from '#test/auth/sign-in.ts';
import { env, found, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const set = (body: unknown, headers: Record<string, string> = admin.bearer, query = '') =>
  app.json('PATCH', `/api/tenants/security${query}`, { headers, body });
async function metadataOf({ tenantId }: Person) {
  const [row] = await openSuperuser(app.superuserUrl)`
    select metadata from tenants where tenant_id = ${tenantId}`;
  return row?.['metadata'];
}

describe('A 4.4: PATCH /api/tenants/security', () => {
  test('sets the given fields, leaves the rest, and returns the account', async () => {
    await openSuperuser(app.superuserUrl)`
      update tenants set metadata = '{"own": 1, "pay_tier": "pro"}' where tenant_id = ${admin.tenantId}`;
    const first = await set({ mfa_required: true });
    expect([first.status, first.body]).toEqual([
      200,
      expect.objectContaining({
        id: admin.tenantId,
        metadata: { own: 1, pay_tier: 'pro', mfa_required: true },
      }),
    ]);
    const second = await set({ mfa_required_for_sso: true, mfa_required: false });
    expect(second.body.metadata).toEqual({
      own: 1,
      pay_tier: 'pro',
      mfa_required: false,
      mfa_required_for_sso: true,
    });
    expect(await metadataOf(admin)).toEqual(second.body.metadata);
    expect(await eventsOf(app, admin.tenantId, 'security_policy_changed')).toEqual([
      expect.objectContaining({
        actor: ['member', admin.userId],
        target: admin.tenantId,
        details: { mfa_required: true },
      }),
      expect.objectContaining({ details: { mfa_required: false, mfa_required_for_sso: true } }),
    ]);
  });

  test('A 5.3: applies at the next sign-in; sessions continue', async () => {
    expect((await passwordGrant(app, admin)).body.access_token).toEqual(expect.any(String));
    await set({ mfa_required: true });
    expect((await passwordGrant(app, admin)).body).toMatchObject({
      mfa_required: true,
      mfa_challenge: { method: 'totp_enroll' },
    });
    expect(await sessionStatus(app, admin)).toBe(200);
    await set({ mfa_required: false });
    expect((await passwordGrant(app, admin)).body.access_token).toEqual(expect.any(String));
  });

  test('A 5.3: mfa_required_for_sso alone asks nobody with a password', async () => {
    await set({ mfa_required_for_sso: true });
    expect((await passwordGrant(app, admin)).body.access_token).toEqual(expect.any(String));
  });

  test('A 2.1: plain members never see it', async () => {
    const member = await join(app, admin);
    await set({ mfa_required: true, mfa_required_for_sso: true });
    expect((await me(app, member.bearer)).body.tenant.metadata).toEqual({});
  });

  test.each([
    {},
    { mfa_required: 'true' },
    { mfa_required: 1 },
    { mfa_required: null },
    { mfa_required_for_sso: [] },
    { mfa_requierd: true },
    { mfa_required: true, mfa_enforced: true },
    { mfa_required: true, pay_tier: 'studio' },
    { mfa_required: true, metadata: { pay_tier: 'studio' }, monthly_char_limit: 1, name: 'x' },
  ])('C 7: booleans under these two names, one at least; else 422 and nothing is set: %j', async (body) => {
    const answer = await set(body);
    expect([answer.status, answer.body.detail]).toEqual([422, expect.any(Array)]);
    expect(await metadataOf(admin)).toEqual({});
    expect(await eventsOf(app, admin.tenantId, 'security_policy_changed')).toEqual([]);
  });

  test('two at once lose nothing of each other', async () => {
    await Promise.all([set({ mfa_required: true }), set({ mfa_required_for_sso: true })]);
    expect(await metadataOf(admin)).toEqual({ mfa_required: true, mfa_required_for_sso: true });
  });

  test('an operator must name the tenant', async () => {
    for (const headers of [operator, { ...admin.bearer, ...operator }]) {
      const { status, body } = await set({ mfa_required: true }, headers);
      expect([status, body]).toEqual([
        400,
        { detail: 'tenant_id query parameter is required for operators' },
      ]);
    }
    expect(await metadataOf(admin)).toEqual({});
    const named = await set({ mfa_required: true }, operator, `?tenant_id=${admin.tenantId}`);
    expect([named.status, named.body.metadata]).toEqual([200, { mfa_required: true }]);
    expect(await eventsOf(app, admin.tenantId, 'security_policy_changed')).toEqual([
      expect.objectContaining({ actor: 'operator_key' }),
    ]);
  });

  test('a foreign or unknown tenant is 404, and stays unchanged', async () => {
    const other = await found(app);
    const askers: [Record<string, string>, string][] = [
      [admin.bearer, other.tenantId],
      [admin.cookie, other.tenantId],
      [admin.bearer, 'nobody'],
      [admin.bearer, '*'],
      [operator, 'nobody'],
      [operator, '*'],
    ];
    for (const [headers, tenantId] of askers) {
      const { status, body } = await set({ mfa_required: true }, headers, `?tenant_id=${tenantId}`);
      expect([status, body.detail]).toEqual([404, 'tenant not found']);
    }
    expect(await metadataOf(other)).toEqual({});
    expect(await metadataOf(admin)).toEqual({});
    // In the body it names nothing.
    expect((await set({ mfa_required: true, tenant_id: other.tenantId })).body.id).toBe(admin.tenantId);
  });

  test('is refused to a plain member, to a tenant’s key, and without a credential', async () => {
    const member = await join(app, admin);
    const refused = await set({ mfa_required: true }, member.bearer);
    expect([refused.status, refused.body]).toEqual([403, { detail: 'admin role required' }]);
    expect((await set({ mfa_required: true }, {})).status).toBe(401);
    expect(await metadataOf(admin)).toEqual({});
  });
});
