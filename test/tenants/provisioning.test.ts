import { describe, expect, test } from 'vitest';
import { env, found, join, operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

const provision = (body: unknown, headers: Record<string, string> = operator) =>
  app.json('POST', '/api/tenants', { headers, body });

describe('A 4.4: POST /api/tenants', () => {
  test('returns the account and its key, which works at once', async () => {
    const { status, body } = await provision({ name: '  Provisioned  ' });
    const { api_key, ...account } = body;
    expect([status, account]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        name: 'Provisioned',
        api_key_prefix: api_key.slice(0, 8),
        monthly_char_limit: 500_000,
        active: true,
        created_at: expect.stringMatching(/Z$/),
        metadata: {},
      },
    ]);
    expect(api_key).toMatch(/^[\w-]{43}$/);
    const headers = { 'x-api-key': api_key };
    expect((await app.json('GET', '/api/translations', { headers })).status).toBe(200);
    expect(await eventsOf(app, account.id, 'tenant_provisioned')).toEqual([
      expect.objectContaining({ actor: 'operator_key', target: account.id, details: {} }),
    ]);
  });

  test('A 2.1: only the key’s hash and eight characters are kept', async () => {
    const { api_key } = (await provision({ name: 'Secretive' })).body;
    const rows = await openSuperuser(app.superuserUrl)`
      select tenants::text as row from tenants union all select credential_directory::text from credential_directory
      union all select audit_log::text from audit_log`;
    expect(rows.length).toBeGreaterThan(2);
    for (const { row } of rows) expect(row).not.toContain(api_key);
  });

  test('C 3, C 7: the limit is not clamped, and platform-owned metadata is kept', async () => {
    const metadata = { pay_tier: 'studio', MFA_Required: true, oidc_org_id: 'org', own: { deep: [1] } };
    const { body } = await provision({ name: 'Large', monthly_char_limit: 2_000_000_000, metadata });
    expect([body.monthly_char_limit, body.metadata]).toEqual([2_000_000_000, metadata]);
    const listed = await app.json('GET', '/api/tenants', { headers: operator });
    expect(listed.body[0]).toMatchObject({ id: body.id, metadata, monthly_char_limit: 2_000_000_000 });
    expect(listed.body[0]).not.toHaveProperty('api_key');
  });

  test.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ name: 5 }, 'name'],
    [{ name: 'A', monthly_char_limit: 0 }, 'monthly_char_limit'],
    [{ name: 'A', monthly_char_limit: 1.5 }, 'monthly_char_limit'],
    [{ name: 'A', monthly_char_limit: '5' }, 'monthly_char_limit'],
    [{ name: 'A', monthly_char_limit: 2_147_483_648 }, 'monthly_char_limit'],
    [{ name: 'A', metadata: 'x' }, 'metadata'],
    [{ name: 'A', metadata: [] }, 'metadata'],
  ])('C 7: an invalid body is 422: %j', async (body, field) => {
    const answer = await provision(body);
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', field] })],
    ]);
  });

  test('A 5.2: only for platform operators', async () => {
    const admin = await found(app);
    const member = await join(app, admin);
    const refused = await provision({ name: 'Not mine' }, admin.bearer);
    expect([refused.status, refused.body]).toEqual([403, { detail: 'tenant provisioning is operator-only' }]);
    const plain = await provision({ name: 'Not mine' }, member.bearer);
    expect([plain.status, plain.body]).toEqual([403, { detail: 'admin role required' }]);
    for (const headers of [{}, { 'x-api-key': 'wrong' }]) {
      const { status, body } = await provision({ name: 'Not mine' }, headers as Record<string, string>);
      expect([status, body]).toEqual([401, { detail: 'admin credentials required' }]);
    }
    const beside = await provision({ name: 'Mine' }, { ...admin.bearer, ...operator });
    expect(beside.status).toBe(200);
    // The session is the actor; the key gives the permission.
    expect(await eventsOf(app, beside.body.id, 'tenant_provisioned')).toEqual([
      expect.objectContaining({ actor: ['member', admin.userId], details: { operator_key: true } }),
    ]);
    const names = await openSuperuser(app.superuserUrl)`select 1 from tenants where name = 'Not mine'`;
    expect(names).toHaveLength(0);
  });
});
