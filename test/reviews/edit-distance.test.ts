import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { measureEdit, measureEditAtOnce } from '#server/review/edit-distance.ts';

describe('the edit distance of a text', () => {
  test.each([
    ['the same text', 'Pay the invoice.', 'Pay the invoice.', 'en', { edits: 0, words: 4 }],
    ['one other word', 'Pay the invoice.', 'Pay the bill.', 'en', { edits: 1, words: 4 }],
    ['a word more', 'Pay the bill.', 'Pay the whole bill.', 'en', { edits: 1, words: 5 }],
    ['other white space', 'Pay  the\nbill.', ' Pay the bill. ', 'en', { edits: 0, words: 4 }],
    ['composed and decomposed letters', 'café', 'cafe\u0301', 'fr', { edits: 0, words: 1 }],
    ['a text where there was none', '', 'Pay the bill', 'en', { edits: 3, words: 3 }],
    ['nothing', '', ' ', 'en', { edits: 0, words: 0 }],
    ['Japanese, which has no spaces', '請求書を支払う。', '勘定書を支払う。', 'ja', { edits: 1, words: 5 }],
  ])('of %s', (_, before, after, language, expected) => {
    expect(measureEditAtOnce(before, after, language)).toEqual(expected);
  });

  test('is the one that a plain matrix gives', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 150 });
    fc.assert(
      fc.property(text, text, (one, other) => {
        const words = Math.max(one.length, other.length);
        expect(measureEditAtOnce(one.join(' '), other.join(' '), 'en')).toEqual({
          edits: byMatrix(one, other),
          words,
        });
      }),
    );
  });

  test('long texts are left for later, and other requests get their turn', async () => {
    const before = '.,'.repeat(25_000);
    const after = ';:'.repeat(25_000);
    expect(measureEditAtOnce(before, after, 'en')).toBeUndefined();
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    expect(await measureEdit(before, after, 'en')).toEqual({ edits: 50_000, words: 50_000 });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(20);
  });

  test('nothing is said of texts that are longer than any that is reviewed', async () => {
    expect(await measureEdit('a '.repeat(100_001), 'a', 'en')).toBeUndefined();
  });
});

function byMatrix(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [i, word] of one.entries()) {
    const next = [i + 1];
    for (const [j, against] of other.entries())
      next.push(
        Math.min(
          (row[j] as number) + (word === against ? 0 : 1),
          (row[j + 1] as number) + 1,
          (next[j] as number) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) as number;
}
