import type { PageRectangle } from '../../document.ts';
import { FileError } from '../../file-error.ts';
import {
  type PixelBox,
  type ReadLine,
  type ReadParagraph,
  type ReadWord,
  type RecognizedLine,
  type RecognizedPage,
  type Rgb,
  readImage,
} from '../../ocr/tesseract.ts';
import { openPdfjs } from '../../pdfjs/open-pdfjs.ts';
import { type Matrix, multiply } from '../geometry.ts';
import { colorAt, distance, evenSizes, isBold, lineColors, sizeOf } from './letter-sizes.ts';
import { marksOf } from './marks.ts';
import { type PageImage, readPageImages } from './page-images.ts';
import { paintImages, type Raster, skewOf, withoutNoise } from './raster.ts';

/** The maximum number of pixels of an image. pdf.js leaves out larger ones. A page of A4 at 600 dpi has 35 million. */
const maxImagePixels = 40_000_000;
/** Pixels per inch at which a page is read, and the maximum number of pixels of the page. */
const usualDpi = 300;
const maxPagePixels = 12_000_000;
/** The factor by which the page is made smaller to find its skew. */
const skewFactor = 3;

/**
 * Recognizes the text of a page that consists of images. A slightly skewed page is straightened first. A page that is turned
 * by 90° is read twice.
 *
 * @param bytes the PDF, not encrypted
 * @param number the page number, from 1
 * @param language the language of the text
 * @throws {FileError} `unreadable` if no image of the page can be decoded; `too_large` as `openPdfjs` does
 */
export async function recognizePage(
  bytes: Uint8Array,
  number: number,
  language: string,
): Promise<RecognizedPage> {
  const page = await readImages(bytes, number);
  if (page.images.length === 0) throw new FileError('unreadable', 'the images of the page cannot be decoded');
  const { recognized, turn } = await recognizeImages(page, number, language);
  if (turn === 0) return recognized;
  const rotation = (page.rotation + turn) % 360;
  const { recognized: turned } = await recognizeImages({ ...page, rotation }, number, language);
  const textOf = ({ lines }: RecognizedPage) => lengthOf(lines.flatMap(({ words }) => words));
  return textOf(turned) > textOf(recognized) ? turned : recognized;
}

async function recognizeImages(
  { images, view, rotation }: PageImages,
  number: number,
  language: string,
): Promise<{ recognized: RecognizedPage; turn: number }> {
  const [left, bottom, right, top] = view as [number, number, number, number];
  const isTurned = rotation % 180 !== 0;
  const width = isTurned ? top - bottom : right - left;
  const height = isTurned ? right - left : top - bottom;
  const dpi = Math.min(usualDpi, 72 * Math.sqrt(maxPagePixels / (width * height)));
  const columns = Math.ceil((width * dpi) / 72);
  const rows = Math.ceil((height * dpi) / 72);
  const scale = (pixels: number): Matrix => [72 / pixels, 0, 0, 72 / pixels, 0, 0];
  const display = displayMatrix(view, rotation);
  const small = [columns, rows].map((size) => Math.ceil(size / skewFactor)) as [number, number];
  const skew = skewOf(paintImages(images, ...small, multiply(scale(dpi / skewFactor), display)));
  const straight = multiply(turn(skew, width / 2, height / 2), display);
  const raster = paintImages(images, columns, rows, multiply(scale(dpi), straight));
  raster.gray = withoutNoise(raster);
  const read = await readImage({ width: columns, height: rows, data: raster.gray }, dpi, language);
  const paragraphs = read.map(({ lines }) => ({ lines: lines.filter((line) => !isSteep(line)) }));
  const steep = read.flatMap(({ lines }) => lines.filter(isSteep).map(wordsOf)).filter(isReadable);
  const place = ({ x0, y0, x1, y1 }: PixelBox): PageRectangle =>
    [x0, rows - y1, x1, rows - y0].map((value) => rounded((value * 72) / dpi)) as PageRectangle;
  const allWords = paragraphs.flatMap(({ lines }) => lines.map(wordsOf));
  const unread = allWords.filter((words) => lengthOf(words) >= minReported && !isReadable(words));
  const lines = evenSizes(linesOf(paragraphs, raster, { dpi, language, place }), language);
  const recognized = {
    page: number,
    width,
    height: rounded((rows * 72) / dpi),
    matrix: multiply([1, 0, 0, -1, 0, (rows * 72) / dpi], straight),
    lines,
    marks: marksOf(raster, allWords.filter(isReadable)).map(place),
    unreadLines: unread.length + steep.length,
  };
  return { recognized, turn: turnOf(read) };
}

