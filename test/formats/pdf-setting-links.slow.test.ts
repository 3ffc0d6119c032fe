import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it, test } from 'vitest';
import type { FormatKind, InlineContent } from '#server/formats/inline-content.ts';
import type { ReadPage } from '#server/formats/pdf/open-pdf.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { at, madePdf, readAll, withOpenPdf } from './pdf-made.ts';
import { shownTexts } from './pdf-shown.ts';

const sentence = [at(40, 300, 'See the'), at(77, 300, 'rules'), at(104, 300, 'of the club')].join(' ');
const open = (tag: number) => ({ tag, type: 'open' as const });
const close = (tag: number) => ({ tag, type: 'close' as const });
const french: InlineContent = [open(1), 'Les statuts', close(1), ' du club, à lire'];

const annotation = (Subtype: string, Rect: number[], more: Record<string, unknown> = {}) => ({
  Type: 'Annot',
  Subtype,
  Rect,
  ...more,
});
const link = (Rect: number[], D = 'rules') => annotation('Link', Rect, { A: { S: 'GoTo', D } });

interface Result {
  source: InlineContent[];
  page: ReadPage;
  right: number;
}

/** Translates the only text of a page. `right` is the end of the words of tag 1, which must be at its start. */
async function translated(content: string, annotations: unknown[], target: InlineContent): Promise<Result> {
  const bytes = await madePdf({ content, page: { Annots: annotations } });
  const { segments } = await extract(bytes);
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target }));
  const result = await rebuild(bytes, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
  const page = await withOpenPdf(result.bytes, (pdf) => pdf.readPage(1));
  const [first] = await shownTexts(result.bytes);
  const count = 'Les statuts'.length / (first?.text.length ?? 1);
  return { source: segments.map(({ source }) => source), page, right: 40 + count * (first!.right - 40) };
}

const boxes = ({ page }: Result) =>
  page.annotations.map(({ box }) =>
    Object.fromEntries(Object.entries(box).map(([key, value]) => [key, Math.round(value)])),
  );

describe('a link', () => {
  it('is a tag around its words, and its area follows them', async () => {
    const result = await translated(sentence, [link([76, 297, 101, 309])], french);
    expect(result.source).toEqual([['See the ', open(1), 'rules', close(1), ' of the club']]);
    const [box] = boxes(result);
    expect(box!['left']).toBe(40);
    expect(Math.abs(box!['right']! - result.right)).toBeLessThan(8);
    expect(box!['bottom']).toBeLessThan(300);
    expect(box!['top']).toBeGreaterThan(306);
  });

  it('of a list is a tag, and the signs between the links keep their color', async () => {
    const list = [
      '0 0 1 rg',
      at(40, 300, 'Home'),
      '0 g',
      at(72, 300, '|'),
      '0 0 1 rg',
      at(80, 300, 'Statutes'),
    ].join(' ');
    const areas = [link([39, 297, 69, 309], 'home'), link([79, 297, 125, 309])];
    const { source } = await translated(list, areas, french);
    expect(source).toEqual([[open(1), 'Home', close(1), ' | ', open(2), 'Statutes', close(2)]]);
  });

  it('next to many others is not a tag, but all together keep their color', async () => {
    const words = ['one', 'two', 'six', 'ten', 'one', 'two', 'six', 'ten'];
    const list = [
      at(40, 300, 'Files:'),
      '0 0 1 rg',
      ...words.map((word, index) => at(76 + 22 * index, 300, word)),
    ].join(' ');
    const areas = words.map((_, index) => link([75 + 22 * index, 297, 95 + 22 * index, 309], `${index}`));
    const { source } = await translated(list, areas, french);
    const format = 'other';
    expect(source).toEqual([['Files: ', { ...open(1), format }, words.join(' '), { ...close(1), format }]]);
  });

  it('stays at its place if its tag is lost', async () => {
    const result = await translated(sentence, [link([76, 297, 101, 309])], ['Les statuts du club']);
    expect(boxes(result)).toEqual([{ left: 76, bottom: 297, right: 101, top: 309 }]);
  });

  it('of two areas is one tag, and both areas follow', async () => {
    const rows = `${sentence} ${at(40, 288, 'and its statutes before you sign')}`;
    const annotations = [link([103, 297, 160, 309]), link([39, 285, 110, 297])];
    const result = await translated(rows, annotations, french);
    expect(result.source[0]!.filter((item) => typeof item !== 'string' && item.type === 'open')).toHaveLength(
      1,
    );
    for (const box of boxes(result)) expect(box['left']).toBe(40);
  });

  it('over several lines has an area on each', async () => {
    const long =
      'Les statuts de notre association, que vous trouverez aussi sur le site public de la ville, et';
    const target: InlineContent = ['Voir ', open(1), long, close(1), ' la suite'];
    const result = await translated(sentence, [link([76, 297, 101, 309])], target);
    const { areas, box } = result.page.annotations[0]!;
    expect(areas!.length).toBeGreaterThan(1);
    for (const area of areas!) {
      expect(area.left).toBeGreaterThanOrEqual(box.left - 0.01);
      expect(area.bottom).toBeGreaterThanOrEqual(box.bottom - 0.01);
    }
  });
});

