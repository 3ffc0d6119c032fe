import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { languageCodes } from '#server/languages.ts';
import { checkIntegrity, maxIssues } from '#server/translation/integrity/index.ts';
import { hostileUnits } from './hostile-units.ts';

const language = fc.constantFrom(...languageCodes);
const textType = fc.constantFrom('Plain' as const, 'Html' as const);
const syntax = fc.constantFrom(
  ...'{ } {{ }} {n {n, plural, one { other {# {x, select, a { % %s %1$s %% %( )s $ ${ # @ @a : :ab < > </b> <b <a href=" "> & &amp; ]( http:// a@b.c 12 1,234.5 3:45 pm 2024-01-05 万 ٣ I | \n'.split(
    ' ',
  ),
);
const text = fc
  .array(
    fc.oneof(
      syntax,
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    {
      maxLength: 30,
    },
  )
  .map((parts) => parts.join(''));

describe('for any texts', () => {
  it('a text compared with itself has no issues', () => {
    fc.assert(
      fc.property(text, language, language, textType, (same, sourceLang, targetLang, type) => {
        const input = { sourceText: same, targetText: same, sourceLang, targetLang, textType: type };
        expect(checkIntegrity(input)).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('every span stands in one of the texts, and there are no more issues than allowed', () => {
    fc.assert(
      fc.property(text, text, language, textType, (sourceText, targetText, targetLang, type) => {
        const issues = checkIntegrity({
          sourceText,
          targetText,
          sourceLang: 'en',
          targetLang,
          textType: type,
        });
        expect(issues.length).toBeLessThanOrEqual(maxIssues);
        for (const { span } of issues) {
          expect(sourceText.includes(span!) || targetText.includes(span!)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('a number that changes is missed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 13, max: 9_999_999 }), language, (n, targetLang) => {
        const number = (value: number, lang: string): string => new Intl.NumberFormat(lang).format(value);
        const input = {
          sourceLang: 'en',
          targetLang,
          textType: 'Plain' as const,
          sourceText: `a ${number(n, 'en')} b`,
        };
        const target = (value: number): string => `x ${number(value, targetLang)} y`;
        expect(checkIntegrity({ ...input, targetText: target(n) })).toEqual([]);
        expect(checkIntegrity({ ...input, targetText: target(n + 1) })).toHaveLength(1);
      }),
    );
  });
});

describe('a hostile text', () => {
  // If any step had quadratic time, each case would take minutes for 50,000 characters. The test measures no time.
  it.each(hostileUnits)('%j repeated many times is checked in bounded time', (unit) => {
    const sourceText = unit.repeat(25_000 / unit.length);
    const targetText = unit.repeat(50_000 / unit.length);
    const languages = { sourceLang: 'en', targetLang: 'de', textType: 'Plain' as const };
    expect(checkIntegrity({ sourceText, targetText, ...languages }).length).toBeLessThanOrEqual(maxIssues);
    expect(checkIntegrity({ sourceText, targetText: '', ...languages }).length).toBeLessThanOrEqual(
      maxIssues,
    );
  });
});