interface PageImages {
  images: PageImage[];
  view: number[];
  /** The degrees by which the page is turned clockwise when it is displayed. */
  rotation: number;
}

async function readImages(bytes: Uint8Array, number: number): Promise<PageImages> {
  const pdf = await openPdfjs(bytes, { maxImagePixels });
  try {
    return await pdf.use(async (document) => {
      const page = await document.getPage(number);
      return { images: await readPageImages(page), view: page.view, rotation: page.rotate };
    });
  } finally {
    await pdf.close();
  }
}

/** Returns the matrix from the displayed page, whose origin is at the top left and whose y axis points downwards. */
function displayMatrix([left, bottom, right, top]: readonly number[], rotation: number): Matrix {
  switch (rotation) {
    case 90:
      return [0, 1, 1, 0, left!, bottom!];
    case 180:
      return [-1, 0, 0, 1, right!, bottom!];
    case 270:
      return [0, -1, -1, 0, right!, top!];
    default:
      return [1, 0, 0, -1, left!, top!];
  }
}

/** Returns the matrix that turns the displayed page around a point, so that its lines rise by some degrees. */
function turn(degrees: number, x: number, y: number): Matrix {
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return [cosine, -sine, sine, cosine, x - cosine * x - sine * y, y + sine * x - cosine * y];
}

/** Words that consist of strokes, as which rules and the edges of a page are often read. */
const strokes = /^[|_—–\-~=.,'"`‘’“”°:;\\/[\]()<>]+$/u;
/** The confidence below which a word of strokes is not a word. */
const minStrokes = 70;
/** The mean confidence of its characters below which a line is a part of a picture, or cannot be read. */
const minLine = 50;
/** The same for a line with at most so many characters, which is more often a part of a picture, such as a chart. */
const minShortLine = 70;
const shortLine = 8;
/** The length from which a line that cannot be read is counted. Shorter ones are dust. */
const minReported = 3;

function wordsOf({ words }: ReadLine): ReadWord[] {
  return words.filter(
    ({ text, confidence }) => text.trim() !== '' && (confidence >= minStrokes || !strokes.test(text)),
  );
}

interface Reading {
  dpi: number;
  language: string;
  place(box: PixelBox): PageRectangle;
}

function linesOf(
  paragraphs: readonly ReadParagraph[],
  raster: Raster,
  { dpi, language, place }: Reading,
): RecognizedLine[] {
  return paragraphs.flatMap((paragraph, index) =>
    paragraph.lines.flatMap((line): RecognizedLine[] => {
      const words = wordsOf(line);
      if (!isReadable(words)) return [];
      const kept = { ...line, words };
      const size = sizeOf(kept, language);
      const colors = lineColors(raster, words);
      return [
        {
          paragraph: index,
          baseline: place(baselineBox(line))[1],
          size: rounded((size * 72) / dpi),
          bold: isBold(raster, words, size, colors),
          ...colors,
          words: words.map(({ text, confidence, bbox }, at) => ({
            text: at === 0 && words.length > 1 ? asBullet(text, bbox, size) : text,
            confidence: Math.round(confidence),
            box: place(withinLine(letterBox(raster, bbox, size, colors), line, size, language)),
          })),
        },
      ];
    }),
  );
}

/** How far letters reach below and above the baseline at most, in em. */
const lowest = { usual: 0.32, deep: 0.65 };
const highest = 1.3;
/** Languages whose letters and signs reach far below the baseline. */
const deepLanguages: readonly string[] = ['ar', 'fa', 'ur', 'hi'];

/** Returns a box without what belongs to the lines above and below, which Tesseract sometimes adds to a word. */
function withinLine(box: PixelBox, { baseline }: ReadLine, size: number, language: string): PixelBox {
  const { x0, x1, y0, y1 } = baseline;
  const middle = (box.x0 + box.x1) / 2;
  const y = y0 + ((y1 - y0) * (middle - x0)) / Math.max(1, x1 - x0);
  const reach = deepLanguages.includes(language) ? lowest.deep : lowest.usual;
  return {
    ...box,
    y0: Math.max(box.y0, Math.round(y - highest * size)),
    y1: Math.min(box.y1, Math.round(y + reach * size)),
  };
}

function isReadable(words: readonly ReadWord[]): boolean {
  const length = lengthOf(words);
  const sum = words.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return length > 0 && sum / length >= (length > shortLine ? minLine : minShortLine);
}

/** Returns the middle of a baseline as a box without a height. */
function baselineBox({ baseline: { x0, y0, x1, y1 } }: ReadLine): PixelBox {
  const y = (y0 + y1) / 2;
  return { x0, x1, y0: y, y1: y };
}

/** Rounds to a hundredth of a point. */
function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}