test('the links of a list that two pages share stay at their place on both pages', async () => {
  const document = await PDFDocument.load(await madePdf({ content: sentence }, { content: sentence }));
  const { context } = document;
  const shared = context.register(context.obj([context.obj(link([76, 297, 101, 309]))]));
  for (const { node } of document.getPages()) node.set(PDFName.of('Annots'), shared);
  const bytes = await document.save();
  const { segments } = await extract(bytes, { pages: ['1'] });
  const translations = segments.map(({ regionId, cellId }) => ({ regionId, cellId, target: french }));
  const result = await rebuild(bytes, translations, {
    sourceLanguage: 'en',
    targetLanguage: 'fr',
    pages: ['1'],
  });
  const pages = await withOpenPdf(result.bytes, readAll);
  const place = { left: 76, bottom: 297, right: 101, top: 309 };
  expect(pages.map(({ annotations }) => annotations.map(({ box }) => box))).toEqual([[place], [place]]);
});

it.each(['Highlight', 'Underline', 'StrikeOut', 'Squiggly'])(
  'a markup of the kind %s follows its words',
  async (kind) => {
    const quads = { QuadPoints: [76, 309, 101, 309, 76, 297, 101, 297] };
    const result = await translated(sentence, [annotation(kind, [76, 297, 101, 309], quads)], french);
    const { areas, kind: read } = result.page.annotations[0]!;
    expect(read).toBe('markup');
    expect(areas!.map(({ left }) => Math.round(left))).toEqual([40]);
  },
);

