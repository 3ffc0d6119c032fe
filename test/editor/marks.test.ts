import { describe, expect, test } from 'vitest';
import { type Mark, marksOf, missingSpans, splitAtMarks } from '#web/app/editor/marks.ts';
import { marksOfSegment } from '#web/app/editor/segment-marks.ts';

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
    expect(marked('The rent and the rental', { ...en, terms: [{ text: 'Rent' }] })).toEqual([
      ['rent', 'term'],
    ]);
    expect(marked('東京都の京都', { language: 'ja', isHtml: false, terms: [{ text: '京都' }] })).toEqual([
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

describe('the marks of a segment', () => {
  const languages = { source: 'en', target: 'es' };
  const lost = {
    severity: 'critical',
    category: 'accuracy',
    span: '2,500.00',
    explanation: '',
    suggestion: null,
  } as const;
  const given = { languages, isHtml: false, sought: undefined, issues: [lost] };
  const kinds = (text: string, marks: readonly Mark[]) =>
    marks.map(({ start, end, kind }) => [text.slice(start, end), kind]);

  test('show which number of the source has changed, and the number in its place', () => {
    const source = 'Pay €2,500.00 in 30 days.';
    const target = 'Pague 2.050,00 € en 30 días.';
    const marks = marksOfSegment({ ...given, source, target });
    expect(kinds(source, marks.source)).toEqual([['2,500.00', 'changed']]);
    expect(kinds(target, marks.target)).toEqual([['2.050,00', 'critical']]);
  });

  test('leave numbers alone that no finding is about', () => {
    const marks = marksOfSegment({ ...given, issues: [], source: 'Two of 3', target: 'Dos de 4' });
    expect(marks).toEqual({ source: [], target: [] });
  });

  test('name the translations of a term in the source', () => {
    const terms = [{ source_term: 'rent', target_terms: ['renta', 'alquiler'] }];
    const source = 'The rent';
    const marks = marksOfSegment({ ...given, issues: [], source, target: 'La renta', terms });
    expect(marks.source).toEqual([{ start: 4, end: 8, kind: 'term', note: 'renta, alquiler' }]);
    expect(splitAtMarks(source, marks.source)[1]).toMatchObject({ text: 'rent', note: 'renta, alquiler' });
    expect(kinds('La renta', marks.target)).toEqual([['renta', 'term']]);
  });
});
