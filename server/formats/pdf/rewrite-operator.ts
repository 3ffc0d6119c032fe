import { formatNumber } from './reading/color.ts';
import type { ReadText } from './reading/shown-texts.ts';

/**
 * Writes a text operator without some of its glyphs. An adjustment of the same length replaces the removed glyphs, so
 * that later text does not move. The codes of the other glyphs stay the same bytes.
 *
 * @param removed for each glyph, whether it is removed
 */
export function rewriteOperator(text: ReadText, removed: readonly boolean[]): string {
  const { name, pieces, wordSpacing, charSpacing } = text.operator;
  const { codeLengths, advances } = text;
  const items: string[] = [];
  let codes = '';
  let adjustment = 0;
  const adjust = (by: number): void => {
    if (codes !== '') items.push(`<${codes}>`);
    codes = '';
    adjustment += by;
  };
  let glyph = 0;
  for (const piece of pieces) {
    if (typeof piece === 'number') {
      adjust(piece);
      continue;
    }
    for (let at = 0; at < piece.length; glyph++) {
      const next = at + codeLengths[glyph]!;
      if (removed[glyph]) adjust(-1000 * advances[glyph]!);
      else {
        if (adjustment !== 0) items.push(formatNumber(adjustment));
        adjustment = 0;
        codes += Buffer.from(piece.subarray(at, next)).toString('hex');
      }
      at = next;
    }
  }
  adjust(0);
  if (adjustment !== 0) items.push(formatNumber(adjustment));
  const shown = `[${items.join(' ')}] TJ`;
  if (name === "'") return `T* ${shown}`;
  if (name === '"') return `${formatNumber(wordSpacing)} Tw ${formatNumber(charSpacing)} Tc T* ${shown}`;
  return shown;
}
