import { linesOf, shortestLength, widthOf } from '../office/text-width.ts';
import type { CellStyle } from './cell-styles.ts';

/** The maximum height of a row in Excel, in points. */
export const maxHeight = 409;
/** The height of a line in relation to the size of the font. */
const lineHeight = 1.25;
/** The widths of characters are approximate, and cells have margins. */
const slack = 1.1;
/** The maximum length of a text that is measured. A longer one needs the maximum height. */
const maxLength = 2_000;

/**
 * Returns the height that a row needs after the text of a turned cell has changed, in points. It is the current height
 * unless the new text is longer than the row is high.
 */
export function turnedHeight(style: CellStyle, height: number, old: string, text: string): number {
  const needed = heightOf(style, height, old, text);
  if (needed <= height) return height;
  // The source fits, as a rule. If it seems not to, its font is narrower than expected, and so is the new text.
  const narrow = Math.min(1, height / heightOf(style, height, old, old));
  return Math.min(Math.max(Math.ceil(needed * narrow), height), maxHeight);
}

function heightOf({ angle, size, wraps }: CellStyle, height: number, old: string, text: string): number {
  if (text.length > maxLength) return maxHeight;
  if (angle === 'stacked') return [...text].length * size * lineHeight;
  const sine = Math.sin((angle * Math.PI) / 180);
  const cosine = Math.cos((angle * Math.PI) / 180);
  if (!wraps) return widthOf(text) * size * slack * sine + size * lineHeight * cosine;
  // The column has room for the lines of the source. The new text gets as many.
  const lines = linesOf(old, height / size / slack);
  return shortestLength(text, lines) * size * slack * sine + lines * size * lineHeight * cosine;
}
