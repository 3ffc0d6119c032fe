import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '#test/setup/app.ts';
import { answered, engineOf } from '#test/setup/engine.ts';
import {
  base,
  type Customer,
  type Headers,
  operator,
  provision,
  sessionOf,
  text,
} from '../billing/customers.ts';

const engine = engineOf(async ({ segments }) =>
  answered(
    segments.map((one) => `«${one}»`),
    7,
  ),
);
const app = useTestApp({ env: base, engine });

const shown = [
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
].toSorted();
const operators = [...shown, 'input_tokens', 'output_tokens', 'total_tokens', 'models'].toSorted();
const month = () => new Date().toISOString().slice(0, 7);

let mine: Customer;
let admin: Headers;
beforeAll(async () => {
  mine = await provision(app);
  admin = await sessionOf(app, mine);
  for (const [length, lang] of [
    [20, 'fr'],
    [10, 'ja'],
    [15, 'de'],
  ] as const)
    expect((await mine.translate(text(length), { target_lang: lang })).status).toBe(200);
});

async function exported(headers: Headers, query: string, of = mine) {
  const response = await app.request(`/api/tenants/${of.tenantId}/billing/export${query}`, { headers });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

type Row = Record<string, unknown>;

/** The rows of a csv without any cell that needs more than its quotes taken off. */
function rowsOf(csv: string): Row[] {
  const lines = csv.split(/\r?\n/).filter((line) => line !== '');
  const cells = (line: string) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)]
      .slice(0, line.endsWith(',') ? undefined : -1)
      .map(([, cell = '']) => cell.replace(/^"|"$/g, '').replaceAll('""', '"'));
  const [head = [], ...rows] = lines.map(cells);
  return rows.map((row) => Object.fromEntries(head.map((name, at) => [name, row[at]])));
}

/** The rows of an export of whatever format. */
async function rows(headers: Headers, format: string, more = '', of = mine): Promise<Row[]> {
  const { status, body } = await exported(headers, `?format=${format}${more}`, of);
  expect(status, body).toBe(200);
  if (format === 'json') return JSON.parse(body).records;
  if (format === 'jsonl')
    return body
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return rowsOf(body);
}

const formats = ['json', 'jsonl', 'csv'];

describe.each(formats)('C 3: export as %s', (format) => {
  test('is an attachment usage-<tenant>-<period>.<ext>', async () => {
    const { headers } = await exported(admin, `?format=${format}`);
    const named = (period: string) =>
      new RegExp(`^attachment; ?filename="?usage-${mine.tenantId}-${period}\\.${format}"?(;|$)`);
    expect(headers.get('content-disposition')).toMatch(named(month()));
    expect(headers.get('x-api-version')).toBe('2026-09-01');
    const march = await exported(admin, `?format=${format}&period=2026-03`);
    expect(march.headers.get('content-disposition')).toMatch(named('2026-03'));
  });

  test('A 2.5: an administrator sees no token field and no models, the operator sees all', async () => {
    const theirs = await rows(admin, format);
    expect(theirs).toHaveLength(3);
    for (const row of theirs) expect(Object.keys(row).toSorted()).toEqual(shown);
    const all = await rows(operator, format);
    expect(all).toHaveLength(3);
    for (const row of all) expect(Object.keys(row).toSorted()).toEqual(operators);
    expect((await exported(admin, `?format=${format}`)).body).not.toMatch(/token|model/);
  });

  test('agrees with the summary', async () => {
    const { records } = await mine.billing();
    const byJob = (list: Row[]) =>
      list.toSorted((a, b) => (String(a['job_id']) < String(b['job_id']) ? -1 : 1));
    const written = (row: Row) =>
      // A csv has no types: a number is its digits, null is nothing.
      format === 'csv'
        ? Object.fromEntries(
            Object.entries(row).flatMap(([key, value]) =>
              key === 'models' ? [] : [[key, String(value ?? '')]],
            ),
          )
        : row;
    const all = (await rows(operator, format)).map(({ ...row }) => {
      if (format === 'csv') delete row['models'];
      return row;
    });
    expect(byJob(all)).toEqual(byJob(records).map(written));
  });

  test('of a period without usage: no record', async () => {
    expect(await rows(admin, format, '&period=2026-03')).toEqual([]);
  });

  test('of another tenant: only that tenant’s records', async () => {
    const other = await provision(app);
    expect((await other.translate(text(30))).status).toBe(200);
    const [row, ...more] = await rows(operator, format, '', other);
    expect(more).toEqual([]);
    expect(row!['tenant_id']).toBe(other.tenantId);
    expect(Number(row!['billable_chars'])).toBe(30);
  });
});

describe('C 3: the shape of each format', () => {
  test('json: tenant, period, records; and the model roster for the operator', async () => {
    const read = async (headers: Headers) => JSON.parse((await exported(headers, '?format=json')).body);
    const theirs = await read(admin);
    expect(Object.keys(theirs).toSorted()).toEqual(['billing_period', 'records', 'tenant_id']);
    expect(theirs).toMatchObject({ tenant_id: mine.tenantId, billing_period: month() });
    const all = await read(operator);
    expect(Object.keys(all).toSorted()).toEqual(['billing_period', 'model_roster', 'records', 'tenant_id']);
    expect(JSON.stringify(all.model_roster)).toContain('model');
    expect((await exported(admin, '?format=json')).headers.get('content-type')).toMatch(/^application\/json/);
  });

  test('jsonl: a record a line, each closed by a newline', async () => {
    const { body } = await exported(admin, '?format=jsonl');
    expect(body.split('\n').filter((line) => line !== '')).toHaveLength(3);
  });

  test('csv: a header row, even without usage', async () => {
    const full = (await exported(admin, '?format=csv')).body.split(/\r?\n/);
    const empty = (await exported(admin, '?format=csv&period=2026-03')).body.split(/\r?\n/);
    expect(empty[0]).toBe(full[0]);
    expect(full[0]!.split(',').toSorted()).toEqual(shown);
    expect((await exported(admin, '?format=csv')).headers.get('content-type')).toMatch(/^text\/csv/);
  });

  test('C 7: another format is 422 with the array', async () => {
    for (const format of ['xml', 'JSON', '']) {
      const { status, body } = await exported(admin, `?format=${format}`);
      expect([format, status, Array.isArray(JSON.parse(body).detail)]).toEqual([format, 422, true]);
    }
  });
});
