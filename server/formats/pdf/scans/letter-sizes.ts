import type { PixelBox, ReadLine, ReadWord, RecognizedLine, Rgb } from '../../ocr/tesseract.ts';
import { fontOf } from '../../typesetting/languages.ts';
import { median } from '../statistics.ts';
import type { Raster } from './raster.ts';

/** Letters and digits as high as capitals, and letters as high as x, which have no dots or accents. */
const high = /[bdfhklA-Z0-9ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩА-ГЕЖЗИК-ТФХЧШЫЬЭ-Я]/u;
const low = /^[acemnorsuvwxzαγεικνοπστυωχµ.,агекмнопстух]+$/u;
/** Words without signs or accents that may be higher than capitals. */
const plain = /^[A-Za-z0-9.,;:\-Α-ΡΣ-Ωα-ωςА-ЯЁа-яё]+$/u;
/** The heights of these letters above the baseline, in em. Those of Times and Arial differ by 4%. */
const capitals = 0.69;
const smallLetters = 0.49;
/** The height of a row, from its highest to its lowest letters, in em, for other scripts. */
const rowHeights: Partial<Record<ReturnType<typeof fontOf>, number>> = { arabic: 0.95, devanagari: 0.95 };
/** The height of the characters of Chinese, Japanese and Korean, in em. */
const ideographs = 0.9;

/** Returns the font size of a line, in pixels. */
export function sizeOf({ words, baseline, rowAttributes, bbox }: ReadLine, language: string): number {
  const font = fontOf(language);
  const ascent = ({ bbox: { y0 } }: ReadWord): number => (baseline.y0 + baseline.y1) / 2 - y0;
  if (font === 'sans') {
    const tall = words.filter(({ text }) => high.test(text) && plain.test(text)).map(ascent);
    if (tall.length > 0) return median(tall) / capitals;
    const short = words.filter(({ text }) => low.test(text)).map(ascent);
    return short.length > 0 ? median(short) / smallLetters : rowAttributes.rowHeight / 0.95;
  }
  const height = rowHeights[font];
  return height ? rowAttributes.rowHeight / height : (bbox.y1 - bbox.y0) / ideographs;
}

/**
 * Sizes that differ by less than this share are the same size, measured twice. Outside of Latin, Greek and Cyrillic
 * script, the height of a line depends more on its letters.
 */
const sameSize = { sans: 0.12, other: 0.25 };
/**
 * A line with at most so many characters is measured badly, because they may all be small. It gets the size of another
 * line if this differs by less than the share.
 */
const shortLine = 4;
const similarSize = 0.35;

/** Gives lines of almost the same size the size that most of their text has. */
export function evenSizes(lines: readonly RecognizedLine[], language: string): RecognizedLine[] {
  const same = fontOf(language) === 'sans' ? sameSize.sans : sameSize.other;
  const isShort = ({ words }: RecognizedLine): boolean => lengthOf(words) <= shortLine;
  const long = lines.filter((line) => !isShort(line));
  const sorted = [...(long.length > 0 ? long : lines)].sort((one, other) => one.size - other.size);
  const groups: RecognizedLine[][] = [];
  for (const line of sorted) {
    const group = groups.at(-1);
    if (group && line.size <= group[0]!.size * (1 + same)) group.push(line);
    else groups.push([line]);
  }
  const sizes = new Map(
    groups.flatMap((group) => {
      const all = group.flatMap(({ size, words }) => words.flatMap(({ text }) => [...text].map(() => size)));
      const even = Math.round(2 * median(all)) / 2;
      return group.map((line) => [line, even] as const);
    }),
  );
  return lines.map((line) => ({ ...line, size: sizes.get(line) ?? similar(line.size, [...sizes.values()]) }));
}

function lengthOf(words: RecognizedLine['words']): number {
  return words.reduce((sum, { text }) => sum + [...text].length, 0);
}

/** Returns the size that is most similar to a measured size; or the rounded size if none is similar. */
function similar(size: number, sizes: readonly number[]): number {
  const difference = (other: number): number => Math.abs(Math.log(other / size));
  const best = sizes.reduce(
    (best, other) => (difference(other) < difference(best) ? other : best),
    sizes[0]!,
  );
  return difference(best) < similarSize ? best : Math.round(2 * size) / 2;
}

