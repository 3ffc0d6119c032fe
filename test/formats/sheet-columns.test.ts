import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { LayoutFormat } from '#server/formats/document.ts';
import { plainText } from '#server/formats/inline-content.ts';
import { ods } from '#server/formats/opendocument.ts';
import type { Selection } from '#server/formats/selection.ts';
import * as xlsx from '#server/formats/xlsx.ts';
import { zipOf } from './flatten-zip.ts';
import { fileOf } from './opendocument-file.ts';
import { inline, row, workbookFiles, workbookOf } from './xlsx-file.ts';

/* Limits, formats and columns of sheets: a row is a sheet, read as XLSX and as ODS. */

const languages = { sourceLanguage: 'en', targetLanguage: 'fr' };

async function read(format: LayoutFormat, bytes: Uint8Array, selection: Selection = {}) {
  const options = { ...languages, ...selection };
  await format.check(bytes, undefined, selection);
  const { segments, outcome, findings, excludeColumns } = await format.extract(bytes, options);
  expect(outcome?.unaccounted).toBe(0);
  const translations = segments.map(({ regionId, cellId, source }) => ({
    ...{ regionId, cellId },
    target: [`${plainText(source)} là`],
  }));
  const rebuilt = await format.rebuild(bytes, translations, options);
  return {
    texts: segments.map(({ source }) => plainText(source)),
    limits: Object.fromEntries(
      segments.flatMap(({ source, maxLength, lengthUnit }) =>
        maxLength === undefined ? [] : [[plainText(source), `${maxLength} ${lengthUnit}`]],
      ),
    ),
    kept: outcome!.kept.map(({ class: kind, reason, texts }) => `${kind} ${reason} ${texts}`),
    found: findings.map(({ code, message }) => `${code}: ${message}`),
    excludeColumns,
    tooLong: rebuilt.findings.filter(({ code }) => code === 'text_too_long').map(({ message }) => message),
    written: unzipSync(rebuilt.bytes),
  };
}

const cells = (texts: readonly string[]) => row(...texts.map((text) => inline(`<t>${text}</t>`)));
const sheet = (...rows: readonly string[][]) =>
  workbookOf([
    { name: 'Labels', rows: rows.map(cells).join('') },
    { name: 'Rest', rows: cells(['a.b', 'c']) },
  ]);
const odsSheet = (name: string, rows: readonly string[][]) =>
  `<table:table table:name="${name}">${rows
    .map(
      (one) =>
        `<table:table-row>${one.map((text) => `<table:table-cell office:value-type="string"><text:p>${text}</text:p></table:table-cell>`).join('')}</table:table-row>`,
    )
    .join('')}</table:table>`;
const spreadsheet = (...rows: readonly string[][]) =>
  fileOf({ kind: 'spreadsheet', body: odsSheet('Labels', rows) + odsSheet('Rest', [['a.b', 'c']]) });

const keys = [
  ['Key', 'Text'],
  ['btn.start', 'Start'],
  ['btn.stop', 'Stop it'],
  ['MAX_SIZE', 'Size'],
  ['itemCount', 'Door.'],
  ['price', 'Price'],
];

