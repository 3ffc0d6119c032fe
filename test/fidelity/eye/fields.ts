import { readFileSync } from 'node:fs';
import { withPdf } from '#test/formats/golden-pdf-readers.ts';
import type { Box } from './geometry.ts';

/** The places of the form fields on each page, whose values are not translated. @param last the last page */
export function readFields(path: string, last: number): Promise<Box[][]> {
  return withPdf(new Uint8Array(readFileSync(path)), async (document) => {
    const pages: Box[][] = [];
    for (let number = 1; number <= Math.min(last, document.numPages); number++) {
      const page = await document.getPage(number);
      const viewport = page.getViewport({ scale: 1 });
      const widgets = (await page.getAnnotations()).filter(({ subtype }) => subtype === 'Widget');
      pages.push(
        widgets.map(({ rect }): Box => {
          const [x1, y1] = viewport.convertToViewportPoint(rect[0], rect[1]);
          const [x2, y2] = viewport.convertToViewportPoint(rect[2], rect[3]);
          return [Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2)];
        }),
      );
    }
    return pages;
  });
}
