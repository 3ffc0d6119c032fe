import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { env, found, freshEmail, invite, operator, type Person, password } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env: { ...env, INVITE_TTL_SECONDS: '7200' } });

const plain = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app, { tenant_name: 'The inviting workspace' });
});

type Headers = Record<string, string>;

const create = (fields: unknown = {}, headers: Headers = admin.bearer, query = '') =>
  app.json('POST', `/api/tenants/invites${query}`, { headers, body: fields });
const list = async (query = '', headers: Headers = admin.bearer) =>
  app.json('GET', `/api/tenants/invites${query}`, { headers });
const withdraw = (inviteId: string, headers: Headers = admin.bearer, query = '') =>
  app.json('DELETE', `/api/tenants/invites/${inviteId}${query}`, { headers });
const preview = (token: unknown) =>
  app.json('POST', '/api/auth/invites/preview', { body: { invite_token: token } });
const redeem = (token: string, email = freshEmail()) =>
  app.json('POST', '/api/auth/signup/email', {
    body: { tenant_name: 'ignored', email, password, invite_token: token },
  });

/** Moves an invite's expiry into the past. */
const expire = (inviteId: string) => openSuperuser(app.superuserUrl)`
  update invites set expires_at = now() where invite_id = ${inviteId}`;

const statusOf = async (inviteId: string) =>
  (await list()).body.find((record: { invite_id: string }) => record.invite_id === inviteId).status;

const secondsOf = ({ created_at, expires_at }: { created_at: string; expires_at: string }) =>
  (Date.parse(expires_at) - Date.parse(created_at)) / 1000;

describe('C 2: creating an invite', () => {
  test('returns the record and the token, which is returned only here', async () => {
    const { status, body } = await create();
    const { invite_token, ...record } = body;
    expect([status, record]).toEqual([
      200,
      {
        invite_id: expect.stringMatching(/^[0-9a-f]{32}$/),
        email: null,
        role: 'agent_id_developer',
        status: 'pending',
        created_by: admin.email,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        expires_at: expect.any(String),
        redeemed_at: null,
        redeemed_by: null,
      },
    ]);
    expect(invite_token).toMatch(new RegExp(`^${admin.tenantId}\\.[\\w-]{43}$`));
    expect((await list()).body).toEqual([record]);
  });

  test('A 2.4: of the secret only its SHA-256 is kept', async () => {
    const { invite_token, invite_id } = await invite(app, admin);
    const secret = String(invite_token).split('.')[1] as string;
    const [row] = await openSuperuser(app.superuserUrl)`
      select secret_hash, invites::text as whole from invites where invite_id = ${invite_id}`;
    expect(Buffer.from(row?.['secret_hash'])).toEqual(createHash('sha256').update(secret).digest());
    expect(row?.['whole']).not.toContain(secret);
  });

  test('an address is kept trimmed and in lowercase', async () => {
    const { body } = await create({ email: '  Ann.Other@Example.ORG ' });
    expect(body.email).toBe('ann.other@example.org');
    expect((await create({ email: null })).body.email).toBeNull();
  });

  test('lasts INVITE_TTL_SECONDS, or as many days as are asked for', async () => {
    expect(secondsOf(await invite(app, admin))).toBe(7200);
    expect(secondsOf(await invite(plain, await found(plain)))).toBe(7 * 86_400);
    expect(secondsOf(await invite(app, admin, { expires_in_days: 1 }))).toBe(86_400);
    expect(secondsOf(await invite(app, admin, { expires_in_days: 30 }))).toBe(30 * 86_400);
  });

  test.each([
    ['email', 'no address'],
    ['email', ''],
    ['email', 5],
    ['role', 'operator'],
    ['role', ''],
    ['expires_in_days', 0],
    ['expires_in_days', 31],
    ['expires_in_days', 1.5],
    ['expires_in_days', '7'],
  ])('a wrong %s is 422: %j', async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', field] })]]);
    expect((await list()).body).toEqual([]);
  });

  test('is in the log, without its token', async () => {
    const { invite_id } = await invite(app, admin, { email: 'ann@example.org' });
    expect(await eventsOf(app, admin.tenantId, 'invite_created')).toEqual([
      expect.objectContaining({
        actor: ['member', admin.userId],
        target: invite_id,
        details: { email: 'ann@example.org', role: 'agent_id_developer' },
      }),
    ]);
  });
});

