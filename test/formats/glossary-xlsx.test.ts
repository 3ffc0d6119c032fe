import { describe, expect, it } from 'vitest';
import { readGlossaryXlsx } from '#server/formats/glossary/xlsx.ts';
import type { DeclaredLanguages, GlossaryFile } from '#server/formats/glossary-file.ts';
import type { LanguageCode } from '#server/languages.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { zipOf } from './flatten-zip.ts';
import { inline, item, type MadeSheet, row, shared, workbookFiles, workbookOf } from './xlsx-file.ts';

const pair = (source?: LanguageCode, target?: LanguageCode): DeclaredLanguages => ({
  source: source ? { tag: source, code: source } : null,
  target: target ? { tag: target, code: target } : null,
});

/** A row of texts. For '' the cell is blank. */
const texts = (...cells: string[]): string =>
  row(...cells.map((text) => (text === '' ? '<c/>' : inline(`<t xml:space="preserve">${text}</t>`))));
const header = texts(
  'source_term',
  'target_term',
  'source_lang',
  'target_lang',
  'case_sensitive',
  'priority',
);

const read = (sheets: (MadeSheet | string)[], declared = pair()): Promise<GlossaryFile> =>
  readGlossaryXlsx(
    workbookOf(sheets.map((sheet) => (typeof sheet === 'string' ? { rows: sheet } : sheet))),
    declared,
  );
const pairsOf = ({ entries }: GlossaryFile) =>
  entries.map(({ sourceTerm, targetTerm }) => `${sourceTerm} = ${targetTerm}`);
const notesOf = ({ notes }: GlossaryFile) =>
  notes.map(({ code, place, name }) => `${code} ${place ?? name ?? ''}`.trim());

async function problemOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  expect(error?.name).toMatch(/^(?:GlossaryFileError|FileError)$/);
  return error!.message;
}

describe('the columns of a sheet', () => {
  it('are those of a CSV glossary, in any order, with their rows and cells', async () => {
    const file = await read([
      row(
        ...['Priority', 'Target', 'Case sensitive', 'Source', 'To lang'].map((text) =>
          inline(`<t>${text}</t>`),
        ),
      ) +
        '<row><c><v>7</v></c><c t="inlineStr"><is><t>b</t></is></c><c t="b"><v>1</v></c><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>German</t></is></c></row>',
    ]);
    expect(file).toEqual({
      unit: 'row',
      hasHeader: true,
      table: {
        hasHeader: true,
        columns: [
          { name: 'Priority', column: 'priority' },
          { name: 'Target', column: 'target_term' },
          { name: 'Case sensitive', column: 'case_sensitive' },
          { name: 'Source', column: 'source_term' },
          { name: 'To lang', column: 'target_lang' },
        ],
      },
      notes: [],
      entries: [
        {
          ...{ line: 2, place: 'D2', sourceTerm: 'a', targetTerm: 'b', sourceLang: null, targetLang: 'de' },
          ...{ caseSensitive: true, priority: 7 },
        },
      ],
    });
  });

  it('are positional without a header, from the first filled column', async () => {
    const file = await read([texts('', 'a', 'b', 'en', 'de') + texts('', 'c', 'd')]);
    expect([pairsOf(file), file.hasHeader, file.entries[0]?.targetLang]).toEqual([
      ['a = b', 'c = d'],
      false,
      'de',
    ]);
  });

  it('may follow a title', async () => {
    const file = await read([
      texts('Our terms') + texts('', 'of 2026') + texts('source', 'target') + texts('a', 'b'),
    ]);
    expect([pairsOf(file), notesOf(file)]).toEqual([['a = b'], []]);
  });

  it('may be one for each language: the declared languages select two', async () => {
    const sheet =
      texts('English', 'Deutsch', 'fr-FR', 'Priority', 'Context') + texts('a', 'b', 'c', '3', 'x');
    expect(await read([sheet], pair('en', 'fr'))).toMatchObject({
      hasHeader: true,
      entries: [{ sourceTerm: 'a', targetTerm: 'c', sourceLang: null, priority: 3 }],
      notes: [
        { code: 'unused', name: 'Deutsch' },
        { code: 'unused', name: 'Context' },
      ],
    });
    expect(pairsOf(await read([sheet], pair('de', 'en')))).toEqual(['b = a']);
    for (const [names, declared] of [
      [['Anglais', 'portugués'], pair('en', 'pt-BR')],
      [['英語', 'الفرنسية'], pair('en', 'fr')],
      [['zh', 'EN'], pair('en', 'zh-Hant')],
    ] as const)
      expect(await read([texts(...names) + texts('a', 'b')], declared)).toMatchObject({ hasHeader: true });
  });

  it('are positional if the first row could be terms of the declared languages', async () => {
    for (const cells of [
      ['invoice', 'facture', 'en', 'fr'],
      ['English', 'French', 'en', 'fr'],
    ]) {
      const file = await read([texts(...cells) + texts(...cells)], pair('en', 'fr'));
      expect([file.hasHeader, file.entries.length]).toEqual([false, 2]);
    }
  });

  it('of several languages without a selection are an error that lists them', async () => {
    const sheet = texts('English', 'German', 'fr') + texts('a', 'b', 'c');
    expect(await problemOf(read([sheet]))).toBe(
      'row 1 names the languages en, de, fr; select two of them with source_lang and target_lang',
    );
    expect(await problemOf(read([sheet], pair('en', 'es')))).toBe(
      'row 1 names the languages en, de, fr; there is no column for es',
    );
    // A variant is another language.
    expect(await problemOf(read([sheet], pair('en', 'fr-CA')))).toContain('no column for fr-CA');
  });
});

