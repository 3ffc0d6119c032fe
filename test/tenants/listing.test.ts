import { beforeAll, describe, expect, test } from 'vitest';
import { env, found, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { ...env, SERVICE_API_KEY: 'the-service-key' } });

const list = (headers: Record<string, string>, query = '') =>
  app.json('GET', `/api/tenants${query}`, { headers });
const ids = (accounts: { id: string }[]) => accounts.map(({ id }) => id);

/** Newest first, as they are listed. */
const founders: Person[] = [];
beforeAll(async () => {
  // The tenant `default` exists from its first use on.
  await app.json('GET', '/api/translations', { headers: { 'x-api-key': 'the-service-key' } });
  for (let i = 0; i < 5; i++) founders.unshift(await found(app, { tenant_name: `Workspace ${i}` }));
});

const newestFirst = () => founders.map(({ tenantId }) => tenantId);

describe('A 4.4: GET /api/tenants', () => {
  test('an operator sees all tenants, newest first, and never the service’s own', async () => {
    const { status, body, headers } = await list(operator);
    expect([status, ids(body), headers.get('x-next-cursor')]).toEqual([200, newestFirst(), null]);
    expect(body[0]).toEqual({
      id: founders[0]?.tenantId,
      name: 'Workspace 4',
      api_key_prefix: expect.stringMatching(/^[\w-]{8}$/),
      monthly_char_limit: 500_000,
      active: true,
      created_at: expect.any(String),
      metadata: {},
    });
    const [row] = await openSuperuser(app.superuserUrl)`select 1 from tenants where tenant_id = 'default'`;
    expect(row).toBeDefined();
  });

  test('an administrator sees only its own, whatever it requests', async () => {
    const [admin, other] = founders as [Person, Person];
    for (const query of ['', `?tenant_id=${other.tenantId}`, '?tenant_id=*'])
      expect(ids((await list(admin.bearer, query)).body)).toEqual([admin.tenantId]);
    const cookie = await list({ cookie: `ll_session=${admin.accessToken}` });
    expect(ids(cookie.body)).toEqual([admin.tenantId]);
  });

  test('X-Tenant-ID narrows the operator key to that tenant', async () => {
    const [, other] = founders as [Person, Person];
    const narrowed = await list({ ...operator, 'x-tenant-id': other.tenantId });
    expect(ids(narrowed.body)).toEqual([other.tenantId]);
    for (const name of ['nobody', '*', 'default'])
      expect((await list({ ...operator, 'x-tenant-id': name })).body).toEqual([]);
  });

  test('a plain member, a tenant’s key and a caller without a credential see nothing', async () => {
    const [admin] = founders as [Person];
    const member = await join(app, admin);
    expect((await list(member.bearer)).status).toBe(403);
    expect((await list({})).status).toBe(401);
    expect((await list({ 'x-api-key': 'the-service-key' })).status).toBe(401);
  });

  test('comes in pages without gaps or repeats', async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list(operator, `?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...ids(page.body));
      cursor = page.headers.get('x-next-cursor');
    } while (cursor !== null);
    expect(seen).toEqual(newestFirst());
    expect((await list(operator, '?cursor=nonsense')).status).toBe(422);
    expect((await list(operator, '?limit=1001')).status).toBe(422);
  });

  test('much metadata makes a page shorter, never empty', async () => {
    // Random, so that it does not pack.
    const sql = openSuperuser(app.superuserUrl);
    const [newest, second] = founders as [Person, Person];
    await sql`update tenants set metadata = jsonb_build_object('large',
      (select string_agg(md5(random()::text), '') from generate_series(1, 100000)))
      where tenant_id = any(${[newest.tenantId, second.tenantId]})`;
    const first = await list(operator);
    expect(ids(first.body)).toEqual([newest.tenantId]);
    const next = await list(operator, `?cursor=${first.headers.get('x-next-cursor')}`);
    expect(ids(next.body)).toEqual([second.tenantId]);
    await sql`update tenants set metadata = '{}'`;
  });
});
