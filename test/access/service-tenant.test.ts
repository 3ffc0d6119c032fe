import { beforeAll, describe, expect, test } from 'vitest';
import { hashSecret, newSecret } from '#server/identity/access/credentials.ts';
import { newId } from '#server/platform/ids.ts';
import { found, freshEmail, operator, operatorKey, type Person, password } from '#test/factories.ts';
import { type TestApp, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const serviceKey = 'the-service-key-of-the-tests';
const asService = { 'x-api-key': serviceKey };
const env = { AUTH_RATE_LIMIT_ENABLED: 'false', SERVICE_API_KEY: serviceKey };
const notFound = [404, 'tenant not found'];

type Headers = Record<string, string>;

/** A job of the service key's tenant, which exists from then on. */
async function translate(app: TestApp): Promise<string> {
  const body = { source_text: 'Hello', target_lang: 'fr' };
  const made = await app.json('POST', '/api/translations', { headers: asService, body });
  expect(made.status).toBe(200);
  return made.body.id;
}

/** Every route that can name a tenant, each with a valid request. */
const naming: [string, string, unknown?][] = [
  ['GET', '/api/auth/users'],
  ['GET', '/api/tenants/invites'],
  ['POST', '/api/tenants/invites', {}],
  ['POST', '/api/tenants/invites', { email: 'ann@example.org', role: 'global_administrator' }],
  ['DELETE', `/api/tenants/invites/${'0'.repeat(32)}`],
  ['PATCH', '/api/tenants/security', { mfa_required: true }],
];

async function expectEntersNowhere(app: TestApp, headers: Headers): Promise<void> {
  for (const [method, path, body] of naming) {
    const answer = await app.json(method, `${path}?tenant_id=default`, { headers, body });
    expect([method, path, answer.status, answer.body.detail]).toEqual([method, path, ...notFound]);
  }
  const [row] = await openSuperuser(app.superuserUrl)`
    select (select count(*)::int from invites where tenant_id = 'default') as invites,
      (select metadata from tenants where tenant_id = 'default') as metadata,
      (select count(*)::int from audit_log where tenant_id = 'default') as events`;
  expect(row).toEqual({ invites: 0, metadata: {}, events: 0 });
}

/** An invite to the tenant, as it might have been created before such invites were refused. */
async function plantInvite(app: TestApp, byOperator: boolean): Promise<string> {
  const secret = newSecret();
  await openSuperuser(app.superuserUrl)`
    insert into invites (tenant_id, invite_id, secret_hash, role, created_by, by_operator, expires_at)
    values ('default', ${newId()}, ${hashSecret(secret)}, 'global_administrator', 'operator', ${byOperator},
      now() + interval '1 hour')`;
  return `default.${secret}`;
}

async function expectJoinedByNoInvite(app: TestApp): Promise<void> {
  for (const byOperator of [true, false]) {
    const invite_token = await plantInvite(app, byOperator);
    const preview = await app.json('POST', '/api/auth/invites/preview', { body: { invite_token } });
    expect([preview.status, preview.body]).toEqual([200, { valid: false }]);
    const body = { tenant_name: 'ignored', email: freshEmail(), password, invite_token };
    const joined = await app.json('POST', '/api/auth/signup/email', { body });
    expect([joined.status, joined.body]).toEqual([400, { detail: 'invalid or expired invite' }]);
  }
  const sql = openSuperuser(app.superuserUrl);
  expect(await sql`select from users where tenant_id = 'default'`).toHaveLength(0);
  const redeemed = await sql`delete from invites where tenant_id = 'default' returning redeemed_at`;
  expect(redeemed.map((row) => row['redeemed_at'])).toEqual([null, null]);
}

describe('A 5.1 rule 6: the service key’s tenant in open dev mode', () => {
  const app = useTestApp({ env });
  beforeAll(() => translate(app));

  test('is reached by no route', () => expectEntersNowhere(app, {}));

  test('cannot be joined by an invite', () => expectJoinedByNoInvite(app));

  test('is still reached by the service key', async () => {
    const { status, body } = await app.json('GET', '/api/translations', { headers: asService });
    expect([status, body.length]).toEqual([200, 1]);
  });
});

describe('A 5.1 rule 6: the service key’s tenant and the operator key', () => {
  const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });
  beforeAll(() => translate(app));

  test('is reached by no route, even if X-Tenant-ID names it', async () => {
    await expectEntersNowhere(app, operator);
    await expectEntersNowhere(app, { ...operator, 'x-tenant-id': 'default' });
  });

  test('cannot be joined by an invite', () => expectJoinedByNoInvite(app));

  test('gives nobody a password by a reset link', async () => {
    const secret = newSecret();
    const sql = openSuperuser(app.superuserUrl);
    const userId = newId();
    await sql`insert into users (tenant_id, user_id, email, provider, role, password_hash)
      values ('default', ${userId}, 'planted@example.org', 'email', 'global_administrator', 'none')`;
    await sql`insert into reset_links (tenant_id, user_id, link_hash, expires_at)
      values ('default', ${userId}, ${hashSecret(secret)}, now() + interval '1 hour')`;
    const body = { reset_token: `default.${secret}`, new_password: password };
    const { status, body: refused } = await app.json('POST', '/api/auth/password-reset', { body });
    const [row] = await sql`delete from users where user_id = ${userId} returning password_hash`;
    expect([status, refused.detail, row?.['password_hash']]).toEqual([
      401,
      'invalid or expired reset link',
      'none',
    ]);
  });
});

