import { describe, expect, test } from 'vitest';
import { zipOf } from '#test/formats/flatten-zip.ts';
import {
  createTextFinder,
  replaceRanges,
  searchablePart,
  type TextQuery,
} from '#web/app/editor/find-text.ts';
import { pagesInFile } from '#web/app/editor/preview/pages-in-file.ts';
import { formatted, readValues } from '#web/app/editor/preview/sheet-values.ts';
import { wordsToCheck } from '#web/app/editor/spelling/words.ts';

const found = (text: string, sought: string, options: Partial<TextQuery> = {}) =>
  createTextFinder({ text: sought, language: 'de', ...options })(text).map(({ start, end }) =>
    text.slice(start, end),
  );
const replaced = (text: string, sought: string, replacement: string, options: Partial<TextQuery> = {}) =>
  replaceRanges(text, createTextFinder({ text: sought, language: 'de', ...options })(text), replacement);

describe('the search in a translation', () => {
  test('ignores case by default, and finds all matches without overlaps', () => {
    expect(found('Rent, rent and RENTAL', 'rent')).toEqual(['Rent', 'rent', 'RENT']);
    expect(found('aaaa', 'aa')).toEqual(['aa', 'aa']);
    expect(found('Rent and rent', 'rent', { matchesCase: true })).toEqual(['rent']);
    expect(found('text', '')).toEqual([]);
  });

  test('finds letters whose upper case is longer, and maps the match to the units of the text', () => {
    expect(found('Die Straße und DIE STRASSE', 'strasse')).toEqual(['Straße', 'STRASSE']);
    expect(found('Die Straße und DIE STRASSE', 'straße')).toEqual(['Straße', 'STRASSE']);
    expect(replaced('İstanbul (İ) und Straße 5', 'straße', 'Weg')).toBe('İstanbul (İ) und Weg 5');
    expect(found('Straße', 'straße', { matchesCase: true })).toEqual([]);
  });

  test('does not match half of a letter', () => {
    expect(found('Straße', 'stras')).toEqual([]);
    expect(found('ﬁn', 'f')).toEqual([]);
    expect(found('👨‍👩‍👧 👨', '👨')).toEqual(['👨']);
  });

  test('treats composed and decomposed characters as equal, and does not tear accents from their letters', () => {
    const decomposed = 'cafe\u0301 et cafes';
    expect(found(decomposed, 'caf\u00e9')).toEqual(['cafe\u0301']);
    expect(found('caf\u00e9', 'cafe\u0301', { matchesCase: true })).toEqual(['caf\u00e9']);
    expect(replaced(decomposed, 'cafe', 'bar')).toBe('cafe\u0301 et bars');
    expect(replaced('한국어', '한국어'.normalize('NFD'), 'x')).toBe('x');
  });

  test('finds whole words, and ignores word limits in scripts without spaces', () => {
    const wholeWords = true;
    expect(found('rent, rental, the rent', 'rent', { wholeWords })).toEqual(['rent', 'rent']);
    expect(found('e\u0301t\u00e9 \u00e9t\u00e9s', '\u00e9t\u00e9', { wholeWords })).toEqual([
      'e\u0301t\u00e9',
    ]);
    expect(found('snake_case snake', 'snake', { wholeWords })).toEqual(['snake']);
    expect(found('東京都の京都', '京都', { wholeWords, language: 'ja' })).toEqual(['京都', '京都']);
    expect(found('20% and 120%', '20%', { wholeWords })).toEqual(['20%']);
  });

  test('follows the letters of the language', () => {
    expect(found('IŞIK ışık işik', 'ışık', { language: 'tr' })).toEqual(['IŞIK', 'ışık']);
    expect(found('ΟΔΟΣ οδός οδος', 'οδος', { language: 'el' })).toEqual(['ΟΔΟΣ', 'οδος']);
  });

  test('takes the sought text and its replacement as plain text', () => {
    expect(found('a.c abc (a.c)', 'a.c')).toEqual(['a.c', 'a.c']);
    expect(replaced('cost: 5', '5', '$& $1')).toBe('cost: $& $1');
    expect(replaced('one two one', 'one', '')).toBe(' two ');
  });
});

test('the service is asked for a part that it compares as the application does', () => {
  expect(searchablePart('Hauptstraße', 'de')).toBe('Hauptstra');
  expect(searchablePart('STRASSE', 'de')).toBe('STRA');
  expect(searchablePart('ışık', 'tr')).toBe('ş');
  expect(searchablePart('rent', 'es')).toBe('rent');
  expect(searchablePart('ss', 'de')).toBe('ss');
});

