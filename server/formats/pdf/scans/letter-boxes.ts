import type { Rgb } from '../../ocr/recognized-page.ts';
import type { PixelBox } from '../../ocr/tesseract.ts';
import { colorAt, distance } from './line-colors.ts';
import type { Raster } from './raster.ts';

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
export function letterBox(
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
