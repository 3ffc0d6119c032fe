import { describe, expect, it } from 'vitest';
import { apply } from '#server/formats/pdf/geometry.ts';
import type { ReadPage } from '#server/formats/pdf/open-pdf.ts';
import type { ReadText } from '#server/formats/pdf/reading/shown-texts.ts';
import { corpusFile, corpusNames } from '#test/corpus/files.ts';
import { hasPdftotext } from './golden-pdf-readers.ts';
import { at, form, helvetica, madePdf, readAll, readMade, textOf, withOpenPdf } from './pdf-made.ts';
import { misplacedWords, wordsByPoppler } from './pdf-places.ts';

/** Encrypted files are excluded, because the service decrypts files before it opens them. */
const names = corpusNames('pdf').filter((name) => name.endsWith('.pdf') && !name.startsWith('encrypted'));

/**
 * The number of words that poppler splits or joins differently, or that are in form fields, which are not text of the
 * page.
 */
const otherWords: Record<string, number> = {
  'form-xfa.pdf': 110,
  'mixed-scripts-type3.pdf': 71,
  // Most of these are characters of the Symbol font, for which poppler returns private-use codes.
  'form-xobject-text.pdf': 47,
  // Quotes and ligatures in TeX's encodings, which poppler reads as control characters.
  'type3-font.pdf': 11,
};

const pagesOf = (bytes: Uint8Array): Promise<ReadPage[]> => withOpenPdf(bytes, readAll);

describe.each(names)('%s', (name) => {
  const bytes = corpusFile(`pdf/${name}`);
  let reading: Promise<ReadPage[]> | undefined;
  const pages = (): Promise<ReadPage[]> => {
    reading ??= pagesOf(bytes);
    return reading;
  };

  it('each text operator is paired with what pdf.js says of it', async () => {
    const texts = (await pages()).flatMap((page) => page.texts);
    expect(texts.filter(({ kept }) => kept === 'unpaired')).toEqual([]);
    const isPlaced = ({ glyphs, matrix }: ReadText): boolean =>
      matrix.every(Number.isFinite) &&
      glyphs.every(({ x, advance }) => Number.isFinite(x) && Number.isFinite(advance)) &&
      (glyphs[0]?.x ?? 0) === 0;
    expect(texts.filter((text) => !isPlaced(text))).toEqual([]);
  });

  it.skipIf(!hasPdftotext)('each word of poppler has its letters where poppler has it', async () => {
    const words = wordsByPoppler(bytes);
    const misplaced = (await pages()).flatMap((page, index) => misplacedWords(page, words[index]!));
    const most = otherWords[name] ?? Math.ceil(words.flat().length * 0.02);
    expect(misplaced.length, JSON.stringify(misplaced.slice(0, 10))).toBeLessThanOrEqual(most);
  });
});

/** The origin of each glyph in user space, rounded to a hundredth of a point. */
function origins({ texts }: ReadPage): string {
  const round = (value: number): number => Math.round(value * 100) / 100;
  return texts
    .flatMap(({ glyphs, matrix }) => glyphs.map(({ text, x }) => `${text}@${apply(matrix, x, 0).map(round)}`))
    .join(', ');
}

describe('glyphs stand where PDF 32000-1 says', () => {
  // Widths in Helvetica in thousandths of an em: A 667, B 667, space 278.
  it.each<[string, string, string]>([
    ['one after the other', 'BT /F 10 Tf 20 30 Td (AB) Tj (A) Tj ET', 'A@20,30, B@26.67,30, A@33.34,30'],
    ['with character spacing', 'BT /F 10 Tf 2 Tc 0 5 Td (AB) Tj ET', 'A@0,5, B@8.67,5'],
    ['with word spacing at spaces only', 'BT /F 10 Tf 3 Tw (A B) Tj ET', 'A@0,0,  @6.67,0, B@12.45,0'],
    ['with adjustments', 'BT /F 10 Tf [100 (A) -1000 (B)] TJ ET', 'A@-1,0, B@15.67,0'],
    ['scaled with all spacings', 'BT /F 10 Tf 50 Tz 2 Tc [(A) 200 (B)] TJ ET', 'A@0,0, B@3.34,0'],
    ['risen', 'BT /F 10 Tf 4 Ts (A) Tj -4 Ts (B) Tj ET', 'A@0,4, B@6.67,-4'],
    [
      'on the next lines',
      'BT /F 10 Tf 12 TL 5 100 Td (A) Tj T* (B) Tj (A) \' 1 2 (AB) " ET',
      'A@5,100, B@5,88, A@5,76, A@5,64, B@13.67,64',
    ],
    ['after TD', 'BT /F 10 Tf 0 50 Td 3 -7 TD (A) Tj T* (B) Tj ET', 'A@3,43, B@3,36'],
    [
      'by the text matrix and the current matrix',
      'q 2 0 0 2 10 10 cm BT /F 10 Tf 0 1 -1 0 5 5 Tm (AB) Tj ET Q',
      'A@20,20, B@20,33.34',
    ],
    ['with a negative size', 'BT /F -10 Tf 100 50 Td (AB) Tj ET', 'A@100,50, B@93.33,50'],
    ['from their own origin', 'BT /F 10 Tf 9 9 Td (A) Tj ET BT (B) Tj ET', 'A@9,9, B@0,0'],
    ['with a restored font', 'BT /F 10 Tf ET q BT /F 20 Tf ET Q BT (AB) Tj ET', 'A@0,0, B@6.67,0'],
  ])('%s', async (_, content, expected) => {
    expect(origins(await readMade({ content }))).toEqual(expected);
  });

  it('in forms by their matrix, each time that they are painted', async () => {
    const inner = form('BT /F 10 Tf (AB) Tj ET', { Font: { F: helvetica } }, { Matrix: [2, 0, 0, 2, 1, 1] });
    const outer = form('1 0 0 1 10 0 cm /Inner Do', { XObject: { Inner: inner } });
    const page = await readMade({
      content: 'q 1 0 0 1 0 50 cm /Outer Do Q /Outer Do BT /F 10 Tf (B) Tj ET',
      resources: { XObject: { Outer: outer, Inner: inner } },
    });
    expect(page.uses.map(({ parent, name }) => [parent, name])).toEqual([
      [0, 'Outer'],
      [1, 'Inner'],
      [0, 'Outer'],
      [3, 'Inner'],
    ]);
    expect(origins(page)).toBe('A@11,51, B@24.34,51, A@11,1, B@24.34,1, B@0,0');
  });
});

