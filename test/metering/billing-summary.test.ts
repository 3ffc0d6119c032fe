import { beforeAll, describe, expect, test } from 'vitest';
import { env, found, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { addRecords } from './ledger.ts';

const app = useTestApp({ env });

let mine: Person;
let other: Person;
const summary = (headers: Record<string, string>, tenantId: string, query = '') =>
  app.json('GET', `/api/tenants/${tenantId}/billing${query}`, { headers });
const own = (query = '') => summary(mine.bearer, mine.tenantId, query);

const chars = (body: { records: { source_chars: number }[] }) => body.records.map((one) => one.source_chars);

const tenantFields = [
  'job_id',
  'tenant_id',
  'kind',
  'billing_period',
  'source_lang',
  'target_lang',
  'source_chars',
  'billable_chars',
  'job_status',
  'fast_path',
  'recorded_at',
];
const operatorFields = [...tenantFields, 'input_tokens', 'output_tokens', 'total_tokens', 'models'];

beforeAll(async () => {
  mine = await found(app);
  other = await found(app);
  await addRecords(app, mine.tenantId, [
    { at: '2026-01-31T23:59:59.999Z', sourceChars: 1 },
    { at: '2026-02-01T00:00:00.000Z', sourceChars: 2, billableChars: 7, fastPath: 'memory' },
    { at: '2026-02-14T10:00:00.123Z', sourceChars: 3, kind: 'document', jobStatus: 'failed' },
    { at: '2026-02-28T23:59:59.999Z', sourceChars: 4 },
    { at: '2026-03-01T00:00:00.000Z', sourceChars: 5 },
  ]);
  await addRecords(app, other.tenantId, [{ at: '2026-02-14T00:00:00Z', sourceChars: 1000 }]);
});

describe('GET /api/tenants/{tenant_id}/billing (A 4.4, C 3)', () => {
  test('the figures of the period, and its records, latest first', async () => {
    const { status, body, headers } = await own('?period=2026-02');
    const { allowance, topup, trial, records, ...figures } = body;
    expect(trial).toBeNull();
    expect([status, headers.get('x-next-cursor'), figures]).toEqual([
      200,
      null,
      {
        tenant_id: mine.tenantId,
        billing_period: '2026-02',
        jobs: 3,
        source_chars: 9,
        billable_chars: 14,
        monthly_char_limit: 500_000,
      },
    ]);
    expect(Object.keys(allowance)).toEqual(['window_start', 'limit', 'used', 'reserved', 'remaining']);
    expect(Object.keys(topup)).toEqual(['purchased', 'used', 'balance']);
    expect(chars({ records })).toEqual([4, 3, 2]);
    expect(records[1]).toEqual({
      job_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      tenant_id: mine.tenantId,
      kind: 'document',
      billing_period: '2026-02',
      source_lang: 'en',
      target_lang: 'fr',
      source_chars: 3,
      billable_chars: 3,
      job_status: 'failed',
      fast_path: null,
      recorded_at: '2026-02-14T10:00:00.123Z',
    });
  });

  test('only an operator’s records carry tokens and models', async () => {
    const theirs = (await summary(operator, mine.tenantId, '?period=2026-02')).body.records[0];
    expect(Object.keys(theirs)).toEqual(operatorFields);
    expect(theirs).toMatchObject({ input_tokens: 7, output_tokens: 3, total_tokens: 10, models: ['writer'] });
    const ours = (await own('?period=2026-02')).body.records[0];
    expect(Object.keys(ours)).toEqual(tenantFields);
  });

  test.each([
    ['period', '?period=2026-00'],
    ['period', '?period=0026-01'],
    ['limit', '?limit=0'],
    ['limit', '?limit=1001'],
    ['cursor', '?cursor=zzz'],
  ])('422 naming %s: %s', async (field, query) => {
    const { status, body } = await own(query);
    expect([status, body.detail[0].loc]).toEqual([422, ['query', field]]);
  });

  test('the last period that can be named has an end', async () => {
    expect((await own('?period=9999-12')).body).toMatchObject({ jobs: 0, records: [] });
  });
});

describe('its records come in pages', () => {
  const walk = async (tenantId: string, query: string) => {
    const seen: number[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor ? `&cursor=${cursor}` : '';
      const page = await summary(operator, tenantId, `${query}${more}`);
      seen.push(...chars(page.body));
      expect(page.body.jobs).toBe(7);
      cursor = page.headers.get('x-next-cursor');
    } while (cursor !== null);
    return seen;
  };

  test('without gaps or repeats, even among records of one moment', async () => {
    const { tenantId } = await found(app);
    const at = '2026-02-10T00:00:00Z';
    await addRecords(app, tenantId, [
      { at: '2026-02-01T00:00:00Z', sourceChars: 1 },
      ...[2, 3, 4, 5].map((sourceChars) => ({ at, sourceChars, jobId: `${sourceChars}`.repeat(32) })),
      { at: '2026-02-20T00:00:00Z', sourceChars: 6 },
      { at: '2026-02-28T00:00:00Z', sourceChars: 7 },
    ]);
    for (const limit of [1, 2, 3, 7])
      expect(await walk(tenantId, `?period=2026-02&limit=${limit}`)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });

  test('a cursor of another period shows only the requested one', async () => {
    const later = await own('?period=2026-02&limit=1');
    const cursor = later.headers.get('x-next-cursor');
    expect(chars((await own(`?period=2026-01&cursor=${cursor}`)).body)).toEqual([1]);
    expect(chars((await own(`?period=2026-03&cursor=${cursor}`)).body)).toEqual([]);
  });
});
