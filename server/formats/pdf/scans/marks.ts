import type { PixelBox, ReadParagraph } from '../../ocr/tesseract.ts';
import { inkThreshold, type Raster } from './raster.ts';

/** The width and height of the cells in which ink is searched, in pixels. */
const cell = 12;
/** The share of a cell that its ink covers at least. Less is dust. */
const minInk = 0.06;
/** The pixels around a word that belong to it. */
const margin = 4;
/** The maximum number of boxes. If there are more, only the first ones are returned. */
const maxMarks = 2000;

/** Returns boxes around the ink of a page that belongs to no word. */
export function marksOf({ width, height, gray }: Raster, paragraphs: readonly ReadParagraph[]): PixelBox[] {
  const threshold = inkThreshold(gray);
  const isWord = new Uint8Array(width * height);
  for (const { lines } of paragraphs)
    for (const { words } of lines)
      for (const { bbox } of words)
        for (let y = Math.max(0, bbox.y0 - margin); y < Math.min(height, bbox.y1 + margin); y++)
          isWord.fill(
            1,
            y * width + Math.max(0, bbox.x0 - margin),
            y * width + Math.min(width, bbox.x1 + margin),
          );
  const boxes: PixelBox[] = [];
  /** The boxes that end at the row above, by their edges. */
  let above = new Map<string, PixelBox>();
  for (let y0 = 0; y0 < height; y0 += cell) {
    const y1 = Math.min(height, y0 + cell);
    const here = new Map<string, PixelBox>();
    let open: PixelBox | undefined;
    for (let x0 = 0; x0 < width; x0 += cell) {
      const x1 = Math.min(width, x0 + cell);
      let ink = 0;
      for (let y = y0; y < y1; y++)
        for (let x = x0; x < x1; x++) if (gray[y * width + x]! <= threshold && !isWord[y * width + x]) ink++;
      if (ink <= minInk * (x1 - x0) * (y1 - y0)) {
        open = undefined;
        continue;
      }
      if (open) open.x1 = x1;
      else {
        open = { x0, y0, x1, y1 };
        boxes.push(open);
      }
    }
    for (const box of boxes.slice(-Math.ceil(width / cell)).filter((box) => box.y0 === y0)) {
      const key = `${box.x0} ${box.x1}`;
      const upper = above.get(key);
      if (upper) {
        upper.y1 = y1;
        boxes.splice(boxes.indexOf(box), 1);
      }
      here.set(key, upper ?? box);
    }
    above = here;
  }
  return boxes.slice(0, maxMarks);
}
