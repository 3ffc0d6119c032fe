import { beforeEach, describe, expect, test } from 'vitest';
import { addMember } from '#server/identity/members/members.ts';
import { env, found, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const roster = (query = '', headers: Record<string, string> = admin.bearer) =>
  app.json('GET', `/api/auth/users${query}`, { headers });
const emails = (rows: { email: string }[]) => rows.map(({ email }) => email);

/** A member without a session. */
const add = (userId: string, fields: Record<string, string | null> = {}) =>
  app.database.inTenant(admin.tenantId, (tx) =>
    addMember(tx, {
      tenantId: admin.tenantId,
      userId,
      email: `${userId}@example.org`,
      provider: 'email',
      role: 'agent_id_developer',
      passwordHash: null,
      ...fields,
    }),
  );

describe('A 2.2: the roster', () => {
  test('has the provider’s raw label, enrollment, and no secret', async () => {
    await add('sso', { provider: 'oidc', providerSubject: 'https://issuer.example subject-of-sso' });
    await openSuperuser(app.superuserUrl)`
      update users set totp_secret = '\\xdeadbeef' where user_id = 'sso' and tenant_id = ${admin.tenantId}`;
    const { body } = await roster();
    expect(body[1]).toEqual({
      user_id: 'sso',
      email: 'sso@example.org',
      provider: 'oidc',
      role: 'agent_id_developer',
      active: true,
      created_at: expect.any(String),
      totp_enrolled: true,
    });
    for (const secret of ['argon2', 'subject-of-sso', 'deadbeef'])
      expect(JSON.stringify(body)).not.toContain(secret);
  });

  test('is oldest first, in pages without gaps or repeats', async () => {
    // Their ids decide the order if their times are equal.
    const ids = ['1', '2', '3', '4'].map((digit) => digit.repeat(32));
    for (const id of ids.toReversed()) await add(id);
    await openSuperuser(app.superuserUrl)`
      update users set created_at = now() + interval '1 hour'
      where tenant_id = ${admin.tenantId} and user_id <> ${admin.userId}`;
    const expected = [admin.email, ...ids.map((id) => `${id}@example.org`)];
    const whole = await roster();
    expect([emails(whole.body), whole.headers.get('x-next-cursor')]).toEqual([expected, null]);

    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await roster(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...emails(page.body));
      cursor = page.headers.get('x-next-cursor');
    } while (cursor !== null);
    expect(seen).toEqual(expected);
  });

  test.each(['limit=0', 'limit=1001', 'limit=x', 'cursor=nonsense', 'include_revoked=perhaps'])(
    '%s is 422',
    async (query) => {
      expect((await roster(`?${query}`)).status).toBe(422);
    },
  );

  test('X-Tenant-ID narrows the operator key: another tenant is 404', async () => {
    const other = await found(app);
    const query = `?tenant_id=${admin.tenantId}`;
    expect((await roster(query, { ...operator, 'x-tenant-id': other.tenantId })).status).toBe(404);
    expect((await roster(query, { ...operator, 'x-tenant-id': admin.tenantId })).status).toBe(200);
  });

  test('the operator key with an unknown tenant: 404', async () => {
    for (const name of ['nobody', '*', '%2A']) {
      const { status, body } = await roster(`?tenant_id=${name}`, operator);
      expect([status, body.detail]).toEqual([404, 'tenant not found']);
    }
  });
});

describe('A 4.2: addMember', () => {
  const taken = { message: 'email already registered for tenant', status: 400 };

  test('refuses an address of the tenant, revoked or not, and changes nothing', async () => {
    const member = await join(app, admin);
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: admin.bearer });
    for (const { email } of [admin, member]) await expect(add('a', { email })).rejects.toMatchObject(taken);
    expect((await roster('?include_revoked=true')).body).toHaveLength(2);
  });

  test('refuses a provider subject of the tenant', async () => {
    await add('b', { providerSubject: 'the subject' });
    await expect(add('c', { providerSubject: 'the subject' })).rejects.toMatchObject(taken);
  });

  test('accepts an address that another tenant has', async () => {
    await expect(add('d', { email: (await found(app)).email })).resolves.toBeUndefined();
  });

  test('of 10 at once with one address, one is added', async () => {
    const added = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => add(`e${i}`, { email: 'same@example.org' })),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(emails((await roster()).body).filter((email) => email === 'same@example.org')).toHaveLength(1);
  });
});
