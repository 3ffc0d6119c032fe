import { OPS, type PDFDocumentProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { withPdf } from './golden-pdf-readers.ts';

/** A piece of text that PDF.js finds on the first page. */
export interface Shown {
  text: string;
  /** The PostScript name of the font, without the subset tag. */
  font: string;
  size: number;
  /** The start of the piece on its baseline, in points. */
  x: number;
  y: number;
  right: number;
  /** The matrix of the text, without the translation. */
  turn: number[];
}

/** Reads the text of a page and its places with PDF.js. */
export function shownTexts(pdf: Uint8Array, number = 1): Promise<Shown[]> {
  const read = async (document: PDFDocumentProxy): Promise<Shown[]> => {
    const page = await document.getPage(number);
    // Requesting the operators loads the fonts.
    await page.getOperatorList();
    const { items } = await page.getTextContent({ disableNormalization: true });
    return items.flatMap((item) => {
      if (!('str' in item) || item.str.trim() === '') return [];
      const [a, b, c, d, x, y] = item.transform as number[];
      const { name } = page.commonObjs.get(item.fontName) as { name: string };
      return [
        {
          text: item.str,
          font: name.replace(/^[A-Z]{6}\+/, ''),
          size: Number((Math.abs(a! * d! - b! * c!) / Math.hypot(a!, b!)).toFixed(6)),
          x: x!,
          y: y!,
          right: x! + item.width,
          turn: [a!, b!, c!, d!],
        },
      ];
    });
  };
  return withPdf(pdf, read, { fontExtraProperties: true });
}

/** The lines of upright text from top to bottom. Pieces on the same baseline are one line. */
export async function shownLines(pdf: Uint8Array): Promise<Shown[]> {
  const lines: Shown[] = [];
  for (const piece of await shownTexts(pdf)) {
    const line = lines.find(({ y }) => Math.abs(y - piece.y) < 0.01);
    if (!line) lines.push({ ...piece });
    else {
      line.text += ` ${piece.text}`;
      line.x = Math.min(line.x, piece.x);
      line.right = Math.max(line.right, piece.right);
    }
  }
  return lines.sort((one, other) => other.y - one.y);
}

/** The operators of the first page that set colors and render modes, as PDF.js reads them. */
export function paintOperators(pdf: Uint8Array): Promise<{ operator: string; value: unknown }[]> {
  const names: Record<number, string> = {
    [OPS.setFillRGBColor]: 'fill',
    [OPS.setStrokeRGBColor]: 'stroke',
    [OPS.setTextRenderingMode]: 'mode',
    [OPS.setLineWidth]: 'width',
  };
  return withPdf(pdf, async (document) => {
    const { fnArray, argsArray } = await (await document.getPage(1)).getOperatorList();
    return fnArray.flatMap((operator, index) =>
      names[operator] ? [{ operator: names[operator], value: argsArray[index][0] as unknown }] : [],
    );
  });
}
