import { beforeAll, describe, expect, test } from 'vitest';
import { viaRpc } from '#test/contract/call.ts';
import { env, type Fields, found, type Headers, join, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const app = useTestApp({ env });

const ask = (input: Fields, headers: Headers) =>
  viaRpc(app, { path: 'audit.list', type: 'query' }, { input, headers });

async function page(input: Fields = {}, of: Person = admin) {
  const { status, body } = await ask(input, of.bearer);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const actionsOf = ({ events }: { events: { action: string }[] }) => events.map(({ action }) => action);

/** Inserts an event into a tenant's log that is `secondsAgo` seconds old. */
async function add(tenantId: string, action: string, secondsAgo: number, count = 1): Promise<void> {
  await openSuperuser(app.superuserUrl)`
    insert into audit_log (tenant_id, event_id, recorded_at, action, actor_kind)
    select ${tenantId}, md5(n || ${action}), now() - make_interval(secs => ${secondsAgo}), ${action}, 'server'
    from generate_series(1, ${count}::int) n`;
}

let admin: Person;

beforeAll(async () => {
  admin = await found(app);
  await join(app, admin);
});

describe('audit.list returns the log of the administrator’s own tenant', () => {
  test('the most recent first, with who acted and from where', async () => {
    const { events, next_cursor } = await page();
    expect(next_cursor).toBeNull();
    expect(actionsOf({ events })).toEqual(
      expect.arrayContaining(['tenant_founded', 'invite_created', 'member_joined']),
    );
    const times = events.map(({ recorded_at }: { recorded_at: string }) => recorded_at);
    expect(times).toEqual(times.toSorted().toReversed());
    const created = events.find(({ action }: { action: string }) => action === 'invite_created');
    expect(created).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      recorded_at: expect.stringMatching(/^20\d\d-.*Z$/),
      action: 'invite_created',
      actor: { kind: 'member', id: admin.userId },
      target: expect.any(String),
      address: expect.stringContaining('127.0.0.1'),
      request_id: expect.any(String),
      details: expect.any(Object),
    });
  });

  test('nothing of other tenants, and nothing that belongs to no tenant', async () => {
    const neighbor = await found(app);
    await add(neighbor.tenantId, 'topup_credited', 0);
    await add('', 'secrets_resealed', 0);
    expect(actionsOf(await page({ action: 'topup_credited' }))).toEqual([]);
    expect(actionsOf(await page({ action: 'secrets_resealed' }))).toEqual([]);
    expect(actionsOf(await page({ actor_id: admin.userId }, neighbor))).toEqual([]);
    expect(actionsOf(await page({ action: 'topup_credited' }, neighbor))).toEqual(['topup_credited']);
  });

  test('without the address of an operator', async () => {
    const query = `?tenant_id=${admin.tenantId}`;
    const { status } = await app.json('PATCH', `/api/tenants/security${query}`, {
      headers: operator,
      body: { mfa_required_for_sso: false },
    });
    expect(status).toBe(200);
    expect((await page({ actor_kind: 'operator_key' })).events).toMatchObject([
      { action: 'security_policy_changed', actor: { kind: 'operator_key', id: null }, address: null },
    ]);
  });
});

describe('audit.list filters', () => {
  test('by action and by actor', async () => {
    expect(actionsOf(await page({ action: 'member_joined' }))).toEqual(['member_joined']);
    const { events } = await page({ actor_id: admin.userId });
    expect(events.length).toBeGreaterThan(0);
    for (const { actor } of events) expect(actor).toEqual({ kind: 'member', id: admin.userId });
    expect(actionsOf(await page({ actor_id: "' or ''='" }))).toEqual([]);
    expect(actionsOf(await page({ actor_kind: 'operator_key' }))).not.toContain('member_joined');
  });

  test('by time: from `since` on, and before `until`, in any offset', async () => {
    const other = await found(app);
    await openSuperuser(app.superuserUrl)`delete from audit_log where tenant_id = ${other.tenantId}`;
    for (const [n, hour] of ['10', '11', '12'].entries())
      await openSuperuser(app.superuserUrl)`
        insert into audit_log (tenant_id, event_id, recorded_at, action, actor_kind)
        values (${other.tenantId}, md5(${String(n)}), ${`2026-03-01 ${hour}:00Z`}, ${`at ${hour}`}, 'server')`;
    const between = async (input: Fields) => actionsOf(await page(input, other));
    expect(await between({ since: '2026-03-01T11:00:00Z' })).toEqual(['at 12', 'at 11']);
    expect(await between({ until: '2026-03-01T11:00:00Z' })).toEqual(['at 10']);
    expect(await between({ since: '2026-03-01T12:00:00+01:00', until: '2026-03-01T12:00:00Z' })).toEqual([
      'at 11',
    ]);
  });
});

describe('audit.list returns pages', () => {
  test('each event once, even those of one moment', async () => {
    const other = await found(app);
    await add(other.tenantId, 'topup_credited', 5, 5);
    const ids = new Set<string>();
    let cursor: string | null = null;
    let pages = 0;
    do {
      const input: Fields = { action: 'topup_credited', limit: 2, ...(cursor === null ? {} : { cursor }) };
      const { events, next_cursor } = await page(input, other);
      for (const { id } of events) ids.add(id);
      cursor = next_cursor;
      pages += 1;
    } while (cursor);
    expect([ids.size, pages]).toEqual([5, 3]);
  });

  test('which end after 20,000 events that do not fit; the next continues from there', async () => {
    const other = await found(app);
    await add(other.tenantId, 'allowance_changed', 100);
    await add(other.tenantId, 'signed_out', 10, 21_000);
    const first = await page({ action: 'allowance_changed' }, other);
    expect(first).toEqual({ events: [], next_cursor: expect.any(String) });
    const second = await page({ action: 'allowance_changed', cursor: first.next_cursor }, other);
    expect([actionsOf(second), second.next_cursor]).toEqual([['allowance_changed'], null]);
  });
});

describe('audit.list rejects', () => {
  test.each([
    ['an unknown actor', { actor_kind: 'robot' }],
    ['a date without a time', { since: '2026-03-01' }],
    ['a year that is 10000 in UTC', { until: '9999-12-31T23:00:00-05:00' }],
    ['too many events', { limit: 201 }],
  ])('%s: 422', async (_, input) => {
    expect((await ask(input, admin.bearer)).status).toBe(422);
  });
});
