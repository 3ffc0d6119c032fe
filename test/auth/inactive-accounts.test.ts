import superjson from 'superjson';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Signup, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const text = { source_text: 'Hello', target_lang: 'fr' };

let tenant: Signup;
let neighbour: Signup;
beforeEach(async () => {
  tenant = await app.signUp();
  neighbour = await app.signUp();
});

/** The credentials by which a tenant may identify itself. */
const credentials: [string, 'key' | 'token', (signup: Signup) => Record<string, string>][] = [
  ['its key as X-API-Key', 'key', ({ apiKey }) => ({ 'x-api-key': apiKey })],
  ['its key as a bearer', 'key', ({ apiKey }) => ({ authorization: `Bearer ${apiKey}` })],
  ['its token', 'token', ({ accessToken }) => ({ authorization: `Bearer ${accessToken}` })],
];

/** The statuses of a read and a submission over REST, and of a submission over /trpc. */
async function knock(headers: Record<string, string>) {
  const list = await app.json('GET', '/api/translations', { headers });
  const create = await app.json('POST', '/api/translations', { headers, body: text });
  const rpc = await app.json('POST', '/trpc/translations.create', {
    headers,
    body: superjson.serialize(text),
  });
  return {
    statuses: [list.status, create.status, rpc.status],
    details: [list.body.detail, create.body.detail],
  };
}

async function expectRefused(headers: Record<string, string>) {
  const { statuses, details } = await knock(headers);
  expect(statuses).toEqual([401, 401, 401]);
  // The same response as for a credential that never existed.
  const unknown = await knock({ 'x-api-key': 'unknown' });
  expect(unknown.statuses).toEqual([401, 401, 401]);
  expect(details).toEqual(unknown.details);
}

async function expectLetIn(headers: Record<string, string>) {
  expect((await knock(headers)).statuses).toEqual([200, 200, 200]);
}

async function countJobs(tenantId: string): Promise<number> {
  const [row] = await openSuperuser(app.superuserUrl)`
    select count(*)::int as jobs from translation_jobs where tenant_id = ${tenantId}`;
  return row?.['jobs'];
}

describe('a tenant that is not active', () => {
  test.each(credentials)(
    'is refused by %s, at the next request, and accepted after reactivation',
    async (_, __, of) => {
      await expectLetIn(of(tenant));
      const jobs = await countJobs(tenant.tenantId);
      const set = (active: boolean) => openSuperuser(app.superuserUrl)`
      update tenants set active = ${active} where tenant_id = ${tenant.tenantId}`;
      await set(false);
      await expectRefused(of(tenant));
      await expectRefused({ ...of(tenant), 'x-tenant-id': tenant.tenantId });
      expect(await countJobs(tenant.tenantId)).toBe(jobs);
      await expectLetIn(of(neighbour));
      await set(true);
      await expectLetIn(of(tenant));
    },
  );
});

describe('a member who is not active', () => {
  test.each(credentials)('%s', async (_, kind, of) => {
    await openSuperuser(
      app.superuserUrl,
    )`update users set active = false where tenant_id = ${tenant.tenantId}`;
    // The key is the workspace's, not the member's.
    if (kind === 'key') return expectLetIn(of(tenant));
    await expectRefused(of(tenant));
    expect(await countJobs(tenant.tenantId)).toBe(0);
    await expectLetIn(of(neighbour));
  });

  test('a token does not outlive its member, or its own row', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const authorization = `Bearer ${tenant.accessToken}`;
    await expectLetIn({ authorization });
    await sql`delete from tokens where tenant_id = ${tenant.tenantId}`;
    await expectRefused({ authorization });
    await sql`delete from users where tenant_id = ${neighbour.tenantId}`;
    await expectRefused({ authorization: `Bearer ${neighbour.accessToken}` });
    await expectLetIn(neighbour.headers);
  });

  test('an expired token is refused, and a refresh token is always refused', async () => {
    const sql = openSuperuser(app.superuserUrl);
    const authorization = `Bearer ${tenant.accessToken}`;
    await sql`update credential_directory set expires_at = now() where tenant_id = ${tenant.tenantId} and kind = 'access_token'`;
    await expectRefused({ authorization });
    await expectLetIn(tenant.headers);

    const { body } = await app.json('POST', '/api/auth/signup/email', {
      body: {
        tenant_name: 'Refreshing',
        email: 'refresh@example.org',
        password: 'a long enough passphrase',
      },
    });
    await expectLetIn({ authorization: `Bearer ${body.token.access_token}` });
    await expectRefused({ authorization: `Bearer ${body.token.refresh_token}` });
  });
});