describe('the sheet', () => {
  it('is the first visible one with a header; the others are noted', async () => {
    const file = await read([
      { rows: texts('x', 'y'), name: 'Intro' },
      { rows: header + texts('a', 'b'), name: 'Terms' },
      { rows: header + texts('c', 'd'), name: 'More' },
      { rows: row('<c/>'), name: 'Blank' },
    ]);
    expect([pairsOf(file), notesOf(file)]).toEqual([['a = b'], ['other_sheet Intro', 'other_sheet More']]);
  });

  it('is the first one with two columns if none has a header', async () => {
    const file = await read([texts('Read me'), texts('a', 'b'), texts('c', 'd')]);
    expect([pairsOf(file), notesOf(file)]).toEqual([['a = b'], ['other_sheet Sheet1', 'other_sheet Sheet3']]);
  });

  it.each(['hidden', 'veryHidden'])('is not read if it is %s', async (state) => {
    const files = workbookFiles([{ rows: header + texts('a', 'b') }, { rows: texts('c', 'd') }]);
    files['xl/workbook.xml'] = `${files['xl/workbook.xml']}`.replace('<sheet ', `<sheet state="${state}" `);
    const file = await readGlossaryXlsx(zipOf(files), pair());
    expect([pairsOf(file), notesOf(file)]).toEqual([['c = d'], ['hidden_sheet Sheet1']]);
  });

  it('without any term is an error', async () => {
    expect(await problemOf(read([{ rows: '' }]))).toContain('no visible sheet of the workbook');
    expect(await problemOf(read([header + texts('a', '')]))).toContain('no row of the file has both');
  });
});

