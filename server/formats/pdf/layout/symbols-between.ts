import type { Glyph } from './pieces.ts';
import type { Row } from './rows.ts';
import { firstFrom } from './statistics.ts';

/** The maximum number of rows that are compared. It limits the time for a page with very many rows. */
const maxRowsCompared = 24;
/** The maximum distance of compared rows, in points. Brackets over several rows may have this height. */
const maxRowDistance = 48;
/**
 * As shares of the font size: the height of the middle of letters, and the lowest and highest position at which a
 * symbol is next to them.
 */
const middleOfLetters = 0.3;
const [lowest, highest] = [-0.2, 0.8];

const symbol = /^[^\p{L}\p{N}\p{M}\s.,;:'"’\ufffd]$/u;

/**
 * Whether a gap in a row contains a symbol that belongs to another row, such as an arrow or a bracket over several
 * rows. The text does not continue after such a gap. Symbols of formulas are ignored, because they have different
 * heights.
 *
 * @param rows the rows of the page, from the top
 */
export function hasSymbolBetween(index: number, left: number, right: number, rows: readonly Row[]): boolean {
  const { baseline, size } = rows[index]!;
  const height = baseline + middleOfLetters * size;
  for (const direction of [-1, 1])
    for (let step = 1; step <= maxRowsCompared; step++) {
      const other = rows[index + direction * step];
      if (!other || Math.abs(other.baseline - baseline) > maxRowDistance) break;
      if (glyphsWithin(other, left, right).some((glyph) => isSymbolAt(glyph, height, other))) return true;
    }
  return false;
}

function isSymbolAt({ text, piece }: Glyph, height: number, { rises }: Row): boolean {
  const { baseline, size } = piece;
  const isInHeight = height > baseline + lowest * size && height < baseline + highest * size;
  return isInHeight && !piece.isMath && !rises.has(piece) && symbol.test(text);
}

/** Returns the glyphs of a row between two positions. */
function glyphsWithin({ glyphs }: Row, left: number, right: number): Glyph[] {
  const low = firstFrom(glyphs, (glyph) => glyph.left < left);
  const within: Glyph[] = [];
  for (let at = low; at < glyphs.length && glyphs[at]!.right <= right; at++) within.push(glyphs[at]!);
  return within;
}
