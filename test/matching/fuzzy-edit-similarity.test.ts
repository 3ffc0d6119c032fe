import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closest, editSimilarity, similarityTo } from '#server/matching/fuzzy/index.ts';

/** A direct implementation of the definition, cell by cell. */
function bySchoolbook(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, point] of left.entries()) {
    const cells = [row + 1];
    for (const [column, other] of right.entries())
      cells.push(
        Math.min(above[column]! + (point === other ? 0 : 1), above[column + 1]! + 1, cells[column]! + 1),
      );
    above = cells;
  }
  const longer = Math.max(left.length, right.length);
  return longer === 0 ? 1 : 1 - above.at(-1)! / longer;
}

const character = fc.constantFrom('a', 'b', 'c', ' ', 'é', '漢', '😀', '😁', '\ud83d', '\ude00');
const text = fc.array(character, { maxLength: 150, size: 'max' }).map((parts) => parts.join(''));
/** A text, and the same text after some characters were inserted, removed or replaced. */
const pair = fc
  .tuple(
    text,
    fc.array(fc.tuple(fc.nat(), fc.nat(1), fc.array(character, { maxLength: 2 })), { maxLength: 40 }),
  )
  .map(([original, edits]): [string, string] => {
    const points = [...original];
    for (const [place, dropped, added] of edits)
      points.splice(place % (points.length + 1), dropped, ...added);
    return [original, points.join('')];
  });
const texts = fc.oneof(pair, fc.tuple(text, text));

describe('the similarity of two texts', () => {
  it('is 1 - Levenshtein distance / length of the longer, over code points', () => {
    fc.assert(
      fc.property(texts, ([a, b]) => {
        expect(editSimilarity(a, b)).toBe(bySchoolbook(a, b));
        expect(editSimilarity(b, a)).toBe(bySchoolbook(a, b));
      }),
      { numRuns: 300 },
    );
  });

  it('is 0 below the requested minimum, and exact from there on', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 100 }), ([a, b], percent) => {
        const exact = bySchoolbook(a, b);
        const atLeast = percent / 100;
        // Excludes similarities that differ from the minimum only by a rounding error, such as 1 - 0.3.
        fc.pre(Math.abs(exact - atLeast) > 1e-9 || exact >= atLeast);
        expect(editSimilarity(a, b, atLeast)).toBe(exact >= atLeast ? exact : 0);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [10, 3, 0.7],
    [10, 1, 0.9],
    [100, 30, 0.7],
    [30, 9, 0.7],
    [20, 1, 0.95],
  ])('of %i characters with %i replaced is not less than %d', (length, replaced, atLeast) => {
    const other = 'b'.repeat(replaced) + 'a'.repeat(length - replaced);
    expect(editSimilarity('a'.repeat(length), other, atLeast)).toBeCloseTo(atLeast, 12);
    expect(editSimilarity('a'.repeat(length), other, atLeast + 0.001)).toBe(0);
  });

  it('to one text does not depend on earlier comparisons', () => {
    fc.assert(
      fc.property(text, fc.array(fc.tuple(text, fc.constantFrom(0, 0.5, 0.9))), (one, others) => {
        const similarity = similarityTo(one);
        for (const [other, atLeast] of others)
          expect(similarity(other, atLeast)).toBe(editSimilarity(one, other, atLeast));
      }),
    );
  });
});

it('the closest of some texts are those of a full sort', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 });
  fc.assert(
    fc.property(short, fc.array(short), fc.integer({ min: 1, max: 5 }), (query, others, most) => {
      const sorted = others
        .map((other, index) => ({ index, similarity: bySchoolbook(query, other) }))
        .filter(({ similarity }) => similarity >= 0.5)
        .sort((a, b) => b.similarity - a.similarity || a.index - b.index);
      expect(closest(query, others, most, 0.5)).toEqual(sorted.slice(0, most));
    }),
  );
});
