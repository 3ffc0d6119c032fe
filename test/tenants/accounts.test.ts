import { beforeAll, describe, expect, test } from 'vitest';
import { memberViewOf } from '#server/identity/tenants/accounts.ts';
import { signUp } from '#test/auth/sign-in.ts';
import {
  apiKey,
  bearer,
  env,
  found,
  founding,
  type Headers,
  operator,
  operatorKey,
  type Person,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { contentsOf, eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env });

const provision = (body: unknown, headers: Headers = operator) =>
  app.json('POST', '/api/tenants', { headers, body });

describe('provisioning a workspace (A 4.4)', () => {
  test('returns the account and its key, which identifies it; it is shown only here', async () => {
    const { status, body } = await provision({ name: '  Provisioned 翻訳 ' });
    const { api_key, ...account } = body;
    expect([status, account]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        name: 'Provisioned 翻訳',
        api_key_prefix: api_key.slice(0, 8),
        monthly_char_limit: 500_000,
        active: true,
        created_at: expect.stringMatching(/Z$/),
        metadata: {},
      },
    ]);
    expect((await app.json('GET', '/api/translations', { headers: apiKey(api_key) })).status).toBe(200);
    expect(await eventsOf(app, account.id, 'tenant_provisioned')).toMatchObject([
      { actor: 'operator_key', target: account.id, details: {} },
    ]);
    expect((await app.json('GET', '/api/tenants', { headers: operator })).body).toEqual([account]);
    expect(await contentsOf(app)).not.toContain(api_key);
  });

  test('the allowance is not lowered, and platform-owned metadata is kept', async () => {
    const metadata = { pay_tier: 'studio', MFA_Required: true, oidc_org_id: 'org', own: { deep: [1] } };
    const { body } = await provision({ name: 'Large', monthly_char_limit: 2_000_000_000, metadata });
    expect([body.monthly_char_limit, body.metadata]).toEqual([2_000_000_000, metadata]);
  });

  test.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'A', monthly_char_limit: 2_147_483_648 }, 'monthly_char_limit'],
    [{ name: 'A', metadata: [] }, 'metadata'],
  ])('an invalid body is 422, and creates nothing: %j', async (body, field) => {
    const count = async () => (await app.json('GET', '/api/tenants', { headers: operator })).body.length;
    const before = await count();
    const { status, body: refused } = await provision(body);
    expect([status, refused.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', field] })]]);
    expect(await count()).toBe(before);
  });
});

describe('metadata of a workspace', () => {
  /** The two requests that create a workspace with the caller's metadata. */
  const ways: [string, (metadata: unknown) => ReturnType<typeof app.json>][] = [
    ['a signup', (metadata) => signUp(app, founding({ metadata }))],
    ['the operator', (metadata) => provision({ name: 'A workspace', metadata })],
  ];
  /** Metadata whose JSON has this many characters. */
  const metadataOf = (characters: number) => ({ note: 'x'.repeat(characters - '{"note":""}'.length) });
  const largest = 16_384;

  test.each(ways)('has at most 16,384 characters of JSON: of %s', async (_, make) => {
    const before = await contentsOf(app);
    const { status, body } = await make(metadataOf(largest + 1));
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', 'metadata'] })]]);
    expect(JSON.stringify(body)).not.toContain('xxx');
    expect(await contentsOf(app)).toEqual(before);
    const kept = await make(metadataOf(largest));
    expect((kept.body.account ?? kept.body).metadata).toEqual(metadataOf(largest));
  });

  test('platform-owned keys, in any letter case, are not shown to members', () => {
    const owned = ['PAY_X', 'Trial_', 'tOpUp_x', 'mfa_a', 'SSO_x', 'invites_a', 'STORAGE_x'];
    const free = { team: 'docs', payments: 1, trial: true, my_pay_tier: [null], oidc_org: 'x', '': '' };
    const keys = [...owned, 'oidc_org_id', 'OIDC_Org_Id', 'redaction'].map((key) => [key, 'secret']);
    const row = { createdAt: new Date(), metadata: { ...Object.fromEntries(keys), ...free } };
    expect(memberViewOf(row as Parameters<typeof memberViewOf>[0]).metadata).toEqual(free);
  });
});

describe('the list of workspaces (A 4.4)', () => {
  const listing = useTestApp({ env: { ...env, SERVICE_API_KEY: 'the-service-key' } });
  const list = (headers: Headers, query = '') => listing.json('GET', `/api/tenants${query}`, { headers });
  const ids = (accounts: { id: string }[]) => accounts.map(({ id }) => id);

  /** The founders of the workspaces, the latest first, like the list. */
  const founders: Person[] = [];
  beforeAll(async () => {
    // The workspace `default` is created at its first use.
    await listing.json('GET', '/api/translations', { headers: { 'x-api-key': 'the-service-key' } });
    for (let i = 0; i < 5; i++) founders.unshift(await found(listing, { tenant_name: `Workspace ${i}` }));
  });
  const all = () => founders.map(({ tenantId }) => tenantId);

  test('has all for an operator, the most recent first, and never the service’s own', async () => {
    for (const key of [operator, bearer(operatorKey)]) {
      const { status, body, headers } = await list(key);
      expect([status, ids(body), headers.get('x-next-cursor')]).toEqual([200, all(), null]);
      expect(body[0]).toEqual({
        id: founders[0]?.tenantId,
        name: 'Workspace 4',
        api_key_prefix: expect.stringMatching(/^[\w-]{8}$/),
        monthly_char_limit: 500_000,
        active: true,
        created_at: expect.any(String),
        metadata: {},
      });
    }
    const sql = openSuperuser(listing.superuserUrl);
    expect(await sql`select 1 from tenants where tenant_id = 'default'`).toHaveLength(1);
  });

  test('X-Tenant-ID narrows the operator key to one', async () => {
    const [, other] = founders as [Person, Person];
    const narrowed = async (id: string) => ids((await list({ ...operator, 'x-tenant-id': id })).body);
    expect(await narrowed(other.tenantId)).toEqual([other.tenantId]);
    for (const name of ['nobody', '*', 'default']) expect(await narrowed(name)).toEqual([]);
  });

  test('much metadata makes a page shorter, never empty', async () => {
    // Random data, which cannot be compressed.
    const sql = openSuperuser(listing.superuserUrl);
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
