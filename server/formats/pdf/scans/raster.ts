import { apply, invert, type Matrix, multiply } from '../geometry.ts';
import { median } from '../statistics.ts';
import type { PageImage } from './page-images.ts';

/** The images of a page as one image. */
export interface Raster {
  width: number;
  height: number;
  /** Three bytes a pixel: red, green and blue. Rows are from the top. */
  colors: Uint8Array;
  gray: Uint8Array;
}

/**
 * Paints the images of a page over white.
 *
 * @param toPage maps the pixels of the result to the page's user space; its y axis points downwards
 */
export function paintImages(
  images: readonly PageImage[],
  width: number,
  height: number,
  toPage: Matrix,
): Raster {
  const colors = new Uint8Array(3 * width * height).fill(255);
  for (const image of images) paint(image, { width, height, colors }, toPage);
  const gray = new Uint8Array(width * height);
  for (let at = 0; at < gray.length; at++)
    gray[at] = (77 * colors[3 * at]! + 151 * colors[3 * at + 1]! + 28 * colors[3 * at + 2]!) >> 8;
  return { width, height, colors, gray };
}

/** The maximum number of samples of an image for a pixel, along each axis. */
const maxSamples = 4;

function paint(image: PageImage, { width, height, colors }: Omit<Raster, 'gray'>, toPage: Matrix): void {
  const toUnit = invert(image.matrix);
  const fromUnit = invert(toPage);
  if (!toUnit || !fromUnit) return;
  // From pixels of the raster to pixels of the image.
  const matrix = multiply(multiply(toPage, toUnit), [image.width, 0, 0, -image.height, 0, image.height]);
  const [a, b, c, d, e, f] = matrix;
  const corners = [0, 1].flatMap((x) => [0, 1].map((y) => apply(fromUnit, ...apply(image.matrix, x, y))));
  const range = (axis: 0 | 1, size: number): [number, number] => {
    const values = corners.map((corner) => corner[axis]);
    return [Math.max(0, Math.floor(Math.min(...values))), Math.min(size, Math.ceil(Math.max(...values)))];
  };
  const [left, right] = range(0, width);
  const [top, bottom] = range(1, height);
  const scale = Math.max(Math.hypot(a, b), Math.hypot(c, d));
  // Pixels of an enlarged image are blended, because noise in large squares would look like letters.
  const offsets =
    scale < 1 ? blended : spread(Math.min(maxSamples, Math.max(2, Math.ceil(scale))), a, b, c, d);
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      const x = a * (column + 0.5) + c * (row + 0.5) + e;
      const y = b * (column + 0.5) + d * (row + 0.5) + f;
      let [red, green, blue, sum] = [0, 0, 0, 0];
      for (const [offsetX, offsetY] of offsets) {
        const sourceX = Math.floor(x + offsetX);
        const sourceY = Math.floor(y + offsetY);
        if (sourceX < 0 || sourceY < 0 || sourceX >= image.width || sourceY >= image.height) continue;
        const color = image.colorAt(sourceX, sourceY);
        if (color === undefined) continue;
        const weight =
          scale < 1
            ? Math.max(0, 1 - Math.abs(x - sourceX - 0.5)) * Math.max(0, 1 - Math.abs(y - sourceY - 0.5))
            : 1 / offsets.length;
        red += weight * (color >> 16);
        green += weight * ((color >> 8) & 255);
        blue += weight * (color & 255);
        sum += weight;
      }
      if (sum === 0) continue;
      const at = 3 * (row * width + column);
      colors[at] = Math.round(red + colors[at]! * (1 - sum));
      colors[at + 1] = Math.round(green + colors[at + 1]! * (1 - sum));
      colors[at + 2] = Math.round(blue + colors[at + 2]! * (1 - sum));
    }
}

/** The offsets of the four pixels around a point. */
const blended: [number, number][] = [
  [-0.5, -0.5],
  [0.5, -0.5],
  [-0.5, 0.5],
  [0.5, 0.5],
];

