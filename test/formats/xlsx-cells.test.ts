import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/xlsx.ts';
import { zipOf } from './flatten-zip.ts';
import {
  inline,
  item,
  row,
  shared,
  shownIn,
  textsOf,
  translated,
  workbookFiles,
  workbookOf,
} from './xlsx-file.ts';

const partOf = (bytes: Uint8Array, path: string): string => Buffer.from(unzipSync(bytes)[path]!).toString();
const options = { sourceLanguage: 'en', targetLanguage: 'fr' };

describe('what is translated', () => {
  it('is each cell with a text that has a letter, in the order of the sheets', async () => {
    const bytes = workbookOf(
      [
        { name: 'First &amp; last', rows: row(shared(0), shared(1), inline('<t>Inline</t>')) },
        { name: 'Second', rows: row('<c t="str"><v>Plain</v></c>', shared(0)) },
      ],
      [item('One'), item('12.5 %')],
    );
    const { segments, pageCount } = await extract(bytes);
    expect(pageCount).toBe(2);
    expect(segments).toEqual([
      { regionId: 'sheet1', cellId: 'A1', kind: 'cell', page: 1, place: 'First & last!A1', source: ['One'] },
      {
        regionId: 'sheet1',
        cellId: 'C1',
        kind: 'cell',
        page: 1,
        place: 'First & last!C1',
        source: ['Inline'],
      },
      { regionId: 'sheet2', cellId: 'A1', kind: 'cell', page: 2, place: 'Second!A1', source: ['Plain'] },
      { regionId: 'sheet2', cellId: 'B1', kind: 'cell', page: 2, place: 'Second!B1', source: ['One'] },
    ]);
    expect(shownIn(await translated(bytes, (text) => text.toUpperCase()))).toEqual([
      'ONE',
      '12.5 %',
      'INLINE',
    ]);
    expect(shownIn(await translated(bytes, (text) => text.toUpperCase()), 1)).toEqual(['PLAIN', 'ONE']);
  });

  it.each<[rule: string, cell: string]>([
    ['a number', '<c><v>5</v></c>'],
    ['an error', '<c t="e"><v>#NAME?</v></c>'],
    ['a date', '<c t="d"><v>2026-11-21T00:00:00</v></c>'],
    ['a text without a letter', inline('<t>(12) +34 € – №</t>')],
    ['a formula with a text as its result', '<c t="str"><f>A1</f><v>Text</v></c>'],
    ['a formula with a shared string as its result', '<c t="s"><f>A1</f><v>0</v></c>'],
    ['a shared formula', '<c t="str"><f t="shared" si="0"/><v>Text</v></c>'],
    ['an empty inline text', '<c t="inlineStr"><is/></c>'],
    ['a cell of an extension', '<x:c xmlns:x="urn:x" t="str"><v>Text</v></x:c>'],
  ])('is not %s, which stays as it is', async (_, cell) => {
    const bytes = workbookOf([{ rows: row(inline('<t>Other</t>'), cell) }], [item('Shared')]);
    expect(await textsOf(bytes)).toEqual({ 'Sheet1!A1': 'Other' });
    const result = await translated(bytes, 'Autre');
    expect(partOf(result, 'xl/worksheets/s0.xml')).toBe(
      partOf(bytes, 'xl/worksheets/s0.xml').replace('Other', 'Autre'),
    );
    expect(partOf(result, 'xl/sharedStrings.xml')).toBe(partOf(bytes, 'xl/sharedStrings.xml'));
  });

  it('is not the result of a formula that fills several cells', async () => {
    const cell = (text: string): string => `<c t="str"><v>${text}</v></c>`;
    for (const formula of ['t="array" ref="B2:C3"', 't="dataTable" ref="B2:C3"']) {
      const bytes = workbookOf([
        {
          rows: [
            row(cell('a1'), cell('b1'), cell('c1'), cell('d1')),
            row(cell('a2'), `<c t="str"><f ${formula}>X</f><v>b2</v></c>`, cell('c2'), cell('d2')),
            row(cell('a3'), cell('b3'), cell('c3'), cell('d3')),
            row(cell('a4'), cell('b4'), cell('c4'), cell('d4')),
          ].join(''),
        },
      ]);
      expect(Object.values(await textsOf(bytes)).join(' ')).toBe('a1 b1 c1 d1 a2 d2 a3 d3 a4 b4 c4 d4');
    }
  });

  it('is not the result of the larger of two such formulas, where one reaches into the other', async () => {
    const array = (ref: string): string => `<c t="str"><f t="array" ref="${ref}">X</f><v>f</v></c>`;
    const cell = '<c t="str"><v>a</v></c>';
    const rows = [
      row(array('A1:B3'), array('B1:B2')),
      row(cell, cell),
      row(cell, cell),
      row(cell, cell),
    ].join('');
    expect(Object.keys(await textsOf(workbookOf([{ rows }])))).toEqual(['Sheet1!A4', 'Sheet1!B4']);
  });

  it('is also what is hidden', async () => {
    const rows = `<row r="1" hidden="1">${inline('<t>Row</t>')}</row>`;
    expect(await textsOf(workbookOf([{ rows }]))).toEqual({ 'Sheet1!A1': 'Row' });
    const files = workbookFiles([{ rows }, { rows }]);
    files['xl/workbook.xml'] = `${files['xl/workbook.xml']}`.replace(
      'sheetId="1"',
      'sheetId="1" state="veryHidden"',
    );
    expect(Object.keys(await textsOf(zipOf(files)))).toEqual(['Sheet1!A1', 'Sheet2!A1']);
  });

  it('is rich text as plain text, and phonetic runs are dropped with it', async () => {
    const rich =
      '<r><t xml:space="preserve">Bold </t></r><r><rPr><b/></rPr><t>word</t></r>' +
      '<rPh sb="0" eb="1"><t>READING</t></rPh><phoneticPr fontId="1"/>';
    const bytes = workbookOf([{ rows: row(shared(0, ' s="7"'), inline(rich)) }], [`<si>${rich}</si>`]);
    expect(await textsOf(bytes)).toEqual({ 'Sheet1!A1': 'Bold word', 'Sheet1!B1': 'Bold word' });
    const result = await translated(bytes, 'Mot gras');
    expect(partOf(result, 'xl/sharedStrings.xml')).toContain('<si><t>Mot gras</t></si>');
    expect(partOf(result, 'xl/worksheets/s0.xml')).toContain(
      '<c s="7" t="s"><v>0</v></c><c t="inlineStr"><is><t>Mot gras</t></is></c>',
    );
  });

  it('is without the white space around it, which stays', async () => {
    const bytes = workbookOf(
      [{ rows: row(shared(0), inline('<t xml:space="preserve">\u00a0 b\n</t>')) }],
      [`<si><t xml:space="preserve">  a\t</t></si>`],
    );
    expect(await textsOf(bytes)).toEqual({ 'Sheet1!A1': 'a', 'Sheet1!B1': 'b' });
    const result = await translated(bytes, 'x y');
    expect(shownIn(result)).toEqual(['  x y\t', '\u00a0 x y\n']);
    expect(partOf(result, 'xl/sharedStrings.xml')).toContain('<t xml:space="preserve">  x y\t</t>');
    expect(partOf(result, 'xl/worksheets/s0.xml')).toContain('<t xml:space="preserve">\u00a0 x y\n</t>');
  });

  it('has line breaks as line feeds', async () => {
    const bytes = workbookOf([{ rows: row(shared(0)) }], [item('a_x000D_&#10;b&#xA;c_x000D_d')]);
    expect(await textsOf(bytes)).toEqual({ 'Sheet1!A1': 'a\nb\nc\nd' });
    const result = await translated(bytes, 'e\nf');
    expect(partOf(result, 'xl/sharedStrings.xml')).toContain('<t xml:space="preserve">e\nf</t>');
    // A text that differs only in its line breaks is not written.
    expect(Buffer.compare(await translated(bytes, (text) => text), bytes)).toBe(0);
  });

  it('reads references, CDATA and the spelling of characters that XML cannot hold', async () => {
    const bytes = workbookOf(
      [{ rows: row(shared(0), shared(1), shared(2)) }],
      [
        item('a &amp; &#x1F600;<![CDATA[ <b> ]]>'),
        item('x_x0007_y _x005F_x0007_ _x0000_ _xD83D__xDE00_'),
        item('a_xD83D_b'),
      ],
    );
    expect(await textsOf(bytes)).toEqual({
      'Sheet1!A1': 'a & 😀 <b>',
      'Sheet1!B1': 'x\u0007y _x0007_ _x0000_ 😀',
      'Sheet1!C1': 'a_xD83D_b',
    });
  });

  it.each([
    '=SUM(A1:A3)',
    '<b>&amp;</b> ]]> "quoted"',
    '_x0041_ _x000D_ _x005F_x0041_ _x005F_',
    'bell \u0007, form feed \f, escape \u001b, \ufffe, \uffff, next line \u0085',
    'carriage\rreturn',
  ])('writes %j so that it is read as this text', async (text) => {
    const bytes = workbookOf(
      [{ rows: row(shared(0), inline('<t>b</t>'), '<c t="str"><v>c</v></c>') }],
      [item('a')],
    );
    const result = await translated(bytes, text);
    expect(shownIn(result)).toEqual([text, text, text]);
    // They are written as texts, and not as formulas or numbers.
    expect(partOf(result, 'xl/worksheets/s0.xml')).not.toMatch(/<f|t="(?:n|b|e)"/);
    expect(Object.values(await textsOf(result))).toEqual(Array(3).fill(text.trim().replaceAll('\r', '\n')));
  });

  it('writes a translation with tags as its text', async () => {
    const bytes = workbookOf([{ rows: row(inline('<t>a</t>')) }]);
    const target = ['one', { tag: 1, type: 'void' as const, text: '\n' }, 'two'];
    const result = await rebuild(bytes, [{ regionId: 'sheet1', cellId: 'A1', target }], options);
    expect(shownIn(result.bytes)).toEqual(['one\ntwo']);
  });
});