describe('a rule', () => {
  const rulesOf = ({ page }: Result) => page.paints.map(({ box }) => box);

  const twoLines = `${sentence} ${at(40, 288, 'and')}`;
  const formats: Record<string, FormatKind> = { under: 'underline', through: 'strike' };

  it.each([
    ['under', 'filled', '77 298.2 23.3 0.6 re f', 298.5],
    ['under', 'stroked', '0.6 w 77 298.5 m 100.3 298.5 l S', 298.5],
    ['under', 'stroked with a width in its path', '77 298.5 m 100.3 298.5 l 0.6 w S', 298.5],
    ['under', 'filled in another color', '1 0 0 rg 77 298.2 23.3 0.6 re f 0 g', 298.5],
    ['under', 'at the baseline', '77 299.6 23.3 1.2 re f', 300.2],
    ['through', 'filled', '77 302.7 23.3 0.6 re f', 303],
  ])('%s words, %s, is removed and drawn again with their translation', async (where, _, drawn, y) => {
    const result = await translated(`${drawn} ${sentence}`, [], french);
    const format = formats[where]!;
    const edges = [open(1), close(1)].map((edge) => ({ ...edge, format }));
    expect(result.source).toEqual([['See the ', edges[0], 'rules', edges[1], ' of the club']]);
    const [rule, ...others] = rulesOf(result);
    expect(others).toEqual([]);
    expect(rule!.left).toBeCloseTo(40, 1);
    expect(Math.abs(rule!.right - result.right)).toBeLessThan(8);
    expect(Math.abs((rule!.bottom + rule!.top) / 2 - y)).toBeLessThan(0.5);
  });

  it.each([
    ['is longer than the words', '40 298.2 300 0.6 re f', 340],
    ['is below the words', '77 292 23.3 0.6 re f', 100.3],
  ])('that %s stays', async (_, drawn, right) => {
    const result = await translated(`${drawn} ${sentence}`, [], ['Les statuts du club']);
    expect(result.source).toEqual([['See the rules of the club']]);
    expect(rulesOf(result)).toHaveLength(1);
    expect(rulesOf(result)[0]!.right).toBeCloseTo(right, 1);
  });

  it('that is under all words, in another color, gets the width of the translation', async () => {
    const drawn = '1 0 0 rg 40 298.2 110.6 0.6 re f 0 g';
    const result = await translated(`${drawn} ${sentence}`, [], ['Les statuts']);
    expect(result.source).toEqual([['See the rules of the club']]);
    expect(rulesOf(result)).toHaveLength(1);
    expect(rulesOf(result)[0]!.left).toBeCloseTo(40, 1);
    expect(Math.abs(rulesOf(result)[0]!.right - result.right)).toBeLessThan(4);
  });

  it.each([
    ['is thick under large letters', '40 296 116.7 3 re f', 'BT /F 28 Tf 40 300 Td (The rules) Tj ET', 156.7],
    ['is thick for its letters', '40 294.6 54.2 2.55 re f', 'BT /F 13 Tf 40 300 Td (The rules) Tj ET', 94.2],
    ['is almost black, under one of two lines', '0.05 g 40 298.2 110.6 0.6 re f 0 g', twoLines, 150.6],
  ])('that %s, moves with the words', async (_, drawn, shown, right) => {
    const result = await translated(`${drawn} ${shown}`, [], ['Les statuts']);
    const isTagged = result.source[0]!.some((item) => typeof item !== 'string');
    const stays = rulesOf(result).some((box) => Math.abs(box.right - right) < 0.5);
    expect([isTagged || rulesOf(result).length > 0, stays]).toEqual([true, false]);
  });

  it.each([
    ['is as thick under small letters', '40 296 41.7 3 re f', at(40, 300, 'The rules'), 81.7],
    ['is red, below the last of two lines', '1 0 0 rg 40 286.2 16.7 0.6 re f 0 g', twoLines, 56.7],
  ])('that %s, stays', async (_, drawn, shown, right) => {
    const result = await translated(`${drawn} ${shown}`, [], ['Les statuts']);
    expect(result.source[0]!.every((item) => typeof item === 'string')).toBe(true);
    expect(rulesOf(result).map((box) => Math.round(box.right))).toEqual([Math.round(right)]);
  });

  it('is removed without the other operators between those of its path', async () => {
    const drawn = `77 298.2 23.3 0.6 re 1 0 0 rg f ${sentence} ${at(40, 250, '42')}`;
    const result = await translated(drawn, [], ['Les statuts du club']);
    expect(rulesOf(result)).toEqual([]);
    const number = result.page.texts.find(({ glyphs }) => glyphs[0]?.text === '4');
    expect(number!.color).toBe('1 0 0 rg');
  });

  it('is removed alone from a path with other rectangles', async () => {
    const drawn = '77 298.2 23.3 0.6 re 200 100 50 50 re f';
    const result = await translated(`${drawn} ${sentence}`, [], french);
    expect(rulesOf(result).map(({ left }) => Math.round(left))).toEqual([200, 40]);
  });
});

describe('a box behind words', () => {
  const rest = at(40, 288, 'and of its members');
  const boxes = ({ page }: Result) => page.paints.map(({ box }) => Math.round(box.left));
  const highlighted = (box: string, color = '1 1 0 rg') =>
    translated(`${color} ${box} re f 0 g ${sentence} ${rest}`, [], french);

  it('moves with them, and is drawn before all lines of their text', async () => {
    const result = await highlighted('77 297 23.3 12');
    expect(result.source[0]).toContainEqual({ ...open(1), format: 'other' });
    const [box, ...others] = result.page.paints;
    const drawn = result.page.texts.filter(({ glyphs }) => glyphs.length > 0);
    const least = Math.min(...drawn.map(({ order }) => order));
    expect(others).toEqual([]);
    expect(box).toMatchObject({ color: '1 1 0 rg' });
    expect([box!.box.left, box!.box.bottom].map(Math.round)).toEqual([40, 297]);
    expect(Math.abs(box!.box.right - result.right)).toBeLessThan(8);
    expect(box!.order).toBeLessThan(least);
  });

  it.each([
    ['ends elsewhere, such as a band', '77 297 200 12'],
    ['is higher than a line', '77 290 23.3 26'],
    ['is white', '77 297 23.3 12', '1 1 1 rg'],
  ])('stays if it %s', async (_, box, color?: string) => {
    const result = await highlighted(box, color);
    expect(boxes(result)).toEqual([77]);
  });
});
