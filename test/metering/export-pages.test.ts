import { expect, test } from 'vitest';
import { pageSize } from '#server/billing/metering/usage-ledger.ts';
import { env, found, operator } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { addRecords, fillLedger } from './ledger.ts';

const app = useTestApp({ env });

const newLedger = async (count: number, perMoment?: number) => {
  const { tenantId } = await found(app);
  await fillLedger(app, tenantId, count, perMoment);
  return tenantId;
};
const download = (tenantId: string, format: string) =>
  app.request(`/api/tenants/${tenantId}/billing/export?period=2026-09&format=${format}`, {
    headers: operator,
  });

interface Line {
  source_chars: number;
  recorded_at: string;
  job_id: string;
}

/** Expects a complete export: each record once, the oldest first, and by ID if times are equal. */
function expectWhole(records: Line[], count: number): void {
  const key = ({ recorded_at, job_id }: Line) => `${recorded_at} ${job_id}`;
  expect(records.map(({ source_chars }) => source_chars).sort((a, b) => a - b)).toEqual([
    ...Array(count).keys(),
  ]);
  expect(records.map(key)).toEqual(records.map(key).sort());
}

const jsonLines = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('records with equal times on both sides of a page’s end are neither lost nor repeated', async () => {
  // First seven records with each time, so that no page ends between two times. Then all records with the same time, on
  // three pages.
  for (const [count, perMoment] of [
    [2 * pageSize + 500, 7],
    [2 * pageSize + 10, 1_000_000],
  ] as const) {
    const tenantId = await newLedger(count, perMoment);
    expectWhole(jsonLines(await (await download(tenantId, 'jsonl')).text()), count);
  }
});

test.each([0, 1])('a ledger of a page and %i records is whole in each format', async (more) => {
  const count = pageSize + more;
  const tenantId = await newLedger(count);
  const [json, jsonl, csv] = await Promise.all(
    ['json', 'jsonl', 'csv'].map(async (format) => (await download(tenantId, format)).text()),
  );
  const { records, model_roster } = JSON.parse(json as string);
  expectWhole(records, count);
  expect(model_roster).toEqual(['writer']);
  expect(jsonLines(jsonl as string)).toEqual(records);
  const rows = (csv as string).split('\r\n');
  expect([rows.length, rows.at(-1)]).toEqual([count + 2, '']);
  expect(rows.slice(1, -1).map((row) => row.split(',')[0])).toEqual(
    records.map(({ job_id }: Line) => job_id),
  );
});

test('models of every page are in the roster, each once, sorted', async () => {
  const tenantId = await newLedger(pageSize + 1);
  await addRecords(app, tenantId, [
    { at: '2026-09-01T00:00:00Z', models: ['zebra', 'writer'] },
    { at: '2026-09-30T23:59:59Z', models: ['ant', 'zebra'] },
    { at: '2026-09-30T23:59:59Z', models: [] },
  ]);
  const { model_roster } = JSON.parse(await (await download(tenantId, 'json')).text());
  expect(model_roster).toEqual(['ant', 'writer', 'zebra']);
});
