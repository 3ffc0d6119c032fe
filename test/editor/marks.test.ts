import { describe, expect, test } from 'vitest';
import type { QualityIssue } from '#sdk/types.ts';
import { checkIntegrity } from '#server/translation/integrity/index.ts';
import { correctionsOf } from '#web/app/editor/corrections.ts';
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

/** The translation after each correction that its findings allow. */
function corrected(source: string, target: string, [from, to] = ['en', 'es']): string[] {
  const languages = { source: from as string, target: to as string };
  const issues = checkIntegrity({
    sourceText: source,
    targetText: target,
    sourceLang: languages.source,
    targetLang: languages.target,
    textType: 'Plain',
  });
  return [...correctionsOf(issues, { source, target, languages }).values()].map(
    ({ start, end, text }) => target.slice(0, start) + text + target.slice(end),
  );
}

const issue = (span: string | null, replacement?: string | null): QualityIssue => ({
  severity: 'major',
  category: 'accuracy',
  span,
  explanation: '',
  suggestion: 'Use “x”.',
  ...(replacement !== undefined && { replacement }),
});

describe('a changed number', () => {
  test('is replaced by that of the source, with the separators of the target language', () => {
    expect(corrected('Pay €2,500.00 now.', 'Pague 2.050,00 € ahora.')).toEqual(['Pague 2.500,00 € ahora.']);
    expect(corrected('Pay 12,500.5', 'Payez 13 500,5', ['en', 'fr'])).toEqual(['Payez 12\u202f500,5']);
    expect(corrected('Zahle 2.500,75', 'Pay 2,500.57', ['de', 'en'])).toEqual(['Pay 2,500.75']);
    expect(corrected('In 14 days', 'En 41 días')).toEqual(['En 14 días']);
  });

  test('has the digits of the number that it replaces', () => {
    expect(corrected('Pay 2,500.75', 'ادفع ٢٬٠٥٠٫٧٥', ['en', 'ar'])).toEqual(['ادفع ٢٬٥٠٠٫٧٥']);
    expect(corrected('Pay 2500', 'ادفع 2050', ['en', 'ar'])).toEqual(['ادفع 2500']);
  });

  test('has the format of the source if this is not the format of the source language', () => {
    expect(corrected('Pay 1,00,000', 'Pague 2,00,000')).toEqual(['Pague 1,00,000']);
    expect(corrected('Since 10:45', 'Desde 10:54')).toEqual(['Desde 10:45']);
    expect(corrected('It began at 6.05 p.m.', 'Comenzó a las 6.50 p. m.')).toEqual([
      'Comenzó a las 6.05 p. m.',
    ]);
  });

  test('stands for the lost one at the same place among several, and not for a number of the source', () => {
    const target = 'Del 21 al 43, con 5 días';
    expect(corrected('From 12 to 34, with 5 days', target)).toEqual([
      'Del 12 al 43, con 5 días',
      'Del 21 al 34, con 5 días',
    ]);
    expect(corrected('From 12 with 5 days', 'De, con 5 días')).toEqual([]);
  });

  test('is not replaced if the translation has the measure in another unit', () => {
    expect(corrected('5 miles away', 'A 8 km', ['en', 'fr'])).toEqual([]);
  });
});

test('only a replacement is inserted, in the place of its whole words, and never a suggestion', () => {
  const texts = { source: 'a', target: 'des motels, un mot', languages: { source: 'en', target: 'fr' } };
  const use = issue('mot', 'terme');
  // As stored before findings had replacements, of what the text lacks, and without a place.
  const others = [issue('un'), issue('un', null), issue('other', 'x'), issue(null, 'x')];
  expect([...correctionsOf([use, ...others], texts)]).toEqual([[use, { start: 15, end: 18, text: 'terme' }]]);
});
