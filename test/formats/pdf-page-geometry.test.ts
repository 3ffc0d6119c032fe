import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { type MadePage, madePdf } from './pdf-made.ts';
import { shownTexts } from './pdf-shown.ts';

/** Two lines in a box. `turn` undoes the transformation of the page, so that the lines are upright for a reader. */
const text = (turn: string): string =>
  `q ${turn} cm 0.9 g 55 290 200 60 re f 0 g BT /F 12 Tf 14 TL 60 320 Td (The first line of a paragraph) Tj T* (goes on in a second line.) Tj ET Q`;

/** The same page, whose attributes are inherited from its parent. */
async function inherited(page: MadePage): Promise<Uint8Array> {
  const document = await PDFDocument.load(await madePdf(page));
  const { node } = document.getPage(0);
  const parent = node.lookup(PDFName.of('Parent'), PDFDict);
  for (const key of ['MediaBox', 'CropBox', 'Rotate', 'Resources'].map((name) => PDFName.of(name))) {
    const value = node.get(key);
    if (value) parent.set(key, value);
    node.delete(key);
  }
  return document.save({ useObjectStreams: false });
}

type Point = readonly [x: number, y: number];

/**
 * Pages, with two points in user space: the start of the first line, and the point above it at the height of a letter.
 */
const pages: Record<string, { page: MadePage; start: Point; above: Point }> = {
  'that is like others': { page: { content: text('1 0 0 1 0 0') }, start: [60, 320], above: [60, 332] },
  'whose box does not begin at 0, 0': {
    page: { content: text('1 0 0 1 -200 400'), page: { MediaBox: [-200, 400, 200, 800] } },
    start: [-140, 720],
    above: [-140, 732],
  },
  'of which a part is shown': {
    page: { content: text('1 0 0 1 0 0'), page: { CropBox: [40, 250, 300, 390] } },
    start: [60, 320],
    above: [60, 332],
  },
  'turned by 90 degrees': {
    page: { content: text('0 1 -1 0 400 0'), page: { Rotate: 90, CropBox: [20, 20, 180, 380] } },
    start: [80, 60],
    above: [68, 60],
  },
  'with a larger unit': {
    page: { content: text('0.5 0 0 0.5 0 0'), page: { UserUnit: 2, MediaBox: [0, 0, 200, 200] } },
    start: [30, 160],
    above: [30, 166],
  },
};

describe.each(Object.entries(pages))('a page %s', (_, { page, start, above }) => {
  it.each([
    ['its own', madePdf],
    ['those of its parent', inherited],
  ])('with attributes that are %s has the translation where the source stood', async (_, make) => {
    const source = await make(page);
    const { segments } = await extract(source);
    expect(segments.map((segment) => segment.source)).toEqual([
      ['The first line of a paragraph goes on in a second line.'],
    ]);
    const translations = segments.map((segment) => ({ ...segment, target: ['Un paragraphe'] }));
    const rebuilt = await rebuild(source, translations, { sourceLanguage: 'en', targetLanguage: 'fr' });
    const [shown, ...others] = await shownTexts(rebuilt.bytes);
    expect([shown!.text, others.length]).toEqual(['Un paragraphe', 0]);
    expect(shown!.x).toBeCloseTo(start[0], 1);
    expect(shown!.y).toBeCloseTo(start[1], 1);
    expect(shown!.x + shown!.turn[2]!).toBeCloseTo(above[0], 1);
    expect(shown!.y + shown!.turn[3]!).toBeCloseTo(above[1], 1);
    for (const { rectangles } of [segments[0]!, rebuilt.rectangles![0]!]) {
      const [left, bottom, right, top] = rectangles![0]!;
      const [x, y] = [(start[0] + above[0]) / 2, (start[1] + above[1]) / 2];
      expect(x >= left && x <= right && y >= bottom && y <= top).toBe(true);
    }
  });
});
