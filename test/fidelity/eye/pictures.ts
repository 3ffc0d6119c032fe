import type { Fault } from './judge-page.ts';
import { blank, drawFrame, type Picture, paste, readPpm } from './png.ts';
import { runPoppler } from './poppler.ts';

const gap = 8;
const red = [220, 0, 0] as const;

export function renderPage(path: string, page: number, resolution: number): Picture {
  const number = `${page}`;
  return readPpm(
    runPoppler('pdftoppm', ['-r', `${resolution}`, '-f', number, '-l', number, '-singlefile', path]),
  );
}

/**
 * Draws a page of the source, on the left, and of its translation. Faults have red frames.
 *
 * @param resolution in dots per inch
 */
export function sideBySide(
  source: string,
  result: string,
  page: number,
  faults: readonly Fault[],
  resolution: number,
): Picture {
  const pictures = [source, result].map((path) => renderPage(path, page, resolution));
  const width = pictures.reduce((sum, picture) => sum + picture.width + gap, gap);
  const both = blank(width, Math.max(...pictures.map(({ height }) => height)) + 2 * gap, 0x88);
  let left = gap;
  for (const [side, picture] of pictures.entries()) {
    const scale = resolution / 72;
    for (const { box, side: marked } of faults)
      if (marked === side) {
        const [x1, y1, x2, y2] = box.map((value) => value * scale) as [number, number, number, number];
        for (const distance of [1, 2])
          drawFrame(picture, [x1 - distance, y1 - distance, x2 + distance, y2 + distance], red);
      }
    paste(both, picture, left, gap);
    left += picture.width + gap;
  }
  return both;
}