/** Returns offsets of evenly spread points of a pixel, in pixels of the image. */
function spread(samples: number, a: number, b: number, c: number, d: number): [number, number][] {
  const steps = Array.from({ length: samples }, (_, index) => (index + 0.5) / samples - 0.5);
  return steps.flatMap((x) => steps.map((y): [number, number] => [a * x + c * y, b * x + d * y]));
}

/** The median difference of neighboring pixels from which an image is noisy, of 255 shades. */
const noisy = 3;
/** The maximum number of times that an image is blurred. */
const maxBlurs = 6;

/** Returns the shades of an image; a noisy image is blurred, because noise would be read as dots. */
export function withoutNoise({ width, gray }: Raster): Uint8Array {
  let shades = gray;
  for (let blurs = 0; blurs < maxBlurs && noiseOf(shades) >= noisy; blurs++)
    shades = blurred(blurred(shades, 1), width);
  return shades;
}

function noiseOf(shades: Uint8Array): number {
  const differences: number[] = [];
  for (let at = 0; at + 1 < shades.length; at += 101)
    differences.push(Math.abs(shades[at]! - shades[at + 1]!));
  return differences.length > 0 ? median(differences) : 0;
}

/** @param step the distance of neighbors: 1 in a row, or the width of the image in a column */
function blurred(shades: Uint8Array, step: number): Uint8Array {
  const result = new Uint8Array(shades.length);
  for (let at = 0; at < shades.length; at++)
    result[at] = ((shades[at - step] ?? 255) + 2 * shades[at]! + (shades[at + step] ?? 255) + 2) >> 2;
  return result;
}

/** Returns the shade that separates ink from paper best (Otsu's method), from 0 to 255. */
export function inkThreshold(data: Uint8Array): number {
  const counts = new Float64Array(256);
  for (const shade of data) counts[shade]!++;
  const total = data.length;
  const sum = counts.reduce((sum, count, shade) => sum + count * shade, 0);
  let [darker, darkSum, best, threshold] = [0, 0, -1, 127];
  for (let shade = 0; shade < 255; shade++) {
    darker += counts[shade]!;
    darkSum += counts[shade]! * shade;
    if (darker === 0 || darker === total) continue;
    const difference = darkSum / darker - (sum - darkSum) / (total - darker);
    const spread = darker * (total - darker) * difference ** 2;
    if (spread > best) [best, threshold] = [spread, shade];
  }
  return threshold;
}

/** The maximum skew that is searched, and the steps of the two searches, in degrees. */
const maxSkew = 5;
const coarseStep = 0.25;
const fineStep = 0.05;
/** The minimum gain in sharpness from which a page counts as skewed. */
const minGain = 1.02;

/**
 * Returns by how many degrees the lines of a page rise to the right. The ink of the page is projected along several
 * angles; along the lines, the rows with and without ink differ most.
 */
export function skewOf({ width, height, gray }: Pick<Raster, 'width' | 'height' | 'gray'>): number {
  const threshold = inkThreshold(gray);
  const points: number[] = [];
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      // Only the lower edges of the ink, so that pictures count little.
      if (gray[y * width + x]! <= threshold && (y + 1 === height || gray[(y + 1) * width + x]! > threshold))
        points.push(x, y);
  const sharpness = (degrees: number): number => {
    const slope = Math.tan((degrees * Math.PI) / 180);
    const shift = Math.ceil(Math.abs(slope) * width);
    const rows = new Float64Array(height + 2 * shift + 1);
    for (let at = 0; at < points.length; at += 2)
      rows[Math.round(points[at + 1]! + slope * points[at]!) + shift]!++;
    return rows.reduce((sum, count) => sum + count * count, 0);
  };
  const bestOf = (from: number, to: number, step: number): number => {
    let best = from;
    let bestSharpness = -1;
    for (let degrees = from; degrees <= to + step / 2; degrees += step) {
      const own = sharpness(degrees);
      if (own > bestSharpness) [best, bestSharpness] = [degrees, own];
    }
    return best;
  };
  const coarse = bestOf(-maxSkew, maxSkew, coarseStep);
  const fine = bestOf(coarse - coarseStep, coarse + coarseStep, fineStep);
  return sharpness(fine) > minGain * sharpness(0) ? fine : 0;
}
