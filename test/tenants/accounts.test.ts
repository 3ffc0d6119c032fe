import { beforeEach, describe, expect, test } from 'vitest';
import { me } from '#test/auth/sign-in.ts';
import {
  administrator,
  bearer,
  inviting,
  openTeam,
  operator,
  operatorKey,
  type Team,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: operatorKey } });
const PATH = '/api/tenants';

const accountKeys = [
  'active',
  'api_key_prefix',
  'created_at',
  'id',
  'metadata',
  'monthly_char_limit',
  'name',
];

let team: Team;
beforeEach(async () => {
  team = await openTeam(app);
});

const provision = (body: unknown, headers: Record<string, string> = operator) =>
  app.json('POST', PATH, { headers, body });
const list = (headers: Record<string, string>) => app.json('GET', PATH, { headers });
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

describe('C 3: POST /api/tenants', () => {
  test('returns the TenantAccount and api_key, which is shown only here', async () => {
    const { status, body } = await provision({ name: 'Provisioned 翻訳' });
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual([...accountKeys, 'api_key'].toSorted());
    expect(body).toMatchObject({
      name: 'Provisioned 翻訳',
      monthly_char_limit: 500_000,
      active: true,
      metadata: {},
      // A 5.1: 43 characters, URL-safe.
      api_key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      api_key_prefix: body.api_key.slice(0, 8),
    });
    const rows = (await list(operator)).body.filter(({ id }: { id: string }) => id === body.id);
    const { api_key, ...account } = body;
    expect(rows).toEqual([account]);
    expect(JSON.stringify(rows)).not.toContain(api_key);
  });

  test('the key identifies the new tenant', async () => {
    const { body } = await provision({ name: 'Provisioned' });
    for (const headers of [{ 'x-api-key': body.api_key }, bearer(body.api_key)]) {
      const job = await app.json('POST', '/api/translations', {
        headers,
        body: { source_text: 'Hello', target_lang: 'fr' },
      });
      expect([job.status, job.body.request?.metadata.tenant.id]).toEqual([200, body.id]);
    }
  });

  test('its first administrator joins by the operator’s invite', async () => {
    const { body } = await provision({ name: 'Provisioned' });
    const { join } = inviting(app, operator, `?tenant_id=${body.id}`);
    const admin = await join({ role: administrator });
    expect((await me(app, admin.bearer)).body).toMatchObject({
      user: { role: administrator },
      tenant: { id: body.id },
    });
  });

  test('the allowance is not clamped', async () => {
    const limits = [1, 499_999, 2_000_000, 50_000_000];
    for (const limit of limits)
      expect((await provision({ name: 'x', monthly_char_limit: limit })).body.monthly_char_limit).toBe(limit);
  });

  test('C 7: platform-owned metadata keys are kept', async () => {
    const metadata = {
      pay_tier: 'pro',
      trial_chars_granted: 5,
      oidc_org_id: 'acme',
      note: { deep: [1, null] },
    };
    const { body } = await provision({ name: 'x', metadata });
    expect(body.metadata).toEqual(metadata);
  });

  test('two may share a name', async () => {
    const [one, two] = [await provision({ name: 'Twin' }), await provision({ name: 'Twin' })];
    expect(one.body.id).not.toBe(two.body.id);
    expect(one.body.api_key).not.toBe(two.body.api_key);
  });

  test.each([
    [{}],
    [{ name: 7 }],
    [{ name: 'x', monthly_char_limit: 0 }],
    [{ name: 'x', monthly_char_limit: -1 }],
    [{ name: 'x', monthly_char_limit: 1.5 }],
    [{ name: 'x', monthly_char_limit: '9' }],
    [{ name: 'x', metadata: [] }],
    [{ name: 'x', metadata: 'y' }],
  ])('C 7: %j is 422, and creates nothing', async (body) => {
    const before = (await list(operator)).body.length;
    const answer = await provision(body);
    expect([answer.status, Array.isArray(answer.body.detail)]).toEqual([422, true]);
    expect((await list(operator)).body).toHaveLength(before);
  });

  test('A 4.4: an administrator of a tenant gets 403 tenant provisioning is operator-only', async () => {
    for (const headers of [team.admin, team.founder.cookie]) {
      const { status, body } = await provision({ name: 'x' }, headers);
      expect([status, body]).toEqual([403, { detail: 'tenant provisioning is operator-only' }]);
    }
  });

  test('A 5.2: a plain member gets 403 admin role required; a tenant API key and no credential 401', async () => {
    const member = await team.join();
    const refused = await provision({ name: 'x' }, member.bearer);
    expect([refused.status, refused.body.detail]).toEqual([403, 'admin role required']);
    for (const headers of [{ 'x-api-key': team.apiKey }, bearer(team.apiKey), bearer('wrong'), {}]) {
      const { status, body } = await provision({ name: 'x' }, headers);
      expect([status, body.detail]).toEqual([401, 'admin credentials required']);
    }
  });
});

describe('A 4.4: GET /api/tenants', () => {
  test('the operator sees all, with their fields', async () => {
    const other = await openTeam(app, { metadata: { colour: 'blue' } });
    for (const headers of [operator, bearer(operatorKey)]) {
      const { status, body } = await list(headers);
      expect(status).toBe(200);
      expect(idsOf(body)).toEqual(expect.arrayContaining([team.tenantId, other.tenantId]));
      for (const row of body) expect(Object.keys(row).toSorted()).toEqual(accountKeys);
      const row = body.find(({ id }: { id: string }) => id === other.tenantId);
      expect(row).toMatchObject({ metadata: { colour: 'blue' }, active: true });
      for (const secret of [team.apiKey, other.apiKey]) expect(JSON.stringify(body)).not.toContain(secret);
    }
  });

  test('an administrator sees their own', async () => {
    await openTeam(app);
    for (const headers of [team.admin, team.founder.cookie]) {
      const { status, body } = await list(headers);
      expect([status, idsOf(body)]).toEqual([200, [team.tenantId]]);
      expect(Object.keys(body[0]).toSorted()).toEqual(accountKeys);
    }
  });

  test('A 5.2: a plain member gets 403, a tenant API key and nobody 401', async () => {
    const member = await team.join();
    expect((await list(member.bearer)).body.detail).toBe('admin role required');
    for (const headers of [{ 'x-api-key': team.apiKey }, bearer(team.apiKey), {}]) {
      const { status, body } = await list(headers);
      expect([status, body.detail]).toEqual([401, 'admin credentials required']);
    }
  });
});
