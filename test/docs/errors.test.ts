import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documentFailureDetail } from '#server/documents/schema.ts';
import { errorTable } from '#server/errors.ts';
import { readSettings } from '#server/settings.ts';

const read = (page: string) => readFileSync(join(import.meta.dirname, '../../docs', page), 'utf8');
const page = read('errors.md');
const rows = [...page.matchAll(/^\| (\d{3}) \| (`\w+`(?:, `\w+`)*) \| (.+) \| (.+) \|$/gm)];

test('the page lists each error_code of the service with its status, in order, and no other', () => {
  const answered = Object.entries(errorTable).map(([name, { status }]) => `${status} \`${name}\``);
  const listed = rows.flatMap(([, status, codes]) => codes!.split(', ').map((code) => `${status} ${code}`));
  expect(listed.toSorted()).toEqual(answered.toSorted());
  expect(rows.map(([, status]) => Number(status))).toEqual(
    rows.map(([, status]) => Number(status)).toSorted(),
  );
});

test('the page names each stable error prefix with its status', () => {
  const row = (prefix: string) => rows.find(([line]) => line.includes(`\`${prefix}\``))?.[1];
  expect(row('workspace_id_required:')).toBe('401');
  expect(row('terminology_max_terms_exceeded:')).toBe('422');
  expect(row('tm_max_segments_exceeded:')).toBe('422');
  expect(row('tm_import_in_progress:')).toBe('409');
});

test('each failure of a document is listed with a remedy', () => {
  const listed = [...read('translating-files.md').matchAll(/^\| (`\w+`.*?) \| /gm)].flatMap(([, codes]) =>
    [...(codes as string).matchAll(/`(\w+)`/g)].map(([, code]) => code),
  );
  expect(listed.sort()).toEqual([...documentFailureDetail.shape.code.options].sort());
});

test('the limits are those of the settings', () => {
  const settings = readSettings({}) as Record<string, unknown>;
  const listed = [...page.matchAll(/\(`([A-Z_]+)`\) \| ([\d,]+)/g)];
  expect(listed.length).toBeGreaterThan(5);
  for (const [, name, value] of listed)
    expect([name, Number((value as string).replaceAll(',', ''))]).toEqual([name, settings[name as string]]);
});
