import { beforeAll, describe, expect, test } from 'vitest';
import { apiKey, bearer } from '#test/factories.ts';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { askingAt, LIST, OPERATOR_KEY } from './two-tenants.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', OPERATOR_API_KEY: OPERATOR_KEY } });

let ana: Signup;
let ben: Signup;
beforeAll(async () => {
  ana = await app.signUp({ tenant_name: 'Ana' });
  ben = await app.signUp({ tenant_name: 'Ben' });
});

const { submit, whose, expectRefused } = askingAt(app);

describe('A 5.1 rule 1, C 7: when both headers are present', () => {
  test('of two keys X-API-Key wins', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...bearer(ben.apiKey) })).toBe(ana.tenantId);
    expect(await whose({ ...apiKey(ben.apiKey), ...bearer(ana.apiKey) })).toBe(ben.tenantId);
  });

  test('a right key in the bearer does not make up for a wrong X-API-Key', async () => {
    await expectRefused({ ...apiKey('wrong'), ...bearer(ana.apiKey) });
  });

  test('a valid access token decides the tenant, whatever key is beside it', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...bearer(ben.accessToken) })).toBe(ben.tenantId);
    expect(await whose({ ...apiKey(ben.apiKey), ...bearer(ana.accessToken) })).toBe(ana.tenantId);
    expect(await whose({ ...apiKey('wrong'), ...bearer(ana.accessToken) })).toBe(ana.tenantId);
  });

  test('beside an unusable bearer the X-API-Key decides', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...bearer('nonsense') })).toBe(ana.tenantId);
  });

  test('two wrong ones are refused', async () => {
    await expectRefused({ ...apiKey('wrong'), ...bearer('nonsense') });
  });
});

describe('A 5.1 rule 3: X-Tenant-ID narrows to one account', () => {
  const ways = () => [apiKey(ana.apiKey), bearer(ana.apiKey), bearer(ana.accessToken)];

  test('the own id is accepted with every credential', async () => {
    for (const way of ways()) {
      expect(await whose({ ...way, 'x-tenant-id': ana.tenantId })).toBe(ana.tenantId);
    }
  });

  test('a foreign id is refused with every credential, not resolved elsewhere', async () => {
    for (const way of ways()) await expectRefused({ ...way, 'x-tenant-id': ben.tenantId });
  });

  test('an unknown id is refused', async () => {
    const ids = [
      '0'.repeat(32),
      'nobody',
      `${ana.tenantId}0`,
      ana.tenantId.slice(0, -1),
      '*',
      '%',
      "' or ''='",
    ];
    for (const id of ids) {
      for (const way of ways()) await expectRefused({ ...way, 'x-tenant-id': id });
    }
  });

  test('an id alone is no credential', async () => {
    await expectRefused({ 'x-tenant-id': ana.tenantId });
  });

  test('it narrows the lookup of two keys as well', async () => {
    const both = { ...apiKey(ana.apiKey), ...bearer(ben.apiKey) };
    expect(await whose({ ...both, 'x-tenant-id': ana.tenantId })).toBe(ana.tenantId);
    await expectRefused({ ...both, 'x-tenant-id': ben.tenantId });
  });

  test('a token of one tenant never serves another tenant that is named, whatever key is beside it', async () => {
    const { status, body } = await submit({
      ...apiKey(ben.apiKey),
      ...bearer(ana.accessToken),
      'x-tenant-id': ben.tenantId,
    });
    expect([200, 401]).toContain(status);
    if (status === 200) expect(body.request.metadata.tenant.id).toBe(ben.tenantId);
  });
});

describe('B 5: the operator key', () => {
  test('alone it resolves to no tenant, even with a tenant named: 401', async () => {
    await expectRefused(apiKey(OPERATOR_KEY));
    await expectRefused(bearer(OPERATOR_KEY));
    await expectRefused({ ...apiKey(OPERATOR_KEY), 'x-tenant-id': ana.tenantId });
    await expectRefused({ ...bearer(OPERATOR_KEY), 'x-tenant-id': ana.tenantId });
  });

  test("C 7: beside a tenant's access token the token decides", async () => {
    expect(await whose({ ...apiKey(OPERATOR_KEY), ...bearer(ana.accessToken) })).toBe(ana.tenantId);
  });
});

describe('C 7: the session cookie', () => {
  const cookie = (token: string) => ({ cookie: `ll_session=${token}` });

  test('does not count on the translation routes', async () => {
    await expectRefused(cookie(ana.accessToken));
    await expectRefused(cookie(ana.apiKey));
  });

  test('nor on /trpc', async () => {
    const create = await app.json('POST', '/trpc/translations.create', {
      headers: cookie(ana.accessToken),
      body: { json: { source_text: 'Hello', target_lang: 'fr' } },
    });
    expect(create.status).toBe(401);
    const input = encodeURIComponent(JSON.stringify({ json: { job_id: '0'.repeat(32) } }));
    const get = await app.json('GET', `/trpc/translations.get?input=${input}`, {
      headers: cookie(ana.accessToken),
    });
    expect(get.status).toBeGreaterThanOrEqual(400);
    expect(get.status).not.toBe(404);
  });

  test('beside another credential it changes nothing', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), ...cookie(ben.accessToken) })).toBe(ana.tenantId);
  });

  test.each([
    ['Origin', { origin: 'https://evil.example' }],
    ['Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
  ])('a changing request that carries it is refused when %s names another site', async (_name, foreign) => {
    const { headers } = await app.signUp();
    const answer = await submit({ ...headers, ...cookie(ana.accessToken), ...foreign });
    expect(answer.status).toBe(403);
    expect(answer.body.detail).toEqual(expect.any(String));
    expect((await app.json('GET', LIST, { headers })).body).toEqual([]);
  });

  test('a request without the cookie may come from anywhere', async () => {
    expect(await whose({ ...apiKey(ana.apiKey), origin: 'https://elsewhere.example' })).toBe(ana.tenantId);
  });
});
