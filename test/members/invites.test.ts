import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { signUp } from '#test/auth/sign-in.ts';
import { env, found, founding, type Headers, invite, type Person } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { eventsOf } from '#test/setup/stored-rows.ts';

const app = useTestApp({ env: { ...env, INVITE_TTL_SECONDS: '7200' } });
const plain = useTestApp({ env });

let admin: Person;
beforeEach(async () => {
  admin = await found(app, { tenant_name: 'The Übersetzer' });
});

const create = (fields: unknown = {}, headers: Headers = admin.bearer, query = '') =>
  app.json('POST', `/api/tenants/invites${query}`, { headers, body: fields });
const list = async (query = '', headers: Headers = admin.bearer) =>
  app.json('GET', `/api/tenants/invites${query}`, { headers });
const withdraw = (inviteId: string, headers: Headers = admin.bearer, query = '') =>
  app.json('DELETE', `/api/tenants/invites/${inviteId}${query}`, { headers });
const preview = (token: unknown) =>
  app.json('POST', '/api/auth/invites/preview', { body: { invite_token: token } });
const redeem = (invite_token: string) => signUp(app, founding({ invite_token }));

/** Changes the expiry of an invite to a time in the past. */
const expire = (inviteId: string) => openSuperuser(app.superuserUrl)`
  update invites set expires_at = now() where invite_id = ${inviteId}`;

const statusOf = async (inviteId: string) =>
  (await list()).body.find((record: { invite_id: string }) => record.invite_id === inviteId).status;

const secondsOf = ({ created_at, expires_at }: { created_at: string; expires_at: string }) =>
  (Date.parse(expires_at) - Date.parse(created_at)) / 1000;

describe('creating an invite (A 3.5)', () => {
  test('gives its languages to the member who redeems it, and only to that one', async () => {
    const languages = [{ source_lang: '*', target_lang: 'fr', review: true, second: false }];
    const { body } = await create({ languages });
    expect([body.languages, (await list()).body[0].languages]).toEqual([languages, languages]);
    expect((await create({ languages: [...languages, ...languages] })).status).toBe(422);
    const withLanguages = await redeem(body.invite_token);
    const without = await redeem((await create()).body.invite_token);
    const rows = await openSuperuser(app.superuserUrl)`
      select user_id, languages from reviewer_profiles where tenant_id = ${admin.tenantId}`;
    expect([withLanguages.status, without.status, [...rows]]).toEqual([
      200,
      200,
      [{ user_id: withLanguages.body.account.user_id ?? expect.any(String), languages }],
    ]);
  });

  test('returns the record, and the token only here; its secret is stored as a SHA-256', async () => {
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
    const secret = String(invite_token).split('.')[1] as string;
    const [row] = await openSuperuser(app.superuserUrl)`
      select secret_hash, invites::text as whole from invites where invite_id = ${record.invite_id}`;
    expect(Buffer.from(row?.['secret_hash'])).toEqual(createHash('sha256').update(secret).digest());
    expect(row?.['whole']).not.toContain(secret);
  });

  test('keeps an address trimmed and in lowercase; the log has it, without the token', async () => {
    const { body } = await create({ email: '  Ann.Other@Example.ORG ' });
    expect(body.email).toBe('ann.other@example.org');
    expect(await eventsOf(app, admin.tenantId, 'invite_created')).toEqual([
      expect.objectContaining({
        actor: ['member', admin.userId],
        target: body.invite_id,
        details: { email: 'ann.other@example.org', role: 'agent_id_developer' },
      }),
    ]);
  });

  test('it lasts INVITE_TTL_SECONDS, or the requested number of days', async () => {
    expect(secondsOf(await invite(app, admin))).toBe(7200);
    expect(secondsOf(await invite(plain, await found(plain)))).toBe(7 * 86_400);
    expect(secondsOf(await invite(app, admin, { expires_in_days: 30 }))).toBe(30 * 86_400);
  });

  test.each([
    ['email', 'no address'],
    ['role', 'operator'],
    ['expires_in_days', 31],
  ])('a wrong %s is 422: %j', async (field, value) => {
    const { status, body } = await create({ [field]: value });
    expect([status, body.detail]).toEqual([422, [expect.objectContaining({ loc: ['body', field] })]]);
    expect((await list()).body).toEqual([]);
  });
});