const checked = (text: string, allowed: { source?: string; terms?: string[]; isHtml?: boolean } = {}) =>
  wordsToCheck(text, { source: '', terms: [], language: 'en', isHtml: false, ...allowed }).map(
    (word) => word.text,
  );

test('words are checked with their apostrophes and accents, at their places', () => {
  expect(checked('I don’t like naïve re-entries')).toEqual(['don’t', 'like', 'naïve', 're', 'entries']);
  const [word] = wordsToCheck('😀 teh end', { source: '', terms: [], language: 'en', isHtml: false });
  expect(word).toEqual({ text: 'teh', start: 3, end: 6 });
});

test('placeholders, tags, addresses, numbers and capitals are not', () => {
  expect(
    checked('Pay {customr_name} or %s to %(acount)s via https://exmple.org/pth and me@exmple.org'),
  ).toEqual(['Pay', 'or', 'to', 'via', 'and']);
  expect(checked('<spn class="wrng">Pay</spn> now', { isHtml: true })).toEqual(['Pay', 'now']);
  expect(checked('Order A4x, 12kgs and file_nme for UNICEF at setings.json')).toEqual([
    'Order',
    'and',
    'for',
    'at',
  ]);
});

test('names of the source and words of its glossary terms are not, but other words of the source are', () => {
  const source = 'Herr Krüger zahlt die Kaution bei Immoqel';
  expect(checked('Mr Krüger pays the kaution to Immoqel', { source, terms: ['Kaution deposit'] })).toEqual([
    'Mr',
    'pays',
    'the',
    'to',
  ]);
  expect(checked('He zahlt it', { source })).toEqual(['He', 'zahlt', 'it']);
});

test.each([
  [1234.5, '#,##0.00', 'de', '1.234,50'],
  [0.256, '0%', 'en', '26%'],
  [1234.5, '#,##0.00\\ [$€-407]', 'de', '1.234,50 €'],
  [12, '[$$-409]#,##0.00', 'en', '$12.00'],
  [-3, '#,##0;[Red](#,##0)', 'en', '(3)'],
  [5, '0.0 "kg"', 'en', '5.0 kg'],
  [45_000, 'dd/mm/yyyy', 'en', 'Mar 15, 2023'],
  [0.5, 'h:mm', 'de', '12:00'],
  [1.25, 'General', 'de', '1,25'],
  [1.25, '', 'en', '1.25'],
])('the number %s with the format %s is in %s: %s', (value, code, language, text) => {
  expect(formatted(value, code, language).replaceAll('\u00a0', ' ')).toBe(text);
});

test('a sheet has its numbers and results of formulas, and not its texts or those of other sheets', async () => {
  const file = (cells: string) => `<worksheet><sheetData><row r="1">${cells}</row></sheetData></worksheet>`;
  const bytes = new Uint8Array(
    zipOf({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="A &amp; B" r:id="r2"/><sheet name="C" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Target="worksheets/one.xml"/><Relationship Id="r2" Target="/xl/worksheets/two.xml"/></Relationships>',
      'xl/styles.xml':
        '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.000"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
      'xl/worksheets/one.xml': file('<c r="A1"><v>7</v></c>'),
      'xl/worksheets/two.xml': file(
        '<c r="A1" t="s"><v>0</v></c><c r="B1" s="1"><f>1/2</f><v>0.5</v></c><c r="C1"/><c r="D1" t="str"><f>X</f><v>a &lt; b</v></c><c r="E1" t="b"><v>1</v></c>',
      ),
    }),
  );
  expect(await readValues(bytes, 'A & B', 'de')).toEqual([
    { cell: 'B1', text: '0,500' },
    { cell: 'D1', text: 'a < b' },
    { cell: 'E1', text: 'TRUE' },
  ]);
  expect(await readValues(bytes, 'missing', 'de')).toEqual([]);
});

test('a bilingual file shows its translated pages only, in the order of the source', () => {
  const bilingual = { output: 'bilingual' as const };
  expect(pagesInFile(bilingual, 'target', 6)).toEqual([2, 4, 6]);
  expect(pagesInFile({ ...bilingual, pages: ['2', '4-'] }, 'target', 8)).toEqual([1, 3, 4, 6, 8]);
  expect(pagesInFile(bilingual, 'source', 3)).toEqual([1, 2, 3]);
  expect(pagesInFile({}, 'target', 3)).toEqual([1, 2, 3]);
});
