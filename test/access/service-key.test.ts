import { beforeAll, describe, expect, test } from 'vitest';
import { hashSecret, newSecret } from '#server/identity/access/credentials.ts';
import { newId } from '#server/platform/ids.ts';
import { signUp } from '#test/auth/sign-in.ts';
import {
  addGlossary,
  addMemory,
  apiKey,
  bearer,
  beginImport,
  found,
  founding,
  type Headers,
  operator,
  env as operatorEnv,
  type Person,
  password,
} from '#test/factories.ts';
import { refusalOf, type TestApp, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const serviceKey = 'the-service-key-of-the-tests';
const ways: Headers[] = [apiKey(serviceKey), bearer(serviceKey)];
const service = { bearer: ways[0] } as Person;
const env = { ...operatorEnv, SERVICE_API_KEY: serviceKey, TM_ASYNC_THRESHOLD: '1' };
/** Without an operator key and without any workspace, all administrators' routes are open. */
const openEnv = { AUTH_RATE_LIMIT_ENABLED: 'false', SERVICE_API_KEY: serviceKey };
const notFound = [404, 'tenant not found'];

const look = async (app: TestApp, path: string, headers: Headers, method = 'GET') => {
  const { status, body } = await app.json(method, path, { headers });
  return [status, body?.detail ?? body];
};

/** Creates a job in the service key's workspace. This creates the workspace, too. */
async function translate(app: TestApp): Promise<string> {
  const body = { source_text: 'Hello', target_lang: 'fr' };
  const made = await app.json('POST', '/api/translations', { headers: apiKey(serviceKey), body });
  expect(made.status).toBe(200);
  return made.body.id;
}

describe('the service key (A 5.1 rule 6)', () => {
  const app = useTestApp({ env });
  const lists = ['/api/translations', '/api/terminology', '/api/tm', '/api/tm/imports'];

  // The tests run in this order, because the first workspace ends this mode.
  test('serves a deployment without workspaces, until there is one; what it made is for no one then', async () => {
    const job = await translate(app);
    const glossary = await addGlossary(app, service);
    const memory = await addMemory(app, service);
    const importing = await beginImport(app, service);
    const rows = await openSuperuser(app.superuserUrl)`
      select tenant_id, job_id as id from translation_jobs union all select tenant_id, set_id from terminology_sets
      union all select tenant_id, set_id from memory_sets union all select tenant_id, import_id from memory_imports`;
    expect([...rows]).toEqual([job, glossary, memory, importing].map((id) => ({ tenant_id: 'default', id })));
    const single: [string, string][] = [
      ['GET', `/api/translations/${job}`],
      ['GET', `/api/translations/${job}/golden?format=txt`],
      ['GET', `/api/tm/imports/${importing}`],
      ['GET', `/api/tm/${memory}/export`],
      ['DELETE', `/api/tm/${memory}`],
      ['DELETE', `/api/terminology/${glossary}`],
    ];

    for (const headers of ways) {
      for (const [index, path] of lists.entries()) {
        const [status, body] = await look(app, path, headers);
        expect([status, body.map(({ id }: { id: string }) => id)]).toEqual([200, [rows[index]?.['id']]]);
      }
      expect((await look(app, `/api/translations/${job}`, headers))[0]).toBe(200);
      // The service key identifies neither an administrator nor an operator nor a member.
      expect(await look(app, '/api/tenants', headers)).toEqual([401, 'admin credentials required']);
      expect((await look(app, '/api/auth/me', headers))[0]).toBe(401);
    }
    const wrong = [apiKey(`${serviceKey}x`), operator, {}, { ...ways[0], 'x-tenant-id': 'f'.repeat(32) }];
    for (const headers of wrong) {
      for (const path of lists)
        expect(await look(app, path, headers)).toEqual([401, 'missing or invalid API key']);
      for (const [method, path] of single) expect((await look(app, path, headers, method))[0]).toBe(401);
    }
    expect(await look(app, '/api/tenants', operator)).toEqual([200, []]);

    const founder = await found(app);
    for (const path of lists) {
      for (const headers of [...ways, { ...ways[0], 'x-tenant-id': 'default' }])
        expect(await look(app, path, headers)).toEqual([401, 'missing or invalid tenant credentials']);
      expect(await look(app, path, founder.key)).toEqual([200, []]);
    }
    for (const [method, path] of single) {
      expect((await look(app, path, founder.bearer, method))[0]).toBe(404);
      for (const headers of [operator, {}]) expect((await look(app, path, headers, method))[0]).toBe(401);
    }
  });
});

/** All routes that can name a workspace, each with a valid request. */
const naming: [string, string, unknown?][] = [
  ['GET', '/api/auth/users'],
  ['GET', '/api/tenants/invites'],
  ['POST', '/api/tenants/invites', {}],
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

describe.each([
  ['without an operator key', openEnv, {}],
  ['with the operator key', env, operator],
])('the service key’s workspace, %s', (_, deployment, headers: Headers) => {
  const app = useTestApp({ env: deployment });
  beforeAll(async () => void (await translate(app)));

  test('is opened by no route, even if X-Tenant-ID names it', async () => {
    await expectEntersNowhere(app, headers);
    if (headers === operator) await expectEntersNowhere(app, { ...operator, 'x-tenant-id': 'default' });
  });

  test('has no members: neither by an invite nor by a reset link from before', async () => {
    const [secret, userId] = [newSecret(), newId()];
    const sql = openSuperuser(app.superuserUrl);
    await sql`insert into invites (tenant_id, invite_id, secret_hash, role, created_by, by_operator, expires_at)
      values ('default', ${newId()}, ${hashSecret(secret)}, 'global_administrator', 'operator', true,
        now() + interval '1 hour')`;
    await sql`insert into users (tenant_id, user_id, email, provider, role, password_hash)
      values ('default', ${userId}, 'planted@example.org', 'email', 'global_administrator', 'none')`;
    await sql`insert into reset_links (tenant_id, user_id, link_hash, expires_at)
      values ('default', ${userId}, ${hashSecret(secret)}, now() + interval '1 hour')`;
    const invite_token = `default.${secret}`;
    const preview = await app.json('POST', '/api/auth/invites/preview', { body: { invite_token } });
    expect([preview.status, preview.body]).toEqual([200, { valid: false }]);
    const joined = await signUp(app, founding({ invite_token }));
    expect([joined.status, joined.body]).toEqual([400, refusalOf('invalid or expired invite')]);
    const body = { reset_token: invite_token, new_password: password };
    const reset = await app.json('POST', '/api/auth/password-reset', { body });
    expect([reset.status, reset.body.detail]).toEqual([401, 'invalid or expired reset link']);
    expect([...(await sql`select password_hash from users`)]).toEqual([{ password_hash: 'none' }]);
    await sql`delete from invites`;
    await sql`delete from users`;
  });

  test('is reached by no administrator and no operator once there is another', async () => {
    const founder = await found(app);
    expect(await look(app, '/api/auth/users?tenant_id=default', founder.bearer)).toEqual([
      200,
      [expect.objectContaining({ user_id: founder.userId })],
    ]);
    expect(await look(app, '/api/tenants/invites?tenant_id=default', founder.bearer)).toEqual(notFound);
    const asDefault = { ...founder.bearer, 'x-tenant-id': 'default' };
    expect((await look(app, '/api/translations', asDefault))[0]).toBe(401);
    expect((await look(app, '/api/auth/users?tenant_id=default', {}))[0]).toBe(401);
    if (headers !== operator) return;
    for (const way of [operator, { ...founder.bearer, ...operator }]) {
      await expectEntersNowhere(app, way);
      const [, tenants] = await look(app, '/api/tenants', way);
      expect(tenants.map(({ id }: { id: string }) => id)).toEqual([founder.tenantId]);
    }
  });
});