describe('A 8: 20 pending invites', () => {
  test('the next one is 409; withdrawal, redemption and expiry free a place', async () => {
    const all: { invite_id: string; invite_token: string }[] = [];
    for (let i = 0; i < 20; i++) all.push(await invite(app, admin));
    const full = await create();
    expect([full.status, full.body]).toEqual([
      409,
      { detail: 'a workspace holds at most 20 pending invites; withdraw one first' },
    ]);
    expect((await list()).body).toHaveLength(20);

    const steps = [
      () => withdraw(all[0]!.invite_id),
      () => redeem(all[1]!.invite_token),
      () => expire(all[2]!.invite_id),
    ];
    for (const step of steps) {
      await step();
      expect((await create()).status).toBe(200);
      expect((await create()).status).toBe(409);
    }
    // Another tenant's invites count separately.
    expect((await create({}, (await found(app)).bearer)).status).toBe(200);
  });

  test('of 30 at a time 20 are created', async () => {
    const statuses = (await Promise.all(Array.from({ length: 30 }, () => create()))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 409)).toHaveLength(10);
    expect((await list()).body).toHaveLength(20);
  });
});

describe('C 2: the list', () => {
  test('newest first, with each of the four states', async () => {
    const [a, b, c, d] = [
      await invite(app, admin),
      await invite(app, admin),
      await invite(app, admin),
      await invite(app, admin),
    ];
    const joined = await redeem(b.invite_token);
    await withdraw(c.invite_id);
    await expire(d.invite_id);
    const { body } = await list();
    expect(body.map(({ invite_id, status }: never) => [invite_id, status])).toEqual([
      [d.invite_id, 'expired'],
      [c.invite_id, 'withdrawn'],
      [b.invite_id, 'redeemed'],
      [a.invite_id, 'pending'],
    ]);
    expect(body[2]).toMatchObject({
      redeemed_by: joined.body.token.user.user_id,
      redeemed_at: expect.any(String),
    });
    // An invite that was redeemed in time does not expire.
    await expire(b.invite_id);
    expect(await statusOf(b.invite_id)).toBe('redeemed');
  });

  test('comes in pages without gaps or repeats', async () => {
    const made: string[] = [];
    for (let i = 0; i < 5; i++) made.push((await invite(app, admin)).invite_id);
    await openSuperuser(app.superuserUrl)`
      update invites set created_at = date_trunc('day', created_at) where tenant_id = ${admin.tenantId}`;
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list(`?limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      seen.push(...page.body.map((record: { invite_id: string }) => record.invite_id));
      cursor = page.headers.get('x-next-cursor');
    } while (cursor !== null);
    expect(seen).toEqual(made.toSorted().toReversed());
    expect((await list('?cursor=nonsense')).status).toBe(422);
    expect((await list('?limit=0')).status).toBe(422);
  });
});

describe('A 3.5: withdrawing', () => {
  test('is 204 without a body, once', async () => {
    const { invite_id, invite_token } = await invite(app, admin);
    const first = await withdraw(invite_id);
    expect([first.status, first.body]).toEqual([204, undefined]);
    expect((await preview(invite_token)).body).toEqual({ valid: false });
    expect((await redeem(invite_token)).status).toBe(400);
    const second = await withdraw(invite_id);
    expect([second.status, second.body.detail]).toEqual([404, 'invite not found']);
    expect(await eventsOf(app, admin.tenantId, 'invite_withdrawn')).toEqual([
      expect.objectContaining({ actor: ['member', admin.userId], target: invite_id }),
    ]);
  });

  test('succeeds once of ten concurrent requests', async () => {
    const { invite_id } = await invite(app, admin);
    const answers = await Promise.all(Array.from({ length: 10 }, () => withdraw(invite_id)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, ...Array(9).fill(404)]);
  });

  test('of one that is not pending is 404: redeemed, expired, foreign, unknown', async () => {
    const redeemed = await invite(app, admin);
    await redeem(redeemed.invite_token);
    const expired = await invite(app, admin);
    await expire(expired.invite_id);
    const foreign = await invite(app, await found(app));
    for (const id of [redeemed.invite_id, expired.invite_id, foreign.invite_id, 'nobody'])
      expect((await withdraw(id)).status).toBe(404);
    expect(await statusOf(redeemed.invite_id)).toBe('redeemed');
    expect((await preview(foreign.invite_token)).body.valid).toBe(true);
    expect(await eventsOf(app, admin.tenantId, 'invite_withdrawn')).toEqual([]);
  });
});

describe('A 4.1: the preview', () => {
  test('of a usable token', async () => {
    const bound = await invite(app, admin, { email: 'bound@example.org', role: 'global_administrator' });
    const { status, body } = await preview(bound.invite_token);
    expect([status, body]).toEqual([
      200,
      {
        valid: true,
        tenant_name: 'The inviting workspace',
        role: 'global_administrator',
        email: 'bound@example.org',
        expires_at: bound.expires_at,
      },
    ]);
    expect((await preview((await invite(app, admin)).invite_token)).body.email).toBeNull();
  });

  test('of every unusable token is the same', async () => {
    const { invite_token, invite_id } = await invite(app, admin);
    const [tenantId, secret] = String(invite_token).split('.') as [string, string];
    const other = await found(app);
    const tokens = [
      '',
      '.',
      'nonsense',
      secret,
      `${tenantId}.`,
      `${tenantId}.${'x'.repeat(43)}`,
      `${invite_token}x`,
      ` ${invite_token}`,
      `${other.tenantId}.${secret}`,
      `unknown.${secret}`,
      `*.${secret}`,
      `${'t'.repeat(100)}.${secret}`,
      'x'.repeat(100_000),
    ];
    for (const token of tokens) {
      const { status, body } = await preview(token);
      expect([status, body]).toEqual([200, { valid: false }]);
    }
    await expire(invite_id);
    expect((await preview(invite_token)).body).toEqual({ valid: false });
    expect((await preview(undefined)).status).toBe(422);
    expect((await preview(5)).status).toBe(422);
  });

  test('of an invite into a tenant that is not active: unusable, and cannot be redeemed', async () => {
    const { invite_token, invite_id } = await invite(app, admin);
    const sql = openSuperuser(app.superuserUrl);
    await sql`update tenants set active = false where tenant_id = ${admin.tenantId}`;
    expect((await preview(invite_token)).body).toEqual({ valid: false });
    const { status, body } = await redeem(invite_token);
    expect([status, body]).toEqual([400, { detail: 'invalid or expired invite' }]);
    await sql`update tenants set active = true where tenant_id = ${admin.tenantId}`;
    expect(await statusOf(invite_id)).toBe('pending');
  });
});

describe('A 4.4: the tenant', () => {
  test('the operator key must name one; the invite is the operator’s', async () => {
    for (const { status, body } of [
      await create({}, operator),
      await list('', operator),
      await withdraw('x', operator),
    ])
      expect([status, body]).toEqual([
        400,
        { detail: 'tenant_id query parameter is required with API-key access' },
      ]);
    const query = `?tenant_id=${admin.tenantId}`;
    const made = await create({}, operator, query);
    expect([made.status, made.body.created_by]).toEqual([200, 'operator']);
    expect((await list(query, operator)).body).toHaveLength(1);
    expect((await list()).body).toHaveLength(1);
    expect((await withdraw(made.body.invite_id, operator, query)).status).toBe(204);
    expect(await eventsOf(app, admin.tenantId, 'invite_withdrawn')).toEqual([
      expect.objectContaining({ actor: 'operator_key' }),
    ]);
  });

  test('an unknown or foreign tenant is 404', async () => {
    const other = await found(app);
    const { invite_id } = await invite(app, other);
    const askers: [Headers, string][] = [
      [operator, 'nobody'],
      [operator, '*'],
      [admin.bearer, other.tenantId],
      [admin.bearer, '*'],
      [admin.bearer, 'nobody'],
    ];
    for (const [headers, tenantId] of askers) {
      const query = `?tenant_id=${encodeURIComponent(tenantId)}`;
      for (const { status, body } of [
        await create({}, headers, query),
        await list(query, headers),
        await withdraw(invite_id, headers, query),
      ])
        expect([status, body.detail]).toEqual([404, 'tenant not found']);
    }
    expect((await list('', other.bearer)).body).toEqual([expect.objectContaining({ status: 'pending' })]);
    const own = `?tenant_id=${admin.tenantId}`;
    const made = await create({}, admin.bearer, own);
    expect((await list(own)).body).toHaveLength(1);
    expect((await withdraw(made.body.invite_id, admin.bearer, own)).status).toBe(204);
  });

  test('the body’s tenant_id is ignored', async () => {
    const other = await found(app);
    expect((await create({ tenant_id: other.tenantId })).status).toBe(200);
    expect((await list('', other.bearer)).body).toEqual([]);
    expect((await list()).body).toHaveLength(1);
  });
});
