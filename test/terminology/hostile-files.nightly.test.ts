import { describe, expect, test } from 'vitest';
import { corpusFile } from '#test/corpus/files.ts';
import { zipOf } from '#test/formats/flatten-zip.ts';
import { inline, item, row, shared, workbookFiles, workbookOf } from '#test/formats/xlsx-file.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSets, refusal } from '../translation-memory/sets.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' } });

const text = (content: string) => inline(`<t>${content}</t>`);
const good = row(text('source'), text('target')) + row(text('a'), text('b'));
const withSheet = (change: (xml: string) => string, rows = good): Uint8Array => {
  const files = workbookFiles([{ rows }]);
  return zipOf({ ...files, 'xl/worksheets/s0.xml': change(`${files['xl/worksheets/s0.xml']}`) });
};
const withPart = (path: string, content: string, items?: string[]): Uint8Array =>
  zipOf({ ...workbookFiles([{ rows: good }], items), [path]: content });
const bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
const manyRows = (count: number, cells: string) => `<row>${cells}</row>`.repeat(count);
const manyParts = Object.fromEntries(Array.from({ length: 10_001 }, (_, n) => [`a${n}`, '']));

/** Files that are rejected, with a part of the message. */
const rejected: Record<string, [content: () => Uint8Array | string, message: string]> = {
  'a text': [() => 'source,target\na,b', 'not a zip archive'],
  'a PDF': [() => '%PDF-1.7\n%%EOF', 'not a zip archive'],
  'a workbook of Excel 97': [
    () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(2000)]),
    'an Office version before 2007',
  ],
  'a workbook with a password': [() => corpusFile('xlsx-bad/password.xlsx'), 'protected by a password'],
  'a workbook whose end is missing': [() => corpusFile('xlsx-bad/truncated.xlsx'), 'cannot be read'],
  'a Word file': [() => corpusFile('xlsx-bad/docx-renamed.xlsx'), 'not an Excel workbook'],
  'an empty zip': [() => zipOf({}), 'not an Excel workbook'],
  'a bomb of entities in the shared strings': [
    () => corpusFile('xlsx-bad/entity-bomb.xlsx'),
    'undefined entity',
  ],
  'a bomb of entities in the sheet': [
    () => withSheet((xml) => bomb + xml.replace('<t>a</t>', '<t>&b;</t>')),
    'undefined entity',
  ],
  'an external entity': [
    () =>
      withSheet(
        (xml) =>
          `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${xml.replace('<t>a</t>', '<t>&a;</t>')}`,
      ),
    'undefined entity',
  ],
  'shared strings of more than 80 MB': [
    () => corpusFile('xlsx-bad/shared-strings-over-80MB.xlsx'),
    '80,000,000',
  ],
  'a zip bomb of several parts': [
    () => zipOf({ ...workbookFiles([{ rows: good }]), 'xl/media/a.xml': Buffer.alloc(201_000_000) }),
    '200,000,000',
  ],
  'a part that is larger than declared': [
    () =>
      zipOf(workbookFiles([{ rows: good + manyRows(10_000, text('a')) }]), (entry) => {
        if (entry.name.includes('worksheets')) entry.size = 100;
      }),
    'larger than declared',
  ],
  'a part with a wrong checksum': [
    () =>
      zipOf(workbookFiles([{ rows: good }]), (entry) => {
        if (entry.name.includes('s0.xml')) entry.crc ^= 1;
      }),
    'damaged',
  ],
  'an encrypted part': [
    () =>
      zipOf(workbookFiles([{ rows: good }]), (entry) => {
        if (entry.name.includes('s0.xml')) entry.flags = 1;
      }),
    'protected by a password',
  ],
  'more than 10,000 parts': [() => zipOf({ ...workbookFiles([{ rows: good }]), ...manyParts }), '10,000'],
  'a missing sheet': [
    () => {
      const { 'xl/worksheets/s0.xml': _, ...files } = workbookFiles([{ rows: good }]);
      return zipOf(files);
    },
    'missing part',
  ],
  'a sheet that ends early': [() => withSheet((xml) => xml.slice(0, -30)), 'not well-formed'],
  'a sheet that is another part': [() => withPart('xl/worksheets/s0.xml', '<sst/>'), 'not an Excel workbook'],
  'a missing shared string': [
    () => workbookOf([{ rows: row(shared(9), shared(0)) }], [item('a')]),
    'shared string',
  ],
  'elements nested 3,000 deep': [
    () => withSheet((xml) => xml.replace('<t>a</t>', `${'<x>'.repeat(3000)}${'</x>'.repeat(3000)}`)),
    '2,000',
  ],
  'an element with 2,000 attributes': [
    () =>
      withSheet((xml) =>
        xml.replace('<t>a', `<t ${Array.from({ length: 2000 }, (_, n) => `a${n}=""`).join(' ')}>a`),
      ),
    '1,000',
  ],
  'a text of 9 million characters': [
    () => withSheet((xml) => xml.replace('<t>a', `<t>${'a'.repeat(9_000_000)}`)),
    '8,000,000',
  ],
  'a term of 30,000 characters': [
    () => withSheet((xml) => xml.replace('<t>a', `<t>${'a'.repeat(30_000)}`)),
    'cell A2: a term has more than 500 characters',
  ],
  'rows that are not in order': [
    () => withSheet((xml) => xml.replaceAll('<row>', '<row r="5">')),
    'not in order',
  ],
  'a row beyond the end of a sheet': [
    () => withSheet((xml) => xml.replace('<row>', '<row r="1048577">')),
    'not in order',
  ],
  'more than 100,000 rows': [
    () => workbookOf([{ rows: good + manyRows(100_001, '<c><v>1</v></c><c><v>2</v></c>') }]),
    '100,000 rows',
  ],
  'a formula without a result': [
    () =>
      workbookOf([
        { rows: row('<c><f>NOW()</f></c>', text('b')) + row('<c t="e"><v>#N/A</v></c>', text('b')) },
      ]),
    'no row of the file has both',
  ],
};

