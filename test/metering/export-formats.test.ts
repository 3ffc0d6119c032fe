import { beforeAll, describe, expect, test } from 'vitest';
import { env, found, operator, type Person } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { addRecords } from './ledger.ts';

const app = useTestApp({ env });

let mine: Person;
let other: Person;
const download = async (headers: Record<string, string>, tenantId: string, query: string) => {
  const response = await app.request(`/api/tenants/${tenantId}/billing/export?${query}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const own = (query: string) => download(mine.bearer, mine.tenantId, query);
const theirs = (query: string) => download(operator, mine.tenantId, query);

const tenantFields =
  'job_id,tenant_id,kind,billing_period,source_lang,target_lang,source_chars,billable_chars,job_status,fast_path,recorded_at';
const operatorFields = `${tenantFields},input_tokens,output_tokens,total_tokens,models`;

const first = 'a'.repeat(32);
const second = 'b'.repeat(32);
const id = () => mine.tenantId;

beforeAll(async () => {
  mine = await found(app);
  other = await found(app);
  await addRecords(app, id(), [
    { at: '2026-03-01T00:00:00.000Z', sourceChars: 99 },
    { at: '2026-02-28T23:59:59.999Z', jobId: second, models: ['judge', 'a "model", 2'], fastPath: 'memory' },
    {
      at: '2026-02-01T00:00:00.000Z',
      jobId: first,
      sourceChars: 5,
      billableChars: 18,
      targetLang: 'zh-Hans',
    },
    { at: '2026-01-31T23:59:59.999Z', sourceChars: 98 },
  ]);
  await addRecords(app, other.tenantId, [{ at: '2026-02-10T00:00:00Z' }]);
});

const record = (jobId: string) => ({
  job_id: jobId,
  tenant_id: id(),
  kind: 'text',
  billing_period: '2026-02',
  source_lang: 'en',
  target_lang: jobId === first ? 'zh-Hans' : 'fr',
  source_chars: jobId === first ? 5 : 10,
  billable_chars: jobId === first ? 18 : 10,
  job_status: 'published',
  fast_path: jobId === first ? null : 'memory',
  recorded_at: jobId === first ? '2026-02-01T00:00:00.000Z' : '2026-02-28T23:59:59.999Z',
});
const operatorRecord = (jobId: string) => ({
  ...record(jobId),
  input_tokens: 7,
  output_tokens: 3,
  total_tokens: 10,
  models: jobId === first ? ['writer'] : ['judge', 'a "model", 2'],
});

describe('json (A 2.5, C 3)', () => {
  test('an operator: the oldest record first, from the period’s first millisecond to its last, with the models of all', async () => {
    const { status, headers, text } = await theirs('period=2026-02');
    expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
      200,
      'application/json; charset=utf-8',
      `attachment; filename="usage-${id()}-2026-02.json"`,
    ]);
    expect(JSON.parse(text)).toEqual({
      tenant_id: id(),
      billing_period: '2026-02',
      records: [operatorRecord(first), operatorRecord(second)],
      model_roster: ['a "model", 2', 'judge', 'writer'],
    });
    expect(Object.keys(JSON.parse(text).records[0]).join()).toBe(operatorFields);
  });

  test('an administrator: neither tokens nor models, nor their roster', async () => {
    const { text } = await own('format=json&period=2026-02');
    expect(JSON.parse(text)).toEqual({
      tenant_id: id(),
      billing_period: '2026-02',
      records: [record(first), record(second)],
    });
    expect(Object.keys(JSON.parse(text).records[0]).join()).toBe(tenantFields);
  });
});

describe('jsonl (A 2.5, C 3)', () => {
  test('a record a line, for an operator and for an administrator', async () => {
    const { headers, text } = await theirs('format=jsonl&period=2026-02');
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="usage-${id()}-2026-02.jsonl"`);
    expect(text.endsWith('}\n')).toBe(true);
    const lines = (all: string) =>
      all
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    expect(lines(text)).toEqual([operatorRecord(first), operatorRecord(second)]);
    expect(lines((await own('format=jsonl&period=2026-02')).text)).toEqual([record(first), record(second)]);
  });
});

describe('csv (A 2.5, C 3, RFC 4180)', () => {
  test('a header row, CRLF, nothing for null, quotes where they are needed', async () => {
    const { headers, text } = await theirs('format=csv&period=2026-02');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="usage-${id()}-2026-02.csv"`);
    expect(text).toBe(
      [
        operatorFields,
        `${first},${id()},text,2026-02,en,zh-Hans,5,18,published,,2026-02-01T00:00:00.000Z,7,3,10,"[""writer""]"`,
        `${second},${id()},text,2026-02,en,fr,10,10,published,"memory",2026-02-28T23:59:59.999Z,7,3,10,"[""judge"", ""a \\""model\\"", 2""]"`,
        '',
      ].join('\r\n'),
    );
  });

  test('cells that a spreadsheet would run are escaped as text, and CSV’s own characters are quoted', async () => {
    const { tenantId, bearer } = await found(app);
    const paths = ['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', 'a,b', 'a"b', 'a\r\nb', ''];
    await addRecords(
      app,
      tenantId,
      paths.map((fastPath, i) => ({ at: `2026-02-01T00:00:${10 + i}Z`, fastPath })),
    );
    const { text } = await download(bearer, tenantId, 'format=csv&period=2026-02');
    const cells = [...text.matchAll(/,published,"((?:[^"]|"")*)",2026-/g)].map(([, cell]) => cell);
    expect(cells).toEqual([
      ...["'=1+1", "'+1", "'-1", "'@x", "'\t=1", "'\r=1"],
      ...['a,b', 'a""b', 'a\r\nb', ''],
    ]);
  });
});

describe('who may export (A 4.4)', () => {
  test.each([
    ['format', 'format=xml'],
    ['format', 'format='],
    ['period', 'period=2026-13'],
  ])('422 naming %s: %s', async (field, query) => {
    const { status, text } = await own(query);
    expect([status, JSON.parse(text).detail[0].loc]).toEqual([422, ['query', field]]);
  });
});
