import { beforeEach, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import {
  base,
  bearer,
  type Customer,
  customer,
  type Headers,
  operator,
  provision,
  refusal,
  sessionOf,
  text,
} from '../billing/customers.ts';

// Each text costs 7 tokens each way to translate, and nothing to judge.
const engine = engineOf(async ({ segments }) =>
  answered(
    segments.map((one) => `«${one}»`),
    7,
  ),
);
const app = useTestApp({ env: base, engine });

let mine: Customer;
let admin: Headers;
let developer: Headers;
beforeEach(async () => {
  mine = await provision(app);
  admin = await sessionOf(app, mine);
  developer = await sessionOf(app, mine, 'agent_id_developer');
});

const DAILY = '/api/tenants/usage/daily';
const daily = (headers: Headers, query = '') => app.json('GET', `${DAILY}${query}`, { headers });
const billing = (headers: Headers, query = '', of = mine.tenantId) =>
  app.json('GET', `/api/tenants/${of}/billing${query}`, { headers });

const day = (offset = 0) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const month = () => day().slice(0, 7);

/** Puts a job’s record, with its total, into the past. */
async function moveTo(date: string): Promise<void> {
  const sql = openSuperuser(app.superuserUrl);
  await sql`update usage_totals set day = ${date} where tenant_id = ${mine.tenantId} and day = ${day()}`;
  await sql`
    update usage_records set recorded_at = ${`${date}T12:00:00Z`}, billing_period = ${date.slice(0, 7)}
    where tenant_id = ${mine.tenantId} and recorded_at >= ${`${day()}T00:00:00Z`}`;
}

describe('A 5.2: who may read usage', () => {
  const paths = () => [
    DAILY,
    `/api/tenants/${mine.tenantId}/billing`,
    `/api/tenants/${mine.tenantId}/billing/export?format=json`,
  ];

  test('no credential, and a tenant’s API key: 401 admin credentials required', async () => {
    for (const path of paths())
      for (const headers of [{}, { 'x-api-key': 'wrong' }, mine.headers, bearer(mine.headers['x-api-key']!)])
        expect(refusal(await app.json('GET', path, { headers }))).toEqual([
          401,
          'admin credentials required',
        ]);
  });

  test('a member who is no administrator: 403 admin role required', async () => {
    for (const path of paths())
      expect(refusal(await app.json('GET', path, { headers: developer }))).toEqual([
        403,
        'admin role required',
      ]);
  });

  test('an administrator by bearer and by cookie, and the operator key', async () => {
    const cookie = { cookie: `ll_session=${admin['authorization']!.replace('Bearer ', '')}` };
    for (const path of paths())
      for (const headers of [admin, cookie, operator])
        expect((await app.request(path, { headers })).status).toBe(200);
  });

  test('an administrator’s foreign tenant: 404 by id, unknown or not', async () => {
    const other = await provision(app);
    expect((await other.translate(text(10))).status).toBe(200);
    for (const id of [other.tenantId, 'f'.repeat(32), 'nobody'])
      for (const rest of ['billing', 'billing/export?format=json'])
        expect((await app.json('GET', `/api/tenants/${id}/${rest}`, { headers: admin })).status).toBe(404);
  });

  test('the operator’s unknown tenant: 404', async () => {
    for (const id of ['f'.repeat(32), 'nobody'])
      for (const rest of ['billing', 'billing/export?format=json'])
        expect((await app.json('GET', `/api/tenants/${id}/${rest}`, { headers: operator })).status).toBe(404);
  });

  test('C 7: a foreign tenant_id of usage/daily is ignored for an administrator', async () => {
    const other = await provision(app);
    expect((await other.translate(text(10))).status).toBe(200);
    const { status, body } = await daily(admin, `?tenant_id=${other.tenantId}`);
    expect([status, body.tenant_id, body.totals.billable_chars]).toEqual([200, mine.tenantId, 0]);
  });
});

describe('C 3: usage/daily', () => {
  test('by default the last 30 days, up to today, with zeros for unused days', async () => {
    expect((await mine.translate(text(20))).status).toBe(200);
    expect((await mine.translate(text(30))).status).toBe(200);
    const { status, body } = await daily(admin);
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(['days', 'from', 'tenant_id', 'to', 'totals']);
    expect(body).toMatchObject({ tenant_id: mine.tenantId, from: day(-29), to: day() });
    expect(body.days.map(({ date }: { date: string }) => date)).toEqual(
      Array.from({ length: 30 }, (_, at) => day(at - 29)),
    );
    expect(body.days.at(-1)).toEqual({ date: day(), jobs: 2, billable_chars: 50 });
    for (const one of body.days.slice(0, -1))
      expect(one).toEqual({ date: one.date, jobs: 0, billable_chars: 0 });
    expect(body.totals).toEqual({ jobs: 2, billable_chars: 50 });
  });

  test('from and to are inclusive, and each day is of UTC', async () => {
    for (const [length, date] of [
      [10, '2026-02-28'],
      [20, '2026-03-01'],
      [40, '2026-03-02'],
      [80, '2026-03-03'],
    ] as const) {
      expect((await mine.translate(text(length))).status).toBe(200);
      await moveTo(date);
    }
    const { body } = await daily(admin, '?from=2026-03-01&to=2026-03-02');
    expect(body.days).toEqual([
      { date: '2026-03-01', jobs: 1, billable_chars: 20 },
      { date: '2026-03-02', jobs: 1, billable_chars: 40 },
    ]);
    expect(body.totals).toEqual({ jobs: 2, billable_chars: 60 });
    const leap = await daily(admin, '?from=2024-02-28&to=2024-03-01');
    expect(leap.body.days.map(({ date }: { date: string }) => date)).toEqual([
      '2024-02-28',
      '2024-02-29',
      '2024-03-01',
    ]);
  });

  test('a single day', async () => {
    const { body } = await daily(admin, `?from=${day()}&to=${day()}`);
    expect(body.days).toEqual([{ date: day(), jobs: 0, billable_chars: 0 }]);
  });

  test('A 4.4: at most 366 days, both ends counted (C 7)', async () => {
    const most = await daily(admin, '?from=2025-01-01&to=2026-01-01');
    expect([most.status, most.body.days.length]).toEqual([200, 366]);
    for (const query of ['?from=2025-01-01&to=2026-01-02', '?from=1990-01-01&to=2029-12-31'])
      for (const headers of [admin, operator])
        expect(refusal(await daily(headers, query))).toEqual([400, 'date range must not exceed 366 days']);
  });

  test.each([
    'from=2026-13-01',
    'from=2026-02-30',
    'to=yesterday',
    'from=2026-1-1',
    'to=2026-01-01T00:00:00Z',
  ])('C 7: %s is not a date: 422 with the array', async (query) => {
    const { status, body } = await daily(admin, `?${query}`);
    expect([status, Array.isArray(body.detail)]).toEqual([422, true]);
  });

  test('C 7: the operator’s days and totals carry the three token counters, an administrator’s do not', async () => {
    expect((await mine.translate(text(20))).status).toBe(200);
    const { body } = await daily(operator, `?tenant_id=${mine.tenantId}`);
    const use = { jobs: 1, billable_chars: 20, input_tokens: 7, output_tokens: 7, total_tokens: 14 };
    expect(body).toMatchObject({ tenant_id: mine.tenantId, totals: use });
    expect(body.days.at(-1)).toEqual({ date: day(), ...use });
    const none = { jobs: 0, billable_chars: 0, input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    expect(body.days[0]).toEqual({ date: day(-29), ...none });
    expect(JSON.stringify((await daily(admin)).body)).not.toContain('token');
  });

  test('C 7: without tenant_id the operator gets the sum over all tenants', async () => {
    const before = (await daily(operator)).body;
    expect((await mine.translate(text(20))).status).toBe(200);
    const other = await provision(app);
    expect((await other.translate(text(30))).status).toBe(200);
    const { body } = await daily(operator);
    expect(body.tenant_id).toBeNull();
    for (const [then, now] of [
      [before.totals, body.totals],
      [before.days.at(-1), body.days.at(-1)],
    ])
      expect([
        now.jobs - then.jobs,
        now.billable_chars - then.billable_chars,
        now.total_tokens - then.total_tokens,
      ]).toEqual([2, 50, 28]);
  });

  test('deleted jobs stay counted as used', async () => {
    const { body } = await mine.translate(text(20));
    const removed = await app.json('DELETE', `/api/translations/${body.id}`, { headers: admin });
    expect(removed.status).toBe(200);
    expect((await daily(admin)).body.totals).toEqual({ jobs: 1, billable_chars: 20 });
    expect((await mine.billing()).records).toHaveLength(1);
  });

  test('a failed job is not counted', async () => {
    const { headers, tenantId } = mine;
    expect((await customer(app, tenantId, headers).translate(' ')).status).toBe(400);
    expect((await daily(admin)).body.totals.jobs).toBe(0);
  });
});

describe('C 3: billing, TenantUsageSummary', () => {
  test('of the current period, by default', async () => {
    const { body: job } = await mine.translate(text(20), { target_lang: 'ja' });
    const { status, body } = await billing(admin);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      tenant_id: mine.tenantId,
      billing_period: month(),
      jobs: 1,
      source_chars: 20,
      billable_chars: 70,
      monthly_char_limit: 500_000,
      allowance: { limit: 500_000, used: 70, reserved: 0, remaining: 499_930 },
      topup: { purchased: 0, used: 0, balance: 0 },
    });
    expect(Object.keys(body.allowance).toSorted()).toEqual(
      ['limit', 'remaining', 'reserved', 'used', 'window_start'].toSorted(),
    );
    expect(body.records).toEqual([
      {
        job_id: job.id,
        tenant_id: mine.tenantId,
        kind: 'text',
        billing_period: month(),
        source_lang: 'en',
        target_lang: 'ja',
        source_chars: 20,
        billable_chars: 70,
        job_status: 'published',
        fast_path: null,
        recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      },
    ]);
  });

  test('the operator’s records carry tokens and models, an administrator’s do not', async () => {
    expect((await mine.translate(text(20))).status).toBe(200);
    const [record] = (await billing(operator)).body.records;
    expect(record).toMatchObject({ input_tokens: 7, output_tokens: 7, total_tokens: 14, models: ['model'] });
    expect(JSON.stringify((await billing(admin)).body)).not.toMatch(/token|model/);
  });

  test('C 7: text is billed when the pipeline finishes, held for review too', async () => {
    const { body: job } = await mine.translate(text(20), { domain: 'legal' });
    expect(job.status).toBe('awaiting_review');
    expect((await billing(admin)).body).toMatchObject({ jobs: 1, billable_chars: 20 });
    const review = { action: 'reject', reviewer: 'R' };
    const headers = mine.headers;
    await app.json('POST', `/api/translations/${job.id}/review`, { headers, body: review });
    expect((await billing(admin)).body).toMatchObject({ jobs: 1, billable_chars: 20 });
  });

  test('period selects the usage', async () => {
    expect((await mine.translate(text(20))).status).toBe(200);
    await moveTo('2026-03-31');
    expect((await mine.translate(text(30))).status).toBe(200);
    const march = (await billing(admin, '?period=2026-03')).body;
    expect(march).toMatchObject({ billing_period: '2026-03', jobs: 1, billable_chars: 20, source_chars: 20 });
    expect(march.records).toHaveLength(1);
    const february = (await billing(admin, '?period=2026-02')).body;
    expect(february).toMatchObject({ billing_period: '2026-02', jobs: 0, billable_chars: 0, records: [] });
    expect((await billing(admin, `?period=${month()}`)).body).toMatchObject({ jobs: 1, billable_chars: 30 });
  });

  test.each(['2026', '2026-3', '2026-13', '2026-00', '2026-03-01', 'now', ''])(
    'C 7: a period of %s is invalid: 422 with the array',
    async (period) => {
      for (const path of ['billing?', 'billing/export?format=json&']) {
        const { status, body } = await app.json(
          'GET',
          `/api/tenants/${mine.tenantId}/${path}period=${period}`,
          { headers: admin },
        );
        expect([period, status, Array.isArray(body.detail)]).toEqual([period, 422, true]);
      }
    },
  );
});