describe('the cells', () => {
  const cell = (content: string, attributes = '') => `<c${attributes}>${content}</c>`;
  const termOf = async (source: string, files: Record<string, string> = {}) => {
    const made = workbookFiles(
      [{ rows: header + row(source, inline('<t>b</t>')) + texts('c', 'd') }],
      [
        item('shared'),
        item('24/7'),
        '<si><r><t>rich </t></r><r><rPr><b/></rPr><t>text</t></r><rPh sb="0" eb="1"><t>ignored</t></rPh></si>',
        item('_x0041_'),
      ],
    );
    const file = await readGlossaryXlsx(zipOf({ ...made, ...files }), pair());
    const [first] = file.entries;
    return [first?.line === 2 ? first.sourceTerm : undefined, ...notesOf(file)];
  };
  const styles = (...formats: string[]): Record<string, string> => ({
    'xl/styles.xml': `<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><numFmts><numFmt numFmtId="164" formatCode="${formats[0] ?? 'General'}"/></numFmts><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs></styleSheet>`,
    'xl/_rels/workbook.xml.rels':
      `${workbookFiles([{ rows: '' }], [])['xl/_rels/workbook.xml.rels']}`.replace(
        '</Relationships>',
        '<Relationship Id="st" Type="http://x/styles" Target="styles.xml"/></Relationships>',
      ),
  });

  it.each([
    ['a shared string', shared(0), ['shared']],
    ['a text without a letter', shared(1), ['24/7']],
    ['rich text, without its reading aids', shared(2), ['rich text']],
    ['an escaped character', shared(3), ['A']],
    ['the stored result of a formula', cell('<f>"a"&amp;"b"</f><v>ab</v>', ' t="str"'), ['ab']],
    ['a boolean', cell('<v>0</v>', ' t="b"'), ['FALSE']],
    ['a number', cell('<v>24</v>'), ['24', 'number A2']],
    ['a number as stored', cell('<v>1.50E+1</v>'), ['15', 'number A2']],
    ['a formula without a result', cell('<f>A1</f>'), [undefined, 'cell_error A2']],
    ['an error', cell('<v>#REF!</v>', ' t="e"'), [undefined, 'cell_error A2']],
    ['a date of ISO 8601', cell('<v>2026-03-01</v>', ' t="d"'), [undefined, 'date A2']],
    ['only spaces', inline('<t> \u00a0 </t>'), [undefined, 'skipped A2']],
    ['spaces at the edges', inline('<t xml:space="preserve"> a  b </t>'), ['a  b', 'trimmed A2']],
    ['line breaks', inline('<t xml:space="preserve">a \n\n b\u2028c</t>'), ['a b c', 'line_break A2']],
  ])('read %s', async (_, source, expected) => {
    expect(await termOf(source)).toEqual(expected);
  });

  it.each([
    [1, 'General', [undefined, 'date A2']],
    [2, 'd. mmmm yyyy', [undefined, 'date A2']],
    [2, '[h]:mm', [undefined, 'date A2']],
    [2, '0.00 &quot;days&quot; [Red]', ['46082', 'number A2']],
    [2, '\\d0', ['46082', 'number A2']],
    [3, 'General', ['46082', 'number A2']],
  ])('of style %i with the format %s', async (style, format, expected) => {
    expect(await termOf(cell('<v>46082</v>', ` s="${style}"`), styles(format))).toEqual(expected);
  });

  it('of hidden rows and columns are left out', async () => {
    const rows = `${header}<row hidden="1">${inline('<t>a</t>')}${inline('<t>b</t>')}</row>${texts('c', 'd', '', '', '', '5')}`;
    const files = workbookFiles([{ rows }]);
    files['xl/worksheets/s0.xml'] = `${files['xl/worksheets/s0.xml']}`.replace(
      '<sheetData>',
      '<cols><col min="6" max="6" hidden="1"/></cols><sheetData>',
    );
    const file = await readGlossaryXlsx(zipOf(files), pair());
    expect([pairsOf(file), notesOf(file), file.entries[0]?.priority]).toEqual([
      ['c = d'],
      ['hidden_row A2', 'hidden_column F'],
      0,
    ]);
  });

  it('that are merged below each other apply to each of their rows', async () => {
    const rows = header + texts('bank', 'banque') + texts('', 'rive') + texts('', '') + texts('', 'x');
    const file = await read([
      { rows, after: '<mergeCells><mergeCell ref="A2:A4"/><mergeCell ref="B5:C5"/></mergeCells>' },
    ]);
    expect([pairsOf(file), notesOf(file)]).toEqual([
      ['bank = banque', 'bank = rive'],
      ['merged A3', 'skipped A5'],
    ]);
  });

  it('that are invalid reject the whole file with their place', async () => {
    for (const [source, problem] of [
      [texts('a', 'b', 'Klingon'), 'cell C3: source_lang is not a supported language'],
      [texts('a', 'b', '', '', '', '1.5'), 'cell F3: priority is not a 32-bit integer'],
      [texts('a', 'x'.repeat(501)), 'cell B3: a term has more than 500 characters'],
    ] as const)
      expect(await problemOf(read([header + texts('c', 'd') + source]))).toContain(problem);
  });
});

describe('a workbook of exceljs', () => {
  it('with the columns of a glossary', async () => {
    const file = await readGlossaryXlsx(corpusFile('glossary/exceljs-columns.xlsx'), pair());
    expect(pairsOf(file)).toEqual([
      ...[
        'invoice = facture',
        'purchase order = bon de commande',
        'ledger = grand livre',
        '24 = vingt-quatre',
      ],
      ...[
        'bank = banque',
        'bank = rive',
        'multi line = sur deux lignes',
        'spaced = espacé',
        'website = site web',
      ],
    ]);
    expect(file.entries[1]).toMatchObject({ caseSensitive: true, priority: 1, targetLang: 'fr' });
    expect(notesOf(file).sort()).toEqual(
      [
        ...['hidden_sheet Drafts', 'other_sheet Other', 'hidden_row A7', 'date A8', 'merged A10'],
        ...['cell_error A11', 'line_break A12', 'line_break B12', 'number A6', 'trimmed A13'],
      ].sort(),
    );
  });

  it('with a column for each language', async () => {
    const bytes = corpusFile('glossary/exceljs-languages.xlsx');
    const file = await readGlossaryXlsx(bytes, pair('de', 'fr'));
    expect([pairsOf(file), file.entries[0]?.priority]).toEqual([
      ['Rechnung = facture', 'Hauptbuch = grand livre'],
      2,
    ]);
    expect(notesOf(file)).toEqual(['other_sheet Read me', 'unused English', 'skipped C4']);
    expect(pairsOf(await readGlossaryXlsx(bytes, pair('en', 'de')))).toContain('stock = Lager');
  });
});
