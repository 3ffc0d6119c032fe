import type { GrayImage } from '../../ocr/tesseract.ts';
import { apply, invert, type Matrix, multiply } from '../geometry.ts';
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
  const samples = Math.min(maxSamples, Math.max(2, Math.ceil(scale)));
  for (let row = top; row < bottom; row++)
    for (let column = left; column < right; column++) {
      let [red, green, blue, count] = [0, 0, 0, 0];
      for (let i = 0; i < samples; i++)
        for (let j = 0; j < samples; j++) {
          const x = column + (i + 0.5) / samples;
          const y = row + (j + 0.5) / samples;
          const sourceX = Math.floor(a * x + c * y + e);
          const sourceY = Math.floor(b * x + d * y + f);
          if (sourceX < 0 || sourceY < 0 || sourceX >= image.width || sourceY >= image.height) continue;
          const color = image.colorAt(sourceX, sourceY);
          if (color === undefined) continue;
          red += color >> 16;
          green += (color >> 8) & 255;
          blue += color & 255;
          count++;
        }
      if (count === 0) continue;
      const at = 3 * (row * width + column);
      const rest = 1 - count / (samples * samples);
      const share = 1 / (samples * samples);
      colors[at] = Math.round(red * share + colors[at]! * rest);
      colors[at + 1] = Math.round(green * share + colors[at + 1]! * rest);
      colors[at + 2] = Math.round(blue * share + colors[at + 2]! * rest);
    }
}

/** Returns an image of which each pixel is the mean of `factor` times `factor` pixels. */
export function shrink({ width, height, gray }: Raster, factor: number): GrayImage {
  const [columns, rows] = [Math.floor(width / factor), Math.floor(height / factor)];
  const data = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let y = row * factor; y < (row + 1) * factor; y++)
        for (let x = column * factor; x < (column + 1) * factor; x++) sum += gray[y * width + x]!;
      data[row * columns + column] = sum / (factor * factor);
    }
  return { width: columns, height: rows, data };
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
