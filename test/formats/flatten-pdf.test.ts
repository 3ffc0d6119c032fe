import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Piece, textOfLine } from '#server/formats/flatten/pdf-lines.ts';
import { flatten } from '#server/formats/flatten.ts';
import { corpusFile } from '#test/corpus/files.ts';

const textOf = (name: string): Promise<string> => flatten('pdf', corpusFile(`pdf/${name}.pdf`));

/** The share of words that two texts have in common, in any order: 0 to 1. */
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

/** A PDF of one page, 400 by 400, with these operators in Helvetica. */
function pdfOf(operators: string | Uint8Array, filter = ''): Uint8Array {
  const content = Buffer.from(operators as string);
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    Buffer.concat([
      Buffer.from(`<</Length ${content.length}${filter}>>\nstream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  const pieces: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = pieces[0]!.length;
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    const piece = Buffer.concat([
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object as string),
      Buffer.from('\nendobj\n'),
    ]);
    pieces.push(piece);
    length += piece.length;
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  pieces.push(
    Buffer.from(
      `xref\n0 6\n0000000000 65535 f \n${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}

/** Text at a place, in points from the lower left. */
const at = (x: number, y: number, text: string, size = 10): string =>
  `BT /F ${size} Tf ${x} ${y} Td (${text}) Tj ET\n`;
const read = (operators: string): Promise<string> => flatten('pdf', pdfOf(operators));

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
    const file = pdfOf(large, '/Filter/FlateDecode');
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
    expect(await flatten('pdf', Buffer.concat([pdfOf(at(20, 300, 'text')), image]))).toBe('text');
  });

  it('a page without text gives none', async () => {
    await expect(read('0 0 m 10 10 l S')).rejects.toMatchObject({ reason: 'empty' });
  });
});
