import { describe, expect, it } from 'vitest';
import { findBlocks } from '#server/formats/pdf/find-blocks.ts';
import type { ShownText } from '#server/formats/pdf/page-content.ts';
import { lines, page, text, widthOf } from './pdf-page.ts';

const words = 'members council harbor reports village schools gardens bridges'.split(' ');

/** A line of eight words with a gap between the words in em. A greater number gives other words. */
function line(number: number, y: number, gap: number, x = 50): ShownText[] {
  let at = x;
  return words.map((_word, index) => {
    const word = words[(index * 3 + number) % words.length]!;
    const shown = text(word, at, y);
    at += 10 * (widthOf(word) + gap);
    return shown;
  });
}

/** A paragraph whose full lines have the given gaps in em, and a short last line. */
const paragraph = (gaps: readonly number[], top: number, x = 50) => [
  ...gaps.map((gap, index) => line(index, top - 12 * index, gap, x)),
  [text('in the spring after the winter.', x, top - 12 * gaps.length)],
];

/** A ragged paragraph with lines of different lengths. */
const ragged = (top: number) =>
  lines(
    [
      'members council harbor reports village schools gardens',
      'members council harbor reports',
      'members of it',
    ],
    50,
    top,
  );

function alignments(texts: readonly (readonly ShownText[][])[], others: readonly ShownText[] = []): string[] {
  return findBlocks(page([...texts.flat(), [...others]])).blocks.map(({ alignment }) => alignment);
}

describe('a paragraph whose lines have the same end', () => {
  it('is ragged on a ragged page if its word gaps are equal', () => {
    expect(alignments([paragraph([0.25, 0.25], 700)], ragged(600))).toEqual(['left', 'left']);
    expect(alignments([paragraph([0.25, 0.255, 0.247], 700)], ragged(600))).toEqual(['left', 'left']);
  });

  it('is justified on a ragged page if its word gaps differ', () => {
    expect(alignments([paragraph([0.25, 0.28], 700)], ragged(600))).toEqual(['justified', 'left']);
  });

  it('is justified on a page of paragraphs with different word gaps, though its gaps are equal', () => {
    const others = [paragraph([0.25, 0.27, 0.29], 700), paragraph([0.29, 0.27, 0.25], 600)];
    expect(alignments([...others, paragraph([0.25, 0.25], 500)])).toEqual(
      Array.from({ length: 3 }, () => 'justified'),
    );
  });

  it('is justified with a single full line among others that end there', () => {
    const others = [paragraph([0.25, 0.27, 0.29], 700), paragraph([0.29, 0.27, 0.25], 600)];
    expect(alignments([...others, paragraph([0.27], 500)])).toEqual(
      Array.from({ length: 3 }, () => 'justified'),
    );
  });

  it('is justified if many full lines end exactly there', () => {
    expect(alignments([paragraph([0.25, 0.25, 0.25, 0.25], 700)], ragged(600))).toEqual([
      'justified',
      'left',
    ]);
  });
});
