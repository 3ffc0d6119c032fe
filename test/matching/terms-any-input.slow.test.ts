import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LanguageCode, languageCodes } from '#server/languages.ts';
import { checkTerms, compileTerms, type ExpectedTerm, expectTerms } from '#server/matching/terms/index.ts';

const language = fc.constantFrom(...languageCodes);
/**
 * Any UTF-16 text, including the characters on which the search for terms depends: combining marks, jamo, joiners,
 * apostrophes, half-width sound marks, halves of surrogate pairs.
 */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 4 }),
      fc.string({ unit: 'binary', maxLength: 2 }),
      fc.constantFrom(
        ..."aA bß'’-.İı\u0301\u00ad\u200c\u200d\ud800\udc00ﾞカ각\u1100\u1161ิกเ京عقـَक्षि{}<>@/:%".split(''),
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));
const entry = fc.record({
  sourceTerm: text,
  targetTerm: text,
  caseSensitive: fc.boolean(),
  priority: fc.integer(),
});

describe('whatever the texts are', () => {
  it('matches are in order, disjoint and inside the text, and split no surrogate pair', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), text, language, (entries, given, lang) => {
        const parts = entries.map(({ sourceTerm }) => sourceTerm);
        const source = `${parts.join(' ')} ${given}`;
        let last = 0;
        for (const { start, end, entries: winners } of compileTerms(entries, lang).find(source)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(source.slice(start, end).isWellFormed() || !source.isWellFormed()).toBe(true);
          expect(winners.every((winner) => entries.includes(winner))).toBe(true);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(source.length);
      }),
      { numRuns: 120 },
    );
  });

  it('a term that stands alone is found, composed or not', () => {
    fc.assert(
      fc.property(text, language, (sourceTerm, lang) => {
        const matcher = compileTerms(
          [{ sourceTerm, targetTerm: 'x', caseSensitive: false, priority: 0 }],
          lang,
        );
        const isTerm = matcher.whole(sourceTerm).length === 1;
        for (const spelled of [sourceTerm, sourceTerm.normalize('NFC'), sourceTerm.normalize('NFD')])
          if (isTerm) expect(matcher.whole(spelled), JSON.stringify(spelled)).toHaveLength(1);
      }),
      { numRuns: 120 },
    );
  });

  it('a check counts every term', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), text, language, (entries, target, lang) => {
        const source = entries.map(({ sourceTerm }) => sourceTerm).join('. ');
        const expected = expectTerms(compileTerms(entries, lang).find(source));
        const result = checkTerms(expected, target, lang);
        expect(result.passed).toBe(result.missing_terms.length === 0);
        expect(Object.keys(result.observed_target_counts)).toEqual(
          Object.keys(result.expected_target_counts),
        );
        const counts = Object.values(result.observed_target_counts);
        expect(counts.every((count) => count >= 0 && count <= target.length)).toBe(true);
      }),
      { numRuns: 120 },
    );
  });
});

const words: Partial<Record<LanguageCode, string>> = {
  en: 'abesdi',
  de: 'aenstgA',
  fr: 'aelrs',
  ru: 'аеисть',
  fi: 'aiknst',
  tr: 'aeımlk',
  ar: 'البعق',
  hi: 'कराेों',
  ja: '京都契約書タ',
  ko: '가을는계약',
};

it.each(Object.entries(words) as [LanguageCode, string][])(
  '%s: a translation that has every term as often as it is expected passes',
  (lang, letters) => {
    const term = fc
      .array(fc.constantFrom(...letters), { minLength: 2, maxLength: 5 })
      .map((parts) => parts.join(''))
      .filter((spelled) => !/^\p{M}/u.test(spelled));
    fc.assert(
      fc.property(fc.uniqueArray(term, { maxLength: 6 }), fc.nat(2), (terms, more) => {
        const expected = terms.map(
          (spelled, at): ExpectedTerm => ({
            sourceTerm: `source ${at}`,
            targetTerms: [spelled],
            caseSensitive: false,
            count: 1 + ((at + more) % 3),
          }),
        );
        const target = expected
          .flatMap(({ targetTerms, count }) => Array(count).fill(targetTerms[0]))
          .join('. ');
        expect(checkTerms(expected, target, lang).missing_terms).toEqual([]);
      }),
      { numRuns: 40 },
    );
  },
);
