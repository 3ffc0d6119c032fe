import { inkThreshold, type Raster } from './raster.ts';

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
