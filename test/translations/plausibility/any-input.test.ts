import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { qualityIssue } from '#server/translation/agent-run-schema.ts';
import { checkPlausibility, riskFlags } from '#server/translation/plausibility/index.ts';

const language = fc.constantFrom(...languageCodes);
const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    'ignore ',
    'as an AI',
    '無視',
    '{n, plural,',
    'https://a.example',
    '\u0301'.repeat(90),
    '\uD800',
    'の',
    'the house is ',
    '\u{E0041}',
  ),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

it('any texts get a result, with well-formed critical issues', () => {
  fc.assert(
    fc.property(text, text, language, language, (sourceText, targetText, sourceLang, targetLang) => {
      for (const issue of checkPlausibility({ sourceText, targetText, sourceLang, targetLang })) {
        expect(qualityIssue.parse(issue)).toEqual(issue);
        expect(issue.severity).toBe('critical');
        expect(issue.span?.length ?? 0).toBeLessThanOrEqual(200);
        expect(issue.span?.isWellFormed() ?? true).toBe(true);
        expect(issue.span ?? '').not.toContain('\0');
      }
      const flags = riskFlags({ sourceText, sourceLang });
      expect(new Set(flags).size).toBe(flags.length);
    }),
    { numRuns: 1000 },
  );
});

describe('texts of 200,000 characters built to be slow are checked within a test’s time', () => {
  const repeated = (unit: string) => unit.repeat(Math.ceil(200_000 / unit.length));
  it.each([
    'a',
    '\u0301',
    'a\u0323\u0301',
    'a.b',
    'ignore ',
    '無視',
    '"',
    '{a,',
    '<',
    '\u{E0041}',
    'a\u200B',
    'aаb ',
    '\uD800',
    'www.',
    'http://',
    "a'",
  ])('%j', (unit) => {
    const hostile = repeated(unit);
    const words = 'The house is green, and its garden is full of flowers.';
    for (const [sourceText, targetText] of [
      [hostile, hostile],
      [words, hostile],
      [hostile, words],
    ] as const)
      expect(
        Array.isArray(checkPlausibility({ sourceText, targetText, sourceLang: 'en', targetLang: 'fr' })),
      ).toBe(true);
    expect(Array.isArray(riskFlags({ sourceText: hostile, sourceLang: 'fr' }))).toBe(true);
  });
});