/** Files that look large, but are read. */
const accepted: Record<string, () => Uint8Array> = {
  'a dimension of 1,048,576 rows': () =>
    withSheet((xml) => xml.replace('<sheetData>', '<dimension ref="A1:XFD1048576"/><sheetData>')),
  'a term in the last row': () => withSheet((xml) => xml.replace(/<row>(?!.*<row>)/, '<row r="1048576">')),
  'columns up to XFD': () =>
    workbookOf([
      {
        rows: `<row>${text('source')}${text('target')}<c r="XFD1" t="b"><v>1</v></c></row>${row(text('a'), text('b'))}`,
      },
    ]),
  '1,000,000 blank cells': () => workbookOf([{ rows: good + manyRows(100_000, '<c/>'.repeat(10)) }]),
  'a merged range of a whole column': () =>
    workbookOf([{ rows: good, after: '<mergeCells><mergeCell ref="A2:A1048576"/></mergeCells>' }]),
  '200,000 cells with a long shared string': () =>
    workbookOf(
      [
        {
          rows:
            good +
            manyRows(50_000, shared(0, ' r="C3"').replace(' r="C3"', '').repeat(4)).replaceAll(
              '<row>',
              '<row hidden="1">',
            ),
        },
      ],
      [item('long '.repeat(6000))],
    ),
  '50,000 merged ranges': () =>
    workbookOf([
      {
        rows: good,
        after: `<mergeCells>${Array.from({ length: 50_000 }, (_, n) => `<mergeCell ref="A${2 * n + 1}:A${2 * n + 2}"/>`).join('')}</mergeCells>`,
      },
    ]),
};

describe('a hostile workbook', { timeout: 120_000 }, () => {
  test.each(Object.entries(rejected))(
    'with %s is rejected, and stores nothing',
    async (_, [content, message]) => {
      const mine = await openSets(app);
      const answer = await mine.uploadFile(content(), {}, { name: 'a.xlsx', type: null });
      expect(refusal(answer)).toEqual([400, expect.stringMatching(/^terminology_file: /)]);
      expect(answer.body.detail).toContain(message);
      expect(await mine.glossaries()).toEqual([]);
    },
  );

  test.each(Object.entries(accepted))('with %s is read', async (_, content) => {
    const mine = await openSets(app);
    const { status, body } = await mine.uploadFile(content(), {}, { name: 'a.xlsx', type: null });
    expect([status, body.detail, body.entry_count]).toEqual([200, undefined, 1]);
  });
});

describe('a hostile JSON file', { timeout: 120_000 }, () => {
  test.each<[string, () => string | Uint8Array, string]>([
    ['lists 1,000,000 deep', () => '['.repeat(1_000_000), 'nested more than 64 levels'],
    ['objects 1,000,000 deep', () => '{"a":'.repeat(1_000_000), 'nested more than 64 levels'],
    ['2,000,000 values', () => `[${'0,'.repeat(2_000_000)}0]`, '1,000,000 values'],
    ['a key of 5 MB', () => `{"${'k'.repeat(5_000_000)}": 1}`, 'must be a string'],
    ['a string of backslashes', () => `{"a": "${'\\\\'.repeat(2_000_000)}"}`, '500 characters'],
    ['a string of quotes', () => `{"a": "${'\\"'.repeat(1_000_000)}`, 'no closing quote'],
    ['spaces only', () => ' '.repeat(5_000_000), 'a JSON value is expected'],
    ['other bytes', () => Buffer.from([0xff, 0x00, 0xd8]), 'UTF-8'],
    ['a workbook', () => workbookOf([{ rows: good }]), 'UTF-8'],
  ])('with %s is rejected, and stores nothing', async (_, content, message) => {
    const mine = await openSets(app);
    const answer = await mine.uploadFile(content(), {}, { name: 'a.json', type: null });
    expect(refusal(answer)).toEqual([400, expect.stringMatching(/^terminology_file: /)]);
    expect(answer.body.detail.length).toBeLessThan(300);
    expect(answer.body.detail).toContain(message);
    expect(await mine.glossaries()).toEqual([]);
  });
});