/** How far letters may reach out of the box of their word, in em. */
const maxReach = 0.35;
/** How different ink and paper are at least, as a share of the difference between the letters and the paper. */
const minContrast = 0.2;

/**
 * Returns the box of a word with all ink that is connected to its letters. Tesseract's boxes sometimes cut off the lower
 * ends of letters such as g.
 *
 * @param size the font size, in pixels
 */
function letterBox(
  raster: Raster,
  box: PixelBox,
  size: number,
  { ground, ink }: { ground: Rgb; ink: Rgb },
): PixelBox {
  const contrast = minContrast * distance(ground, ink);
  const isInk = (x: number, y: number): boolean =>
    x >= 0 &&
    y >= 0 &&
    x < raster.width &&
    y < raster.height &&
    distance(colorAt(raster, x, y), ground) > contrast;
  /** Follows the ink from the row `from` in the direction `step`, and returns the last row with connected ink. */
  const follow = (from: number, step: 1 | -1): number => {
    let columns: number[] = [];
    for (let x = box.x0; x < box.x1; x++) if (isInk(x, from)) columns.push(x);
    let row = from;
    for (let reach = 0; columns.length > 0 && reach < maxReach * size; reach++) {
      const next = new Set<number>();
      for (const column of columns)
        for (let x = column - 1; x <= column + 1; x++) if (isInk(x, row + step)) next.add(x);
      // The ink of a rule below the word is wider than its letters.
      if (next.size === 0 || next.size > size) break;
      row += step;
      columns = [...next];
    }
    return row;
  };
  return { ...box, y0: follow(box.y0, -1), y1: follow(box.y1 - 1, 1) + 1 };
}

/** Whether a line is turned by about 90°. Tesseract reads such lines, but their words cannot be replaced in this direction. */
export function isSteep({ baseline: { x0, x1, y0, y1 } }: Pick<ReadLine, 'baseline'>): boolean {
  return Math.abs(y1 - y0) > Math.abs(x1 - x0);
}

/** The mean confidence of steep lines below which they are upside down: Tesseract reads all of them as rising. */
const minRising = 70;

/**
 * Returns the degrees by which a page has to be turned clockwise so that most of its text is horizontal: 0, 90 if the lines
 * rise, or 270 if they fall.
 */
export function turnOf(paragraphs: readonly ReadParagraph[]): 0 | 90 | 270 {
  const lines = paragraphs.flatMap(({ lines }) => lines);
  const [steep, level] = [true, false].map((is) =>
    lines.filter((line) => isSteep(line) === is).flatMap(({ words }) => words),
  ) as [ReadWord[], ReadWord[]];
  const length = lengthOf(steep);
  if (length <= lengthOf(level)) return 0;
  const sum = steep.reduce((sum, { text, confidence }) => sum + text.length * confidence, 0);
  return sum / length >= minRising ? 90 : 270;
}

/** Returns the number of characters of words. */
function lengthOf(words: readonly { text: string }[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

/** Signs as which Tesseract often reads a bullet, and their minimum height if they are not bullets, in em. */
const misread = /^[¢®©]$/;
const minSign = 0.55;

/** Returns the first word of a line: a bullet if it is a sign that is too small, otherwise its text. */
export function asBullet(text: string, { y0, y1 }: PixelBox, size: number): string {
  return misread.test(text) && y1 - y0 < minSign * size ? '•' : text;
}
