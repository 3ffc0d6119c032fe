import type { Rgb } from '../../ocr/recognized-page.ts';
import type { PixelBox, ReadWord } from '../../ocr/tesseract.ts';
import { median } from '../statistics.ts';
import type { Raster } from './raster.ts';

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
