import { describe, expect, test } from 'vitest';
import type { QualityIssue } from '#sdk/types.ts';
import { checkIntegrity } from '#server/translation/integrity/index.ts';
import { correctionsOf } from '#web/app/editor/corrections.ts';

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
