import { deflateSync } from 'node:zlib';
import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { type Piece, textOfLine } from '#server/formats/flatten/pdf-lines.ts';
import { flatten } from '#server/formats/flatten.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { madePdf } from './pdf-made.ts';

const textOf = (name: string): Promise<string> => flatten('pdf', corpusFile(`pdf/${name}.pdf`));

/** The share of words that two texts have in common, in any order, from 0 to 1. */
function likeness(one: string, other: string): number {
  const words = (text: string): string[] =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const left = new Map<string, number>();
  for (const word of words(one)) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of words(other)) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    common++;
    left.set(word, count - 1);
  }
  return (2 * common) / (words(one).length + words(other).length);
}

/** Text at a place, in points from the lower left corner. */
const at = (x: number, y: number, text: string, size = 10): string =>
  `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET\n`;
const read = async (content: string): Promise<string> => flatten('pdf', await madePdf({ content }));

describe('lines and paragraphs', () => {
  it.each<[rule: string, operators: string, text: string]>([
    [
      'lines are joined',
      at(20, 300, 'One line that goes on') + at(20, 288, 'in a second line.'),
      'One line that goes on in a second line.',
    ],
    ['a larger distance divides', at(20, 300, 'One line') + at(20, 270, 'another'), 'One line\n\nanother'],
    ['another size divides', at(20, 300, 'Heading', 16) + at(20, 286, 'text'), 'Heading\n\ntext'],
    [
      'an indented line after a sentence divides',
      at(20, 300, 'One sentence that ends.') + at(35, 288, 'Another begins.'),
      'One sentence that ends.\n\nAnother begins.',
    ],
    ['items of a list are apart', at(20, 300, '1. one') + at(20, 288, '2. two'), '1. one\n\n2. two'],
    ['columns are apart', at(20, 300, 'left') + at(220, 300, 'right'), 'left\n\nright'],
    [
      'a word that a hyphen breaks is whole',
      at(20, 300, 'The trans-') + at(20, 288, 'lation is done'),
      'The translation is done',
    ],
    ['words that are placed one by one have spaces', at(20, 300, 'one') + at(42, 300, 'two'), 'one two'],
    ['letters that are placed one by one have none', at(20, 300, 'on') + at(31.2, 300, 'e'), 'one'],
  ])('%s', async (_, operators, text) => {
    expect(await read(operators)).toBe(text);
  });
});

describe('right-to-left text, drawn either way', () => {
  const arabic = (text: string, start: number, end: number): Piece => ({
    text,
    place: { start, end, isRightToLeft: true },
  });
  const latin = (text: string, start: number, end: number): Piece => ({
    text,
    place: { start, end, isRightToLeft: false },
  });
  const blank: Piece = { text: ' ' };

  it.each<[rule: string, pieces: Piece[], text: string]>([
    ['words as they are read', [arabic('هذه', 80, 99), blank, arabic('فقرة', 50, 75)], 'هذه فقرة'],
    [
      'words as they are read, each from its left end',
      [arabic('ه', 80, 85), arabic('هذ', 85, 99), arabic('ة', 50, 55), arabic('فقر', 55, 75)],
      'هذه فقرة',
    ],
    ['a line from its left end', [arabic('فقرة', 50, 75), blank, arabic('هذه', 80, 99)], 'هذه فقرة'],
    ['both', [latin('see', 0, 20), blank, arabic('هذه', 30, 50), blank, latin('now', 60, 80)], 'see هذه now'],
  ])('%s', (_, pieces, text) => {
    expect(textOfLine(pieces, 2)).toBe(text);
  });
});

describe('files of the corpus, beside what poppler reads', () => {
  it.each(['two-column-labels-links', 'rotated-90-table', 'encrypted-owner-only'])(
    '%s: 97 of 100 words and more are the same',
    async (name) => {
      const reference = Buffer.from(corpusFile(`pdf/${name}.txt`)).toString('utf8');
      expect(likeness(await textOf(name), reference)).toBeGreaterThanOrEqual(0.97);
    },
  );
});

describe('streams and images', () => {
  const large = deflateSync(Buffer.alloc(64_000_001, 0x20));

  it('a stream is too large by the size of its file, and in any file over 64,000,000 bytes', async () => {
    const document = await PDFDocument.create();
    const content = document.context.stream(large, { Filter: 'FlateDecode' });
    document.addPage().node.set(PDFName.of('Contents'), document.context.register(content));
    const file = await document.save({ useObjectStreams: false });
    for (const [padding, limit] of [
      [0, 20_000_000 + 30 * file.length],
      [2_000_000, 64_000_000],
    ] as const)
      await expect(flatten('pdf', Buffer.concat([file, Buffer.alloc(padding, ' ')]))).rejects.toMatchObject({
        reason: 'too_large',
        message: expect.stringContaining(limit.toLocaleString('en-US')),
      });
  });

  it('a larger image is not decoded, so it is accepted', async () => {
    const image = Buffer.concat([
      Buffer.from('9 0 obj\n<</Type/XObject/Subtype/Image/Filter/FlateDecode>>\nstream\n'),
      large,
      Buffer.from('\nendstream\nendobj\n'),
    ]);
    const file = await madePdf({ content: at(20, 300, 'text') });
    expect(await flatten('pdf', Buffer.concat([file, image]))).toBe('text');
  });

  it('a page without text gives none', async () => {
    await expect(read('0 0 m 10 10 l S')).rejects.toMatchObject({ reason: 'empty' });
  });
});