describe('a text that is too long for a cell', () => {
  const bytes = workbookOf([{ name: 'Long', rows: row(inline('<t>a</t>'), inline('<t>b</t>')) }]);

  it('is cut at 32,767 characters, with a finding', async () => {
    const translations = ['A1', 'B1'].map((cellId, index) => ({
      regionId: 'sheet1',
      cellId,
      target: ['x'.repeat(32_767 + index)],
    }));
    const { bytes: result, findings } = await rebuild(bytes, translations, options);
    expect(shownIn(result).map((text) => text?.length)).toEqual([32_767, 32_767]);
    expect(findings).toEqual([
      {
        severity: 'warning',
        code: 'text_truncated',
        message:
          'the translation of Long!B1 is longer than the 32,767 characters that a cell can hold, and was cut',
        unitId: 'B1',
      },
    ]);
  });
});

describe('translations', () => {
  const bytes = workbookOf([{ rows: row(inline('<t>One</t>'), inline('<t>Two</t>')) }]);

  it.each([
    ['sheet1', 'C1'],
    ['sheet2', 'A1'],
    ['sheet1', null],
  ])('of a cell that has none are an error of the caller: %s %s', async (regionId, cellId) => {
    await expect(rebuild(bytes, [{ regionId, cellId, target: ['x'] }], options)).rejects.toThrow(RangeError);
  });
});
