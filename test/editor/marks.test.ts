import { describe, expect, test } from 'vitest';
import { marksOf, missingSpans, splitAtMarks } from '#web/app/editor/marks.ts';

const en = { language: 'en', isHtml: false };
const marked = (text: string, options: Parameters<typeof marksOf>[1]) =>
  marksOf(text, options).map(({ start, end, kind }) => [text.slice(start, end), kind]);

describe('marks in a text', () => {
  test('are placeholders, tags, terms as whole words, spans of findings, and matches of the search', () => {
    expect(marked('Hello {name}, pay %s.', en)).toEqual([
      ['{name}', 'placeholder'],
      ['%s', 'placeholder'],
    ]);
    expect(marked('A <b>bold</b> word', { ...en, isHtml: true })).toEqual([
      ['<b>', 'tag'],
      ['</b>', 'tag'],
    ]);
    expect(marked('The rent and the rental', { ...en, terms: ['Rent'] })).toEqual([['rent', 'term']]);
    expect(marked('東京都の京都', { language: 'ja', isHtml: false, terms: ['京都'] })).toEqual([
      ['京都', 'term'],
      ['京都', 'term'],
    ]);
    expect(
      marked('Pay 2,050 now', {
        ...en,
        issues: [
          { severity: 'critical', category: 'accuracy', span: '2,050', explanation: '', suggestion: null },
        ],
      }),
    ).toEqual([['2,050', 'critical']]);
    expect(marked('Über die Straße', { language: 'de', isHtml: false, sought: 'STRA' })).toEqual([
      ['Stra', 'found'],
    ]);
  });

  test('split the text completely, with all marks of each piece', () => {
    const text = 'Pay {sum} now';
    const pieces = splitAtMarks(text, [
      { start: 0, end: 9, kind: 'found' },
      { start: 4, end: 9, kind: 'placeholder' },
    ]);
    expect(pieces).toEqual([
      { start: 0, text: 'Pay ', kinds: ['found'] },
      { start: 4, text: '{sum}', kinds: ['found', 'placeholder'] },
      { start: 9, text: ' now', kinds: [] },
    ]);
    expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  });

  test('an expression in the search is plain text', () => {
    expect(marked('a.c abc', { ...en, sought: 'a.c' })).toEqual([['a.c', 'found']]);
  });
});

test('a placeholder that the translation lacks, or has less often, is offered once', () => {
  const languages = { source: 'en', target: 'fr' };
  expect(missingSpans('Hi {name}, {name}: %s', 'Salut {name}', languages)).toEqual(['{name}', '%s']);
  expect(missingSpans('Hi {name}', 'Salut {name}', languages)).toEqual([]);
});
