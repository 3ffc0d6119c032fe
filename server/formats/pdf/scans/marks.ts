import type { PixelBox, ReadWord } from '../../ocr/tesseract.ts';
import { inkThreshold, type Raster } from './raster.ts';

/** The width and height of the cells in which ink is searched, in pixels. */
const cell = 12;
/** The share of a cell that its ink covers at least. Less is dust. */
const minInk = 0.06;
/** The same for a box of only one cell. */
const minInkOfOne = 0.25;
/** The pixels around a word that belong to it. */
const margin = 10;
/** The maximum number of boxes. If there are more, only the first ones are returned. */
const maxMarks = 2000;

/** Returns boxes around the ink of a page that belongs to no word. */
export function marksOf(
  { width, height, gray }: Raster,
  lines: readonly (readonly ReadWord[])[],
): PixelBox[] {
  const threshold = inkThreshold(gray);
  const isWord = new Uint8Array(width * height);
  for (const { bbox } of lines.flat())
    for (let y = Math.max(0, bbox.y0 - margin); y < Math.min(height, bbox.y1 + margin); y++)
      isWord.fill(
        1,
        y * width + Math.max(0, bbox.x0 - margin),
        y * width + Math.min(width, bbox.x1 + margin),
      );
  const inkIn = ({ x0, y0, x1, y1 }: PixelBox): number => {
    let ink = 0;
    for (let y = y0; y < y1; y++)
      for (let x = x0; x < x1; x++) if (gray[y * width + x]! <= threshold && !isWord[y * width + x]) ink++;
    return ink / ((x1 - x0) * (y1 - y0));
  };
  const boxes: PixelBox[] = [];
  /** The boxes that end at the row above, by their left and right edges. */
  let above = new Map<string, PixelBox>();
  for (let y0 = 0; y0 < height; y0 += cell) {
    const here = new Map<string, PixelBox>();
    for (const run of runsOf(y0)) {
      const key = `${run.x0} ${run.x1}`;
      const upper = above.get(key);
      if (upper) upper.y1 = run.y1;
      else boxes.push(run);
      here.set(key, upper ?? run);
    }
    above = here;
  }
  const isDust = (box: PixelBox): boolean =>
    box.x1 - box.x0 <= cell && box.y1 - box.y0 <= cell && inkIn(box) < minInkOfOne;
  return boxes.filter((box) => !isDust(box)).slice(0, maxMarks);

  /** Returns boxes around adjacent cells with ink in a row. */
  function runsOf(y0: number): PixelBox[] {
    const runs: PixelBox[] = [];
    for (let x0 = 0; x0 < width; x0 += cell) {
      const box = { x0, y0, x1: Math.min(width, x0 + cell), y1: Math.min(height, y0 + cell) };
      if (inkIn(box) <= minInk) continue;
      const last = runs.at(-1);
      if (last?.x1 === x0) last.x1 = box.x1;
      else runs.push(box);
    }
    return runs;
  }
}