describe.each([
  ['xlsx', xlsx, sheet],
  ['ods', ods, spreadsheet],
] as const)('columns of a sheet: %s', (_, format, make) => {
  it('names a column that looks like keys, and translates it', async () => {
    const { texts, found, excludeColumns } = await read(format, make(...keys));
    expect(excludeColumns).toEqual(['Labels!A']);
    expect(texts).toContain('btn.start');
    expect(found).toContain(
      'columns_of_keys: the texts of Labels!A look like keys ("btn.start", "btn.stop", "MAX_SIZE"); add the column to `exclude_columns` to keep them',
    );
  });

  it.each([
    ['words', [['Word'], ['Start'], ['STOP'], ['Size']]],
    ['two keys', [['Key'], ['a.b'], ['c.d']]],
    ['keys and as many words', [['Key'], ['a.b'], ['c.d'], ['e.f'], ['Door'], ['Wall'], ['Roof']]],
  ])('does not name a column of %s', async (_name, rows) => {
    const { excludeColumns } = await read(format, make(...rows.map(([one = '']) => [one, `Text of ${one}`])));
    expect(excludeColumns).toBeUndefined();
  });

  it('does not name the only column', async () => {
    expect((await read(format, make(['Key'], ['a.b'], ['c.d'], ['e.f']))).excludeColumns).toBeUndefined();
  });

  it.each([
    ['A', ['Text', 'Start', 'Stop it', 'Size', 'Door.', 'Price', 'c']],
    ['Labels!a', ['Text', 'Start', 'Stop it', 'Size', 'Door.', 'Price', 'a.b', 'c']],
    ["'Labels'!$A", ['Text', 'Start', 'Stop it', 'Size', 'Door.', 'Price', 'a.b', 'c']],
  ])('leaves %s out', async (column, texts) => {
    const found = await read(format, make(...keys), { excludeColumns: [column] });
    expect(found.texts).toEqual(texts);
    expect(found.kept.some((one) => / columns [67]$/.test(one))).toBe(true);
    const content = Object.values(found.written)
      .map((part) => strFromU8(part))
      .join('');
    expect(content).toContain('>btn.start<');
    expect(content).toContain('Start là');
  });

  it.each(['1', 'A1', 'XFE', 'Labels!', ''])('rejects %s, which does not name a column', async (column) => {
    await expect(format.check(make(...keys), undefined, { excludeColumns: [column] })).rejects.toThrow(
      /exclude_columns: ".*" is not a column/,
    );
  });
});

describe('the lengths that cells accept', () => {
  const validated = (after: string) =>
    workbookOf([{ name: 'S', rows: cells(['Start', 'Stop']) + cells(['Wall', 'Roof']), after }]);
  const rule = (attributes: string, formulas: string) =>
    `<dataValidations><dataValidation ${attributes}>${formulas}</dataValidation></dataValidations>`;

  it.each([
    [
      'at most',
      rule('type="textLength" operator="lessThanOrEqual" sqref="A1"', '<formula1>6</formula1>'),
      { Start: '6 characters' },
    ],
    [
      'less',
      rule('type="textLength" operator="lessThan" sqref="A1:B1"', '<formula1>7</formula1>'),
      { Start: '6 characters', Stop: '6 characters' },
    ],
    [
      'between, in several ranges',
      rule('type="textLength" sqref="A1 B2"', '<formula1>1</formula1><formula2>9</formula2>'),
      { Start: '9 characters', Roof: '9 characters' },
    ],
    [
      'a formula',
      rule('type="custom" sqref="A1:A9"', '<formula1>LEN(A1)&lt;=12</formula1>'),
      { Start: '12 characters', Wall: '12 characters' },
    ],
    ['at least', rule('type="textLength" operator="greaterThan" sqref="A1"', '<formula1>6</formula1>'), {}],
    [
      'a limit in a cell',
      rule('type="textLength" operator="lessThan" sqref="A1"', '<formula1>$C$1</formula1>'),
      {},
    ],
    ['another rule', rule('type="whole" operator="lessThan" sqref="A1"', '<formula1>7</formula1>'), {}],
    [
      'a rule of newer files',
      '<extLst><ext><x14:dataValidations xmlns:x14="x" xmlns:xm="y"><x14:dataValidation type="textLength" operator="equal"><x14:formula1><xm:f>8</xm:f></x14:formula1><xm:sqref>B1</xm:sqref></x14:dataValidation></x14:dataValidations></ext></extLst>',
      { Stop: '8 characters' },
    ],
  ])('%s', async (_, after, limits) => {
    expect((await read(xlsx, validated(after))).limits).toEqual(limits);
  });

  it('names a translation that is longer', async () => {
    const after = rule('type="textLength" operator="lessThan" sqref="A1:B1"', '<formula1>8</formula1>');
    expect((await read(xlsx, validated(after))).tooLong).toEqual([
      'the translation of S!A1 has 8 characters; the cell accepts 7',
    ]);
  });

  it.each([
    ['cell-content-text-length()&lt;=6', '6 characters'],
    ['cell-content-text-length()&lt;6', '5 characters'],
    ['cell-content-text-length-is-between(2,9)', '9 characters'],
    ['cell-content-text-length()&gt;6', undefined],
  ])('in an ODS: %s', async (condition, limit) => {
    const body = `<table:content-validations><table:content-validation table:name="v" table:condition="of:${condition}"/></table:content-validations><table:table table:name="S"><table:table-row><table:table-cell office:value-type="string" table:content-validation-name="v"><text:p>Start</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Stop</text:p></table:table-cell></table:table-row></table:table>`;
    const { limits, tooLong } = await read(ods, fileOf({ kind: 'spreadsheet', body }));
    expect(limits).toEqual(limit === undefined ? {} : { Start: limit });
    expect(tooLong.length).toBe(limit === '9 characters' || limit === undefined ? 0 : 1);
  });
});

