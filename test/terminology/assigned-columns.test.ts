import { beforeEach, describe, expect, test } from 'vitest';
import { readGlossaryCsv } from '#server/formats/glossary/csv.ts';
import { viaRpc } from '#test/contract/call.ts';
import type { Fields } from '#test/factories.ts';
import { inline, row, workbookOf } from '#test/formats/xlsx-file.ts';
import { refusalOf, useTestApp } from '#test/setup/app.ts';
import { openSets, type Sets } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });
const pair = { source_lang: 'de', target_lang: 'en' };
const file = 'Nr;Begriff;Übersetzung;Verboten\n1;Rechnung;invoice;x\n2;Miete;rent;\n';
const columns = [null, 'source_term', 'target_term', null];
const table = { has_header: true, columns };

let mine: Sets;
beforeEach(async () => {
  mine = await openSets(app);
});

const call = (path: string, content: string | Uint8Array, fields: Fields = {}) =>
  viaRpc(
    app,
    { path: `terminology.${path}`, type: 'mutation' },
    {
      input: {
        ...{
          file_name: 'terms.csv',
          content: Buffer.from(content as string).toString('base64'),
          name: 'House',
        },
        ...pair,
        ...fields,
      },
      headers: mine.headers,
    },
  );

const termsOf = ({ changes }: { changes: Fields[] }) =>
  changes.map(({ after }) => {
    const { source_term, target_term, priority } = after as Fields;
    return [source_term, target_term, priority];
  });

const text = (content: string) => inline(`<t>${content}</t>`);
const sheet = (...rows: string[][]) =>
  workbookOf([{ name: 'Terms', rows: rows.map((cells) => row(...cells.map(text))).join('') }]);

describe('the columns of a glossary file', () => {
  test('are in the preview, with those that are not used', async () => {
    const { body } = await call(
      'previewUpload',
      'English,Deutsch,Context,Part of speech,Tags\nlease,Pacht,c,noun,x\n',
    );
    expect(body.table).toEqual({
      has_header: true,
      columns: [
        { name: 'English', column: 'target_term' },
        { name: 'Deutsch', column: 'source_term' },
        { name: 'Context', column: null },
        { name: 'Part of speech', column: 'part_of_speech' },
        { name: 'Tags', column: null },
      ],
    });
    expect(body.line_warnings.map(({ code, name }: Fields) => `${code} ${name}`)).toEqual([
      'unused Context',
      'unused Tags',
    ]);
    const { body: json } = await call('previewUpload', '{"a":"b"}', { file_name: 'a.json' });
    expect(json.table).toBe(null);
  });

  test('of a header that is not recognized are in the error, which names them and what is accepted', async () => {
    const header = file.replaceAll(';', ',');
    const unread = [
      { name: 'Nr', column: 'source_term' },
      { name: 'Begriff', column: 'target_term' },
      { name: 'Übersetzung', column: 'source_lang' },
      { name: 'Verboten', column: 'target_lang' },
    ];
    const why =
      'source_lang is not a supported language in column C; Chinese and Portuguese need their variant, such as zh-Hans or pt-BR; if this is a header, it needs the columns source_term and target_term, or columns with the names or codes of both languages';
    const hint = 'not recognized as columns: “Begriff”, “Übersetzung”';
    const workbook = sheet(
      ...header
        .trim()
        .split('\n')
        .map((line) => line.split(',')),
    );
    for (const [at, content, file_name] of [
      ['line 1', header, 'a.csv'],
      ['cell C1', workbook, 'a.xlsx'],
    ] as const) {
      const { status, body } = await call('previewUpload', content, { file_name });
      expect([status, body]).toEqual([
        400,
        refusalOf(`terminology_file: ${at}: ${why}`, {
          hint,
          present: { has_header: false, columns: unread },
        }),
      ]);
    }
  });

  test('are used as assigned, by the preview and by the import, and a repeated import changes nothing', async () => {
    const { body } = await call('previewUpload', file, { table });
    expect(termsOf(body)).toEqual([
      ['Rechnung', 'invoice', 0],
      ['Miete', 'rent', 0],
    ]);
    const { body: first } = await call('applyPreview', file, { table, revision: null });
    expect(first).toMatchObject({ entry_count: 2, ...pair, warnings: [] });
    expect((await call('applyPreview', file, { table, revision: null })).body).toEqual(first);
    // Other columns are another request, which the changed glossary rejects.
    const swapped = { ...table, columns: [null, 'target_term', 'source_term', null] };
    expect((await call('applyPreview', file, { table: swapped, revision: null })).status).toBe(409);
    const numbered = { ...table, columns: ['priority', 'source_term', 'target_term', null] };
    expect(termsOf((await call('previewUpload', file, { table: numbered })).body)).toEqual([
      ['Rechnung', 'invoice', 1],
      ['Miete', 'rent', 2],
    ]);
  });

  test('of a workbook are used as assigned, also if the first row is a term or names languages', async () => {
    const fields = { file_name: 'a.xlsx', source_lang: undefined, target_lang: undefined };
    const names = sheet(['x', 'Deutsch', 'English', 'Français'], ['y', 'Miete', 'rent', 'loyer']);
    const french = { has_header: true, columns: [null, 'source_term', null, 'target_term'] };
    const { body } = await call('previewUpload', names, { ...fields, table: french });
    expect(body.changes).toMatchObject([
      { after: { source_lang: 'de', target_lang: 'fr', source_term: 'Miete', target_term: 'loyer' } },
    ]);
    const { body: whole } = await call('previewUpload', names, {
      ...{ ...fields, table: { ...french, has_header: false } },
    });
    expect(termsOf(whole)).toEqual([
      ['Deutsch', 'Français', 0],
      ['Miete', 'loyer', 0],
    ]);
  });

  test.each<[string, Fields]>([
    ['no column of the translation', { has_header: true, columns: ['source_term', null] }],
    ['one use twice', { has_header: true, columns: ['source_term', 'target_term', 'target_term'] }],
    ['an unknown use', { has_header: true, columns: ['source_term', 'target_term', 'context'] }],
    [
      'too many columns',
      { has_header: true, columns: ['source_term', 'target_term', ...Array(999).fill(null)] },
    ],
  ])('with %s are rejected', async (_, assigned) => {
    const { status, body } = await call('previewUpload', file, { table: assigned });
    expect([status, body.detail[0].loc]).toEqual([422, expect.arrayContaining(['table'])]);
    expect(await mine.glossaries()).toEqual([]);
  });

  test('that the file does not have give no terms', async () => {
    const far = { has_header: true, columns: [...Array(20).fill(null), 'source_term', 'target_term'] };
    const { status, body } = await call('previewUpload', file, { table: far });
    expect([status, body.detail]).toEqual([
      ...[400, 'terminology_file: no row of the file has both a source term and a target term'],
    ]);
    expect(body.present.columns).toHaveLength(4);
  });
});

test('names of columns are cut, and at most 1,000 are listed', () => {
  const names = Array.from({ length: 1000 }, (_, n) => `${n}${'😀'.repeat(200)}`);
  const { table: read } = readGlossaryCsv(Buffer.from(`${names.join(',')}\n${names.join(',')}`), undefined, {
    ...{ hasHeader: true, columns: ['source_term', 'target_term'] },
  });
  expect(read?.columns).toHaveLength(1000);
  expect(Math.max(...(read?.columns ?? []).map(({ name }) => name.length))).toBeLessThanOrEqual(100);
});