describe('20 pending invites', () => {
  test('the next one is 409; withdrawal, redemption and expiry free a place', async () => {
    const all: { invite_id: string; invite_token: string }[] = [];
    for (let i = 0; i < 20; i++) all.push(await invite(app, admin));
    const full = await create();
    expect([full.status, full.body]).toEqual([
      409,
      refusalOf('a workspace can have at most 20 pending invites; withdraw one first'),
    ]);
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
    // The invites of each workspace are counted separately.
    expect((await create({}, (await found(app)).bearer)).status).toBe(200);
  });

  test('of 30 concurrent requests 20 create one', async () => {
    const statuses = (await Promise.all(Array.from({ length: 30 }, () => create()))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([...Array(20).fill(200), ...Array(10).fill(409)]);
    expect((await list()).body).toHaveLength(20);
  });
});

describe('the list', () => {
  test('has the most recent first, with each of the four states', async () => {
    const made = [];
    for (let i = 0; i < 4; i++) made.push(await invite(app, admin));
    const [pending, redeemed, withdrawn, expired] = made;
    const joined = await redeem(redeemed.invite_token);
    await withdraw(withdrawn.invite_id);
    // An invite that was accepted before its expiry stays `redeemed`.
    for (const { invite_id } of [redeemed, expired]) await expire(invite_id);
    expect((await list()).body).toMatchObject([
      { invite_id: expired.invite_id, status: 'expired' },
      { invite_id: withdrawn.invite_id, status: 'withdrawn' },
      { invite_id: redeemed.invite_id, status: 'redeemed', redeemed_by: joined.body.token.user.user_id },
      { invite_id: pending.invite_id, status: 'pending', redeemed_by: null },
    ]);
  });
});

describe('withdrawing', () => {
  test('succeeds once: 204 without a body', async () => {
    const { invite_id, invite_token } = await invite(app, admin);
    const answers = [await withdraw(invite_id), await withdraw(invite_id)];
    expect(answers.map(({ status, body }) => [status, body?.detail])).toEqual([
      [204, undefined],
      [404, 'invite not found'],
    ]);
    expect((await redeem(invite_token)).status).toBe(400);
    expect(await eventsOf(app, admin.tenantId, 'invite_withdrawn')).toMatchObject([
      { actor: ['member', admin.userId], target: invite_id },
    ]);
  });

  test('an invite that is redeemed, expired, foreign or unknown is 404', async () => {
    const [redeemed, expired] = [await invite(app, admin), await invite(app, admin)];
    await redeem(redeemed.invite_token);
    await expire(expired.invite_id);
    const foreign = await invite(app, await found(app));
    for (const id of [redeemed.invite_id, expired.invite_id, foreign.invite_id, 'nobody'])
      expect((await withdraw(id)).status).toBe(404);
    expect((await preview(foreign.invite_token)).body.valid).toBe(true);
  });
});

describe('the preview', () => {
  test('shows the workspace, the role, the address if there is one, and the end; it uses nothing up', async () => {
    const bound = await invite(app, admin, { email: 'Bound@example.org', role: 'global_administrator' });
    const open = await invite(app, admin);
    for (const { invite_token, expires_at, role, email } of [bound, open]) {
      const { status, body } = await preview(invite_token);
      const shown = { valid: true, tenant_name: 'The Übersetzer', role, email, expires_at };
      expect([status, body]).toEqual([200, shown]);
    }
    expect([bound.email, open.email]).toEqual(['bound@example.org', null]);
    expect((await redeem(open.invite_token)).status).toBe(200);
  });

  test('every unusable token gets the same response', async () => {
    const { invite_token, invite_id } = await invite(app, admin);
    const [tenantId, secret] = String(invite_token).split('.') as [string, string];
    const [redeemed, withdrawn] = [await invite(app, admin), await invite(app, admin)];
    await redeem(redeemed.invite_token);
    await withdraw(withdrawn.invite_id);
    const other = await found(app);
    const forged = [`${invite_token}x`, `*.${secret}`, `${other.tenantId}.${secret}`, `${tenantId}.\0`];
    await expire(invite_id);
    for (const token of ['', ...forged, redeemed.invite_token, withdrawn.invite_token, invite_token]) {
      const { status, body } = await preview(token);
      expect([status, body], token).toEqual([200, { valid: false }]);
    }
    expect((await preview(5)).status).toBe(422);
  });

  test('an invite into an inactive workspace is unusable, and stays pending', async () => {
    const { invite_token, invite_id } = await invite(app, admin);
    const setActive = (active: boolean) => openSuperuser(app.superuserUrl)`
      update tenants set active = ${active} where tenant_id = ${admin.tenantId}`;
    await setActive(false);
    expect((await preview(invite_token)).body).toEqual({ valid: false });
    const { status, body } = await redeem(invite_token);
    expect([status, body]).toEqual([400, refusalOf('invalid or expired invite')]);
    await setActive(true);
    expect(await statusOf(invite_id)).toBe('pending');
  });
});