describe('A 5.1 rule 6: once there is a tenant, nobody reads the service key’s data', () => {
  const app = useTestApp({ env: { ...env, OPERATOR_API_KEY: operatorKey } });
  let jobId: string;
  let founder: Person;
  beforeAll(async () => {
    jobId = await translate(app);
    founder = await found(app);
  });

  const look = async (path: string, headers: Headers) => {
    const { status, body } = await app.json('GET', path, { headers });
    return [status, body.detail ?? body];
  };
  const jobs = () => [
    '/api/translations',
    `/api/translations/${jobId}`,
    `/api/translations/${jobId}/golden?format=txt`,
  ];

  test('by the service key', async () => {
    for (const path of jobs()) {
      expect(await look(path, asService)).toEqual([401, 'missing or invalid tenant credentials']);
      const headers = { ...asService, 'x-tenant-id': 'default' };
      expect(await look(path, headers)).toEqual([401, 'missing or invalid tenant credentials']);
    }
  });

  test('by an administrator', async () => {
    const [list, job = '', golden = ''] = jobs();
    expect(await look(list as string, founder.bearer)).toEqual([200, []]);
    for (const path of [job, golden]) expect((await look(path, founder.bearer))[0]).toBe(404);
    expect((await look(job, { ...founder.bearer, 'x-tenant-id': 'default' }))[0]).toBe(401);
    const [status, users] = await look('/api/auth/users?tenant_id=default', founder.bearer);
    expect([status, users]).toEqual([200, [expect.objectContaining({ user_id: founder.userId })]]);
    expect(await look('/api/tenants/invites?tenant_id=default', founder.bearer)).toEqual(notFound);
  });

  test('by the operator key, alone and beside a session', async () => {
    for (const headers of [operator, { ...founder.bearer, ...operator }]) {
      await expectEntersNowhere(app, headers);
      const [, tenants] = await look('/api/tenants', headers);
      expect(tenants.map(({ id }: { id: string }) => id)).toEqual([founder.tenantId]);
    }
    expect(await look('/api/tenants', { ...operator, 'x-tenant-id': 'default' })).toEqual([200, []]);
    for (const path of jobs()) expect((await look(path, operator))[0]).toBe(401);
  });

  test('without a credential', async () => {
    for (const path of jobs()) expect((await look(path, {}))[0]).toBe(401);
    const { status } = await app.json('GET', '/api/auth/users?tenant_id=default');
    expect(status).toBe(401);
  });
});
