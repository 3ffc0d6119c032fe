import { expect, it } from 'vitest';
import { plainText } from '#server/formats/inline-content.ts';
import type { RecognizedPage } from '#server/formats/ocr/tesseract.ts';
import { dataFile, obstacleTo } from '#server/formats/ocr/tesseract.ts';
import { skewOf } from '#server/formats/pdf/scans/raster.ts';
import { extract, rebuild } from '#server/formats/pdf.ts';
import { corpusFile } from '#test/corpus/files.ts';
import { textByPdfjs } from './golden-pdf-readers.ts';

const scan = corpusFile('pdf/made-scanned-no-text.pdf');
const french = { sourceLanguage: 'en', targetLanguage: 'fr' };

it('without the packages of OCR, the reason names the command that installs them', () => {
  expect(obstacleTo('en', new URL('file:///nonexistent/'))).toMatch(/not installed.*`npm run ocr`/);
  expect(obstacleTo('ru')).toMatch(/does not support .*ru/);
});

it.skipIf(obstacleTo('en') === undefined)('without OCR, the finding names the command', async () => {
  const { findings, imagePages } = await extract(scan, french);
  expect(imagePages).toBeUndefined();
  expect(findings).toMatchObject([
    { code: 'no_translatable_text', message: expect.stringContaining('`npm run ocr`') },
  ]);
});

it('a scanned page is listed for recognition only if its language can be recognized', async () => {
  const { imagePages, findings } = await extract(scan, { ...french, sourceLanguage: 'ru' });
  expect(imagePages).toBeUndefined();
  expect(findings[0]!.message).toContain('does not support');
  expect(dataFile('pt-BR')!.name).toBe('por');
});

const word = (text: string, left: number, baseline: number, confidence = 95) => ({
  text,
  confidence,
  box: [left, baseline, left + 6 * text.length, baseline + 8] as [number, number, number, number],
});

/** A recognized page that rises by one degree. */
const recognized: RecognizedPage = {
  page: 1,
  width: 612,
  height: 792,
  matrix: [
    Math.cos(Math.PI / 180),
    Math.sin(Math.PI / 180),
    -Math.sin(Math.PI / 180),
    Math.cos(Math.PI / 180),
    0,
    0,
  ],
  lines: ['The first line of a page', 'and the second one of it.', '1234'].map((line, index) => {
    const baseline = 700 - 14 * index - (index === 2 ? 100 : 0);
    let left = 70;
    const words = line.split(' ').map((text) => {
      const added = word(text, left, baseline, text === 'second' ? 40 : 95);
      left += 6 * text.length + 3;
      return added;
    });
    return {
      paragraph: 0,
      baseline,
      size: 12,
      bold: false,
      ground: [250, 240, 220],
      ink: [20, 20, 20],
      words,
    };
  }),
  marks: [],
  unreadLines: 0,
};
const recognition = { pages: [recognized], failed: [{ page: 2, reason: 'it takes too long' }] };

it('the lines of a recognized page become paragraphs with the confidence of each word', async () => {
  const { segments, findings, outcome, imagePages } = await extract(scan, { ...french, recognition });
  expect(segments.map(({ source }) => plainText(source))).toEqual([
    'The first line of a page and the second one of it.',
  ]);
  const { words, rectangles, page } = segments[0]!;
  expect([words!.length, words!.filter(({ confidence }) => confidence < 70)]).toEqual([
    12,
    [{ text: 'second', confidence: 40 }],
  ]);
  expect([page, rectangles!.length]).toEqual([1, 1]);
  expect(imagePages).toBeUndefined();
  expect(findings.map(({ code, message }) => [code, message])).toEqual([
    ['unsupported_content_kept', expect.stringMatching(/page 3 consists of images.*no text was recognized/)],
    ['text_recognized', expect.stringContaining('1 page was recognized')],
    ['unsupported_content_kept', expect.stringMatching(/page 2 was not recognized.*it takes too long/)],
  ]);
  // The number stays, and counts.
  expect(outcome).toMatchObject({ unaccounted: 0, kept: [{ reason: 'number', characters: 4 }] });
});

it('the translation is set over the painted place of the source, along its lines', async () => {
  const translations = [
    { regionId: 'p1.b1', cellId: null, target: ['La première ligne de la page et la deuxième'] },
  ];
  const { bytes, rectangles } = await rebuild(scan, translations, { ...french, recognition });
  expect((await textByPdfjs(new Uint8Array(bytes))).replace(/\s+/g, ' ')).toContain(
    'La première ligne de la page et la deuxième',
  );
  const [{ rectangles: [place] = [] } = {}] = rectangles!;
  // The page rises by one degree around its corner.
  expect(place![0]).toBeGreaterThan(50);
  expect(place![3]).toBeGreaterThan(700);
});

it.each([-2, 0, 0.75, 2])('finds the skew of a page: %s degrees', (degrees) => {
  const [width, height] = [600, 800];
  const gray = new Uint8Array(width * height).fill(255);
  const slope = Math.tan((degrees * Math.PI) / 180);
  for (let line = 100; line < 700; line += 20)
    for (let x = 60; x < 540; x++)
      if (x % 9 < 6) for (let y = 0; y < 5; y++) gray[Math.round(line + y - slope * x) * width + x] = 0;
  expect(Math.abs(skewOf({ width, height, gray }) - degrees)).toBeLessThan(0.11);
});
