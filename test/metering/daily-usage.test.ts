import { beforeAll, describe, expect, test } from 'vitest';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
} from '#test/factories/operators.ts';
import { found, operator, type Person } from '#test/factories.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { addRecords } from './ledger.ts';

const app = useTestApp({ env: operatorEnv });

let mine: Person;
let other: Person;
const daily = (headers: Record<string, string>, query = '') =>
  app.json('GET', `/api/tenants/usage/daily${query}`, { headers });

const from = '2026-02-27';
const to = '2026-03-01';
const range = `?from=${from}&to=${to}`;

beforeAll(async () => {
  await openOperators(app);
  mine = await found(app);
  other = await found(app);
  await addRecords(app, mine.tenantId, [
    { at: '2026-02-26T23:59:59.999Z', sourceChars: 1000 },
    { at: '2026-02-27T00:00:00.000Z', sourceChars: 1, billableChars: 4 },
    { at: '2026-03-01T23:59:59.999Z', sourceChars: 2 },
    { at: '2026-03-02T00:00:00.000Z', sourceChars: 2000 },
  ]);
  // Records of the same day that another connection has counted, and records under another plan.
  await addRecords(app, mine.tenantId, [{ at: '2026-02-27T12:00:00Z', sourceChars: 5 }], { slot: 7 });
  await addRecords(app, mine.tenantId, [{ at: '2026-02-27T13:00:00Z', sourceChars: 6 }], {
    allowanceWindow: '2026-02-27T12:30:00.000Z',
  });
  await addRecords(app, other.tenantId, [{ at: '2026-02-27T08:00:00Z', sourceChars: 100 }]);
});

const tokens = (jobs: number) => ({
  input_tokens: 7 * jobs,
  output_tokens: 3 * jobs,
  total_tokens: 10 * jobs,
});

describe('GET /api/tenants/usage/daily (A 4.4, C 3)', () => {
  test('an administrator: its own days, both ends included, zeros for unused days, characters only', async () => {
    const { status, body } = await daily(mine.bearer, range);
    expect([status, body]).toEqual([
      200,
      {
        tenant_id: mine.tenantId,
        from,
        to,
        days: [
          { date: '2026-02-27', jobs: 3, billable_chars: 15 },
          { date: '2026-02-28', jobs: 0, billable_chars: 0 },
          { date: '2026-03-01', jobs: 1, billable_chars: 2 },
        ],
        totals: { jobs: 4, billable_chars: 17 },
      },
    ]);
  });

  test('the operator names a tenant: its days and totals, with tokens', async () => {
    const { body } = await daily(operator, `${range}&tenant_id=${mine.tenantId}`);
    expect(body.tenant_id).toBe(mine.tenantId);
    expect(body.days[0]).toEqual({ date: from, jobs: 3, billable_chars: 15, ...tokens(3) });
    expect(body.days[1]).toEqual({ date: '2026-02-28', jobs: 0, billable_chars: 0, ...tokens(0) });
    expect(body.totals).toEqual({ jobs: 4, billable_chars: 17, ...tokens(4) });
  });

  test('the operator names none: the sum over all tenants', async () => {
    const { body } = await daily(operator, range);
    expect(body.tenant_id).toBeNull();
    expect(body.days[0]).toEqual({ date: from, jobs: 4, billable_chars: 115, ...tokens(4) });
    expect(body.totals).toEqual({ jobs: 5, billable_chars: 117, ...tokens(5) });
  });

  test('a designated operator’s session sees the same as the key', async () => {
    const { bearer } = await addAdministrator(app, 'first@ops.example');
    for (const query of [range, `${range}&tenant_id=${mine.tenantId}`])
      expect((await daily(bearer, query)).body).toEqual((await daily(operator, query)).body);
    const own = (await daily(bearer, `${range}&tenant_id=${operatorWorkspace}`)).body;
    expect([own.tenant_id, own.totals]).toEqual([
      operatorWorkspace,
      { jobs: 0, billable_chars: 0, ...tokens(0) },
    ]);
  });

  test('X-Tenant-ID narrows the operator key to that tenant', async () => {
    const narrowed = { ...operator, 'x-tenant-id': other.tenantId };
    const { body } = await daily(narrowed, range);
    expect([body.tenant_id, body.totals.jobs]).toEqual([other.tenantId, 1]);
    expect((await daily(narrowed, `${range}&tenant_id=${mine.tenantId}`)).status).toBe(404);
  });

  test('an unknown tenant is 404 to the operator', async () => {
    for (const named of ['nobody', '*', 'default', '']) {
      const { status, body } = await daily(operator, `${range}&tenant_id=${named}`);
      expect([status, body.detail]).toEqual([404, 'tenant not found']);
    }
  });
});

describe('the range', () => {
  const ends = async (query: string) => {
    const { body } = await daily(mine.bearer, query);
    return [body.from, body.to, body.days.length];
  };
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

  test('is the last 30 days by default', async () => {
    expect(await ends('')).toEqual([daysAgo(29), daysAgo(0), 30]);
  });

  test('ends today if only from is given, and has 30 days if only to is', async () => {
    expect(await ends(`?from=${daysAgo(4)}`)).toEqual([daysAgo(4), daysAgo(0), 5]);
    expect(await ends('?to=2024-03-01')).toEqual(['2024-02-01', '2024-03-01', 30]);
  });

  test('does not begin before the first day that it accepts', async () => {
    expect(await ends('?to=1000-01-02')).toEqual(['1000-01-01', '1000-01-02', 2]);
  });

  test('has at most 366 days', async () => {
    expect(await ends('?from=2023-03-01&to=2024-02-29')).toEqual(['2023-03-01', '2024-02-29', 366]);
    const { status, body } = await daily(mine.bearer, '?from=2023-02-28&to=2024-02-29');
    expect([status, body]).toEqual([400, refusalOf('date range must not exceed 366 days')]);
    expect((await daily(mine.bearer, '?from=1000-01-01&to=9999-12-31')).status).toBe(400);
  });

  test.each([
    ['from', '?from=2026-02-29'],
    ['from', '?from=2026-02-01T00:00:00Z'],
    ['to', '?to=2026-13-01'],
    ['from', '?from=2026-03-02&to=2026-03-01'],
    ['from', '?from=9999-01-01'],
  ])('422 naming %s: %s', async (field, query) => {
    const { status, body } = await daily(mine.bearer, query);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', field]]);
  });
});
