import { beforeEach, describe, expect, test } from 'vitest';
import { addMember } from '#server/identity/members/members.ts';
import {
  bearer,
  env,
  found,
  type Headers,
  join,
  operator,
  operatorKey,
  type Person,
} from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app);
});

const roster = (query = '', headers: Headers = admin.bearer) =>
  app.json('GET', `/api/auth/users${query}`, { headers });
const emails = (rows: { email: string }[]) => rows.map(({ email }) => email);

/** Inserts a member who has no session. */
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

describe('the roster (A 2.2)', () => {
  test('has the seven fields of each member of the workspace, and no secret', async () => {
    await add('sso', { provider: 'oidc', providerSubject: 'https://issuer.example subject-of-sso' });
    await openSuperuser(app.superuserUrl)`
      update users set totp_secret = '\\xdeadbeef' where user_id = 'sso' and tenant_id = ${admin.tenantId}`;
    await found(app);
    for (const headers of [admin.bearer, admin.cookie]) {
      const { status, body } = await roster('', headers);
      expect([status, body]).toEqual([
        200,
        [
          {
            user_id: admin.userId,
            email: admin.email,
            provider: 'email',
            role: 'global_administrator',
            active: true,
            created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
            totp_enrolled: false,
          },
          {
            user_id: 'sso',
            email: 'sso@example.org',
            provider: 'oidc',
            role: 'agent_id_developer',
            active: true,
            created_at: expect.any(String),
            totp_enrolled: true,
          },
        ],
      ]);
    }
  });

  test('lists revoked members only with include_revoked', async () => {
    const member = await join(app, admin);
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: admin.bearer });
    for (const query of ['', '?include_revoked=false'])
      expect(emails((await roster(query)).body)).toEqual([admin.email]);
    const { body } = await roster('?include_revoked=true');
    expect(emails(body)).toEqual([admin.email, member.email]);
    expect(body[1].active).toBe(false);
  });

  test('is oldest first, in pages without gaps or repeats', async () => {
    // Members with the same time are ordered by ID.
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

  test('the operator key must name the workspace; X-Tenant-ID narrows it', async () => {
    const other = await found(app);
    const query = `?tenant_id=${admin.tenantId}`;
    const detail = 'tenant_id query parameter is required with API-key access';
    expect(await roster('', operator)).toMatchObject({ status: 400, body: { detail } });
    expect(emails((await roster(query, bearer(operatorKey))).body)).toEqual([admin.email]);
    expect((await roster(query, { ...operator, 'x-tenant-id': other.tenantId })).status).toBe(404);
    const unknown = { status: 404, body: { detail: 'tenant not found' } };
    expect(await roster('?tenant_id=*', operator)).toMatchObject(unknown);
  });
});

describe('adding a member', () => {
  const taken = { message: 'email already registered for tenant', status: 400 };

  test('refuses an address or a provider subject of the workspace, revoked or not', async () => {
    const member = await join(app, admin);
    await app.json('DELETE', `/api/auth/users/${member.userId}`, { headers: admin.bearer });
    for (const { email } of [admin, member]) await expect(add('a', { email })).rejects.toMatchObject(taken);
    expect((await roster('?include_revoked=true')).body).toHaveLength(2);
    await add('b', { providerSubject: 'the subject' });
    await expect(add('c', { providerSubject: 'the subject' })).rejects.toMatchObject(taken);
    // A member of another workspace may have the same email address.
    await expect(add('d', { email: (await found(app)).email })).resolves.toBeUndefined();
  });

  test('of 10 at the same time with one address, one is added', async () => {
    const added = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => add(`e${i}`, { email: 'same@example.org' })),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(emails((await roster()).body).filter((email) => email === 'same@example.org')).toHaveLength(1);
  });
});