/** The median width of the strokes of bold letters is at least this, in em. That of regular letters is about 0.09. */
const boldStroke = 0.125;

/** Whether the letters of some words are bold: the median length of the horizontal runs of their ink. */
export function isBold(
  raster: Raster,
  words: readonly ReadWord[],
  size: number,
  { ground, ink }: { ground: Rgb; ink: Rgb },
): boolean {
  const contrast = distance(ground, ink) / 2;
  const runs: number[] = [];
  for (const { bbox } of words)
    for (let y = bbox.y0; y < bbox.y1; y += 2) {
      let run = 0;
      for (let x = bbox.x0; x <= bbox.x1 && x < raster.width; x++) {
        const isInk = x < bbox.x1 && distance(colorAt(raster, x, y), ground) > contrast;
        if (isInk) run++;
        else if (run > 0) {
          runs.push(run);
          run = 0;
        }
      }
    }
  return runs.length > 0 && median(runs) > boldStroke * size;
}

/** The distance and the width of the frame around a line in which the color of the paper is measured, in pixels. */
const frameGap = 2;
const frameWidth = 5;
/** The maximum number of pixels that are measured. */
const maxPixels = 4000;

/** Returns the color of the paper around the words of a line, and that of its letters. */
export function lineColors(raster: Raster, words: readonly ReadWord[]): { ground: Rgb; ink: Rgb } {
  const box = boxOf(words);
  const outer = grown(box, frameGap + frameWidth);
  const inner = grown(box, frameGap);
  const ground = medianColor(
    sample(raster, outer, (x, y) => x < inner.x0 || x >= inner.x1 || y < inner.y0 || y >= inner.y1),
  );
  const letters = sample(raster, box).map((color) => ({ color, distance: distance(color, ground) }));
  const strongest = letters.reduce((greatest, { distance }) => Math.max(greatest, distance), 0);
  const ink = letters.filter(({ distance }) => distance > 0.75 * strongest).map(({ color }) => color);
  return { ground, ink: ink.length > 0 ? medianColor(ink) : [0, 0, 0] };
}

/** Returns how different two colors are, from 0 to 255. */
export function distance(one: Rgb, other: Rgb): number {
  return Math.max(...one.map((value, index) => Math.abs(value - other[index]!)));
}

export function colorAt({ width, colors }: Raster, x: number, y: number): Rgb {
  const at = 3 * (y * width + x);
  return [colors[at]!, colors[at + 1]!, colors[at + 2]!];
}

function boxOf(words: readonly ReadWord[]): PixelBox {
  return words
    .map(({ bbox }) => bbox)
    .reduce((one, other) => ({
      x0: Math.min(one.x0, other.x0),
      y0: Math.min(one.y0, other.y0),
      x1: Math.max(one.x1, other.x1),
      y1: Math.max(one.y1, other.y1),
    }));
}

function grown({ x0, y0, x1, y1 }: PixelBox, by: number): PixelBox {
  return { x0: x0 - by, y0: y0 - by, x1: x1 + by, y1: y1 + by };
}

/** Returns the colors of evenly spread pixels of a box. */
function sample(raster: Raster, box: PixelBox, isWanted?: (x: number, y: number) => boolean): Rgb[] {
  const x0 = Math.max(0, box.x0);
  const x1 = Math.min(raster.width, box.x1);
  const y0 = Math.max(0, box.y0);
  const y1 = Math.min(raster.height, box.y1);
  const step = Math.max(1, Math.floor(Math.sqrt(((x1 - x0) * (y1 - y0)) / maxPixels)));
  const found: Rgb[] = [];
  // All rows are visited, because the frame above and below a line is only a few pixels high.
  for (let y = y0; y < y1; y++)
    for (let x = x0 + (y % step); x < x1; x += step * step)
      if (!isWanted || isWanted(x, y)) found.push(colorAt(raster, x, y));
  return found;
}

function medianColor(colors: readonly Rgb[]): Rgb {
  if (colors.length === 0) return [255, 255, 255];
  return [0, 1, 2].map((channel) => median(colors.map((color) => color[channel]!))) as Rgb;
}