describe('a page', () => {
  it.each([
    [-90, 270],
    [450, 90],
  ])('turned by %d degrees is at %d', async (Rotate, rotation) => {
    expect((await readMade({ content: '', page: { Rotate } })).rotation).toBe(rotation);
  });

  it('is its crop box within its media box', async () => {
    const { box } = await readMade({ content: '', page: { CropBox: [300, 10, 20, 900] } });
    expect(box).toEqual({ left: 20, bottom: 10, right: 300, top: 400 });
  });

  it('is one stream, however it is cut', async () => {
    const page = await readMade({ content: ['BT /F 10 Tf', '9 9 Td (A) Tj', '(B) Tj ET'] });
    expect(origins(page)).toBe('A@9,9, B@15.67,9');
  });

  it('has the annotations that are seen', async () => {
    const annotation = (Subtype: string, F = 0): unknown => ({
      Type: 'Annot',
      Subtype,
      F,
      Rect: [50, 40, 10, 20],
    });
    const { annotations } = await readMade({
      content: '',
      page: {
        Annots: [
          annotation('Widget'),
          annotation('Link'),
          annotation('Stamp'),
          annotation('Popup'),
          annotation('Widget', 2),
        ],
      },
    });
    const box = { left: 10, bottom: 20, right: 50, top: 40 };
    expect(annotations.map(({ kind, box }) => ({ kind, box }))).toEqual([
      { kind: 'widget', box },
      { kind: 'link', box },
      { kind: 'other', box },
    ]);
  });

  it('has what is painted on it, within the clip, in painting order', async () => {
    const { paints } = await readMade({
      content: `10 10 100 1 re f ${at(0, 0, 'A')} q 0 0 50 50 re W n 40 40 100 100 re f Q 2 w 10 200 m 110 200 l S`,
    });
    expect(paints.map(({ kind, order, opaque }) => [kind, order, opaque])).toEqual([
      ['fill', 0, true],
      ['fill', 2, true],
      ['stroke', 3, false],
    ]);
    const near = (box: object): object =>
      Object.fromEntries(Object.entries(box).map(([side, value]) => [side, Math.round(value as number)]));
    expect(paints.map(({ box }) => near(box))).toEqual([
      { left: 10, bottom: 10, right: 110, top: 11 },
      { left: 40, bottom: 40, right: 50, top: 50 },
      { left: 9, bottom: 199, right: 111, top: 201 },
    ]);
  });

  it('a curved or sloped line is boxes along it; what has curves around an area is its box', async () => {
    const { paints } = await readMade({
      content:
        '100 100 m 100 200 200 300 300 300 c S 100 100 m 200 200 l S 10 10 m 10 90 l 90 90 l S 100 100 m 100 200 200 200 100 100 c S 100 100 m 200 300 l 300 100 l h S',
    });
    const [curve, slope, corner, loop, triangle] = paints.map(({ parts }) => parts);
    expect(triangle).toHaveLength(3 * 8);
    expect(curve).toHaveLength(8);
    expect(slope).toHaveLength(8);
    expect(corner).toBeUndefined();
    expect(loop).toBeUndefined();
    const inside = (x: number, y: number) =>
      curve!.some(({ left, bottom, right, top }) => x > left && x < right && y > bottom && y < top);
    expect(inside(250, 150)).toBe(false);
    expect(inside(162.5, 237.5)).toBe(true);
  });

  it('whose streams two readers read differently has the rest of its text', async () => {
    // PDF.js stops at a single parenthesis. The text after it cannot be paired, so it is not translated.
    const bytes = await madePdf(
      { content: `${at(9, 9, 'one')} q Q ) ${at(9, 30, 'two')}` },
      { content: at(9, 9, 'three') },
    );
    const pages = await pagesOf(bytes);
    expect(pages.map(({ texts }) => texts.map((text) => [textOf(text), text.kept]))).toEqual([
      [
        ['one', null],
        ['', 'unpaired'],
      ],
      [['three', null]],
    ]);
  });
});
