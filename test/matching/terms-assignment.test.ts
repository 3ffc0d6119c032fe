import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTerms, type ExpectedTerm } from '#server/matching/terms/index.ts';
import { cpuTime } from '#test/setup/cpu-time.ts';

/** Whether the words can be assigned to the expected terms so that each has its count. Tries all assignments. */
function canMeet(expected: readonly ExpectedTerm[], words: readonly string[]): boolean {
  const needs = expected.flatMap(({ targetTerms, count, caseSensitive }) =>
    Array.from({ length: count }, () => ({ targetTerms, caseSensitive })),
  );
  const deal = (at: number, left: readonly string[]): boolean => {
    const need = needs[at];
    if (need === undefined) return true;
    return left.some((word, taken) => {
      const isOne = need.targetTerms.some((term) =>
        need.caseSensitive ? term === word : term.toLowerCase() === word.toLowerCase(),
      );
      return isOne && deal(at + 1, left.toSpliced(taken, 1));
    });
  };
  return deal(0, words);
}

// Vietnamese words have no inflected forms: a word equals a term, or is not a term.
const word = fc.constantFrom('xe', 'Xe', 'ga', 'nhà', 'Nhà', 'cây');
const expectation = fc.record({
  sourceTerm: fc.constantFrom('one', 'two', 'three'),
  targetTerms: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }) as unknown as fc.Arbitrary<
    [string, ...string[]]
  >,
  caseSensitive: fc.boolean(),
  count: fc.integer({ min: 1, max: 2 }),
});

describe('a translation follows a glossary (B 4.4)', () => {
  it('if its spans can be assigned, one to each expected term, in some way', () => {
    fc.assert(
      fc.property(
        fc.array(expectation, { maxLength: 4 }),
        fc.array(word, { maxLength: 7 }),
        (expected, words) => {
          expect(checkTerms(expected, words.join(', '), 'vi').passed).toBe(canMeet(expected, words));
        },
      ),
      { numRuns: 700 },
    );
  });

  it('even if each of 500 terms has to give its span to the next one', () => {
    const term = (number: number) => `t${number.toString(36)}x`;
    const expected = Array.from(
      { length: 500 },
      (_, at): ExpectedTerm => ({
        sourceTerm: `s${at}`,
        targetTerms: [term(at), term(at + 1)],
        caseSensitive: false,
        count: 1,
      }),
    );
    const words = Array.from({ length: 500 }, (_, at) => term(at + 1));
    expect(checkTerms(expected, words.join(' '), 'vi')).toMatchObject({ passed: true, missing_terms: [] });
    expect(checkTerms(expected, words.slice(1).join(' '), 'vi').missing_terms).toHaveLength(1);
  });

  it('in bounded time, whatever the chains of assignments are', async () => {
    // 50 terms with 40 alternatives each. Each term may claim the words of all others.
    const expected = Array.from(
      { length: 2000 },
      (_, at): ExpectedTerm => ({
        sourceTerm: `s${at}`,
        targetTerms: [
          `a${at % 50}`,
          ...Array.from({ length: 40 }, (_, other) => `a${(at * 7 + other) % 50}`),
        ],
        caseSensitive: false,
        count: 10,
      }),
    );
    const text = Array.from({ length: 15_000 }, (_, at) => `a${(at * at) % 50}`).join(' ');
    const ms = await cpuTime(() => expect(checkTerms(expected, text, 'vi').passed).toBe(false));
    expect(ms).toBeLessThan(4000);
  });
});
