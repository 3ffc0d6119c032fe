import { describe, expect, it } from 'vitest';
import type { FileErrorReason } from '#server/formats/file-error.ts';
import { check, extract, rebuild } from '#server/formats/xlsx.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { zipOf } from './flatten-zip.ts';
import { inline, item, row, shared, table, workbookFiles, workbookOf } from './xlsx-file.ts';

const options = { sourceLanguage: 'en', targetLanguage: 'fr' };

interface Expected {
  /** The error reason before a job exists; null if the file passes this check. */
  check: FileErrorReason | null;
  /** The error reason in the job; null if the job succeeds. */
  extract: FileErrorReason | null;
  message?: string;
}

const refusedAtOnce = (reason: FileErrorReason, message = ''): Expected => ({
  check: reason,
  extract: reason,
  message,
});

const expected: Record<string, Expected> = {
  'docx-renamed.xlsx': refusedAtOnce('unreadable', 'not an Excel workbook'),
  'entity-bomb.xlsx': refusedAtOnce('unreadable', 'undefined entity'),
  // Macros are kept.
  'macro-renamed.xlsx': { check: null, extract: null },
  'over-2000000-chars.xlsx': { check: null, extract: 'too_large', message: '2,000,000' },
  'over-50000-segments.xlsx': { check: null, extract: 'too_large', message: '50,000' },
  'password.xlsx': refusedAtOnce('protected'),
  'shared-string-index-out-of-range.xlsx': refusedAtOnce('unreadable', 'shared string'),
  'shared-strings-over-80MB.xlsx': refusedAtOnce('too_large', '80,000,000'),
  'truncated.xlsx': refusedAtOnce('unreadable'),
};

const rebuildNothing = (bytes: Uint8Array): Promise<unknown> => rebuild(bytes, [], options);

const outcome = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
    return null;
  } catch (error) {
    return error;
  }
};

describe('a hostile workbook', () => {
  it('has a line here', () => {
    expect(corpusNames('xlsx-bad')).toEqual(Object.keys(expected));
  });

  it.each(Object.entries(expected))(
    '%s',
    async (name, { check: atCheck, extract: atExtract, message = '' }) => {
      const bytes = corpusFile(`xlsx-bad/${name}`);
      for (const [work, reason] of [
        [check, atCheck],
        [extract, atExtract],
      ] as const) {
        const cpu = process.cpuUsage();
        const error = await outcome(work(bytes));
        const { user, system } = process.cpuUsage(cpu);
        if (reason === null) expect(error).toBeNull();
        else {
          expect(error).toMatchObject({ name: 'FileError', reason });
          expect((error as Error).message).toContain(message);
        }
        expect((user + system) / 1e6).toBeLessThan(2);
      }
    },
  );
});

const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main';

