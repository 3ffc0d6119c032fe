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

  it('is justified if each paragraph of the page has one full line with wide gaps, and its end is rounded', () => {
    const paragraphs = [0, 0, 0, 0.6].map((shift, row) => paragraph([0.4], 700 - 50 * row, 50 + shift));
    expect(alignments(paragraphs)).toEqual(Array.from({ length: 4 }, () => 'justified'));
    expect(
      alignments([0, 20, 45, 70].map((shift, row) => paragraph([0.4], 700 - 50 * row, 50 + shift))),
    ).toEqual(Array.from({ length: 4 }, () => 'left'));
  });

  it('is justified, and not wider, though one line goes past the end of its column', () => {
    const others = [paragraph([0.25, 0.25, 0.29], 700), paragraph([0.29, 0.25, 0.25], 600)];
    const overfull = [paragraph([0.25, 0.4, 0.25], 500), paragraph([0.4], 400)];
    const { blocks } = findBlocks(page([...others, ...overfull].flat()));
    const end = blocks[0]!.lines[0]!.right;
    expect(blocks.slice(2).map(({ alignment, box }) => [alignment, box.right - end])).toEqual([
      ['justified', 0],
      ['justified', 0],
    ]);
    // A line that ends far behind the others has another end.
    const wider = findBlocks(page([...others, paragraph([0.6], 500)].flat())).blocks;
    expect(wider.at(-1)).toMatchObject({ alignment: 'left' });
  });

  it('is justified if its first lines end next to an object', () => {
    const rows = [
      ['able able able able able', 0.3],
      ['bread bread bread bread', 0.4],
      ['card card card card card', 0.3],
      ['dove dove dove dove dove dove dove', 0.3],
      ['eagle eagle eagle eagle each each', 0.36],
      ['from then on', 0.25],
    ] as const;
    const texts = rows.map(([row, gap], index) => {
      let x = 50;
      return row.split(' ').map((word) => {
        const shown = text(word, x, 700 - 12 * index);
        x += 10 * (widthOf(word) + gap);
        return shown;
      });
    });
    expect(alignments([texts])).toEqual(['justified']);
  });

  it('is justified if many full lines end exactly there', () => {
    expect(alignments([paragraph([0.25, 0.25, 0.25, 0.25], 700)], ragged(600))).toEqual([
      'justified',
      'left',
    ]);
  });
});