describe('the words of number formats', () => {
  /** A workbook whose sheets have a number in each style, from 1. */
  function formatted(codes: readonly string[], sheets: readonly (readonly number[])[]) {
    const files = workbookFiles(
      sheets.map((styles) => ({ rows: row(...styles.map((style) => `<c s="${style}"><v>5</v></c>`)) })),
    );
    const rels = 'xl/_rels/workbook.xml.rels';
    files[rels] = `${files[rels]}`.replace(
      '</',
      '<Relationship Id="st" Type="urn:x/styles" Target="styles.xml"/></',
    );
    files['xl/styles.xml'] =
      `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts>${codes.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${code.replaceAll('"', '&quot;')}"/>`).join('')}</numFmts><cellXfs><xf/>${codes.map((_, at) => `<xf numFmtId="${164 + at}"/>`).join('')}</cellXfs></styleSheet>`;
    return zipOf(files);
  }
  const codeOf = (written: Record<string, Uint8Array>) =>
    [...strFromU8(written['xl/styles.xml']!).matchAll(/formatCode="([^"]*)"/g)].map(([, code = '']) =>
      code.replaceAll('&quot;', '"'),
    );

  it.each([
    ['0" pieces"', ['pieces'], '0" pieces là"'],
    ['"Due: "0.00;[Red]"Paid"', ['Due:', 'Paid'], '"Due: là "0.00;[Red]"Paid là"'],
    ['0\\ \\p\\c\\s', ['pcs'], '0" pcs là"'],
    ['0" m"', [], '0" m"'],
    ['[$EUR-407] 0.00_"x"', [], '[$EUR-407] 0.00_"x"'],
    ['yyyy-mm-dd hh:mm AM/PM', [], 'yyyy-mm-dd hh:mm AM/PM'],
  ])('%s', async (code, texts, written) => {
    const found = await read(xlsx, formatted([code], [[1]]));
    expect(found.texts).toEqual(texts);
    expect(codeOf(found.written)).toEqual([written]);
  });

  it('leaves a format that no cell uses, and one of a sheet that is not selected', async () => {
    const bytes = formatted(['0" one"', '0" two"', '0" three"'], [[1, 2], [2]]);
    const found = await read(xlsx, bytes, { pages: ['Sheet1'] });
    expect(found.texts).toEqual(['one']);
    expect(found.kept).toContain('not_selected pages 1');
    expect(codeOf(found.written)).toEqual(['0" one là"', '0" two"', '0" three"']);
  });

  it('keeps a format whose translation is too long for Excel', async () => {
    const long = `0" ${'word '.repeat(50)}"`;
    expect(codeOf((await read(xlsx, formatted([long], [[1]]))).written)).toEqual([long]);
  });
});
