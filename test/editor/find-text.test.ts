import { describe, expect, test } from 'vitest';
import {
  createTextFinder,
  replaceRanges,
  searchablePart,
  type TextQuery,
} from '#web/app/editor/find-text.ts';

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