describe('the workbook is refused as unreadable', () => {
  const sheet = { rows: row(shared(0)) };
  const good = (): Record<string, string> =>
    workbookFiles([sheet, sheet], [item('a')]) as Record<string, string>;
  const changed = (path: string, from: string | RegExp, to: string): Uint8Array => {
    const files = good();
    const next = files[path]!.replace(from, to);
    expect(next).not.toBe(files[path]);
    return zipOf({ ...files, [path]: next });
  };
  const without = (path: string): Uint8Array => {
    const { [path]: _, ...rest } = good();
    return zipOf(rest);
  };
  const rows = (xml: string): Uint8Array => workbookOf([{ rows: xml }], [item('a')]);
  const types = '[Content_Types].xml';
  const main = 'xl/workbook.xml';
  const relations = 'xl/_rels/workbook.xml.rels';

  it.each<[rule: string, bytes: Uint8Array]>([
    ['without its list of content types', without(types)],
    ['without its main part', without(main)],
    ['without a sheet that it names', without('xl/worksheets/s1.xml')],
    ['without the shared strings that it names', without('xl/sharedStrings.xml')],
    ['of another type: a Word file', changed(types, 'spreadsheetml.sheet', 'wordprocessingml.document')],
    [
      'of another type: a binary workbook',
      changed(types, workbookType, 'application/vnd.ms-excel.sheet.binary.macroEnabled.main'),
    ],
    ['with another root element', changed(main, /workbook/g, 'document')],
    ['in another namespace', changed(main, 'spreadsheetml/2006', 'spreadsheetml/2007')],
    ['with a sheet of another root', changed('xl/worksheets/s0.xml', /worksheet/g, 'chartsheet')],
    ['with a sheet that has no relationship', changed(main, 'r:id="s1"', 'r:id="s7"')],
    [
      'with a sheet outside the file',
      changed(relations, 'Target="worksheets/s1.xml"', 'Target="http://example.com/" TargetMode="External"'),
    ],
    ['with two sheets of one part', changed(relations, 'worksheets/s1.xml', 'worksheets/s0.xml')],
    ['with XML that is not well-formed, in a sheet', changed('xl/worksheets/s1.xml', '</worksheet>', '')],
    ['with XML that is not well-formed, in the shared strings', changed('xl/sharedStrings.xml', '</si>', '')],
    [
      'with an encoding that Office files do not have',
      changed('xl/sharedStrings.xml', /^/, '<?xml version="1.0" encoding="ISO-8859-1"?>'),
    ],
    [
      'with bytes that are not in its encoding',
      zipOf({ ...good(), 'xl/sharedStrings.xml': Buffer.from([0x3c, 0xff]) }),
    ],
    ['with an empty part', zipOf({ ...good(), 'xl/worksheets/s1.xml': '' })],
    ['with a negative index', rows(row('<c t="s"><v>-1</v></c>'))],
    ['with an index behind the last entry', rows(row(shared(1)))],
    ['with shared strings in cells, but without a table of them', workbookOf([sheet])],
    ['with a cell twice', rows(row(shared(0, ' r="B1"'), shared(0, ' r="B1"')))],
    ['with cells out of order', rows(row(shared(0, ' r="B1"'), shared(0, ' r="A1"')))],
    ['with a row twice', rows('<row r="2"/><row r="2"/>')],
    ['with a cell of another row', rows(`<row r="2">${shared(0, ' r="A1"')}</row>`)],
    ['with a reference that is none', rows(row(shared(0, ' r="1A"')))],
    ['with a cell outside the sheet', rows(row(shared(0, ' r="XFE1"')))],
    ['with a row outside the sheet', rows('<row r="1048577"/>')],
    ['with an array formula without cells', rows(row('<c><f t="array" ref="">A</f></c>'))],
    ['with a table without cells', workbookOf([{ rows: '', parts: table('T', '#REF!') }])],
  ])('%s', async (_, bytes) => {
    for (const work of [check, extract, rebuildNothing])
      expect(await outcome(work(bytes))).toMatchObject({ name: 'FileError', reason: 'unreadable' });
  });

  it('with a part of another kind of text that is not well-formed', async () => {
    for (const type of ['comments', 'drawing', 'chart']) {
      const bytes = workbookOf([{ rows: '', parts: { 'drawings/d.xml': [type, '<d>'] } }]);
      for (const work of [check, extract])
        expect(await outcome(work(bytes))).toMatchObject({ reason: 'unreadable' });
    }
  });

  it('but not if it is sound: the file that those were made from', async () => {
    await expect(check(zipOf(good()))).resolves.toBeUndefined();
  });
});

describe('the workbook is refused as too large', () => {
  const nested = (depth: number): string => `${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
  it.each<[rule: string, bytes: () => Uint8Array, message: string]>([
    ['with elements inside each other', () => workbookOf([{ rows: row(nested(5000)) }]), 'depth'],
    [
      'with a text without an end',
      () => workbookOf([{ rows: row(inline(`<t>${'a'.repeat(9_000_000)}</t>`)) }]),
      'the length of a text',
    ],
    [
      'with a comment without an end',
      () => workbookOf([{ rows: `<!--${'a'.repeat(9_000_000)}-->` }]),
      'the length of a text',
    ],
    [
      'with array formulas over whole sheets',
      () =>
        workbookOf([
          {
            rows: Array.from({ length: 4000 }, () => row('<c><f t="array" ref="A1:XFD1048576"/></c>')).join(
              '',
            ),
          },
        ]),
      'array formulas',
    ],
  ])('%s', async (_, make, message) => {
    const bytes = make();
    for (const work of [check, extract, rebuildNothing]) {
      const error = await outcome(work(bytes));
      expect(error).toMatchObject({ name: 'FileError', reason: 'too_large' });
      expect((error as Error).message).toContain(message);
    }
  });

  it('with more than 300,000 texts, although they are equal', async () => {
    const cells = (count: number): Uint8Array =>
      workbookOf([{ rows: row(...Array<string>(10).fill(shared(0))).repeat(count / 10) }], [item('ab')]);
    expect((await extract(cells(300_000))).segments).toHaveLength(300_000);
    expect(await outcome(extract(cells(300_010)))).toMatchObject({ reason: 'too_large' });
  });
});
