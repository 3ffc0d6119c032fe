import { least, median } from './statistics.ts';
import type { TextLine } from './text-lines.ts';
import { toTextLine } from './text-lines.ts';

/** As shares of the size. */
const leastGap = 0.45;
const leastGapAfterBullet = 0.15;
const leastHang = 0.5;

const bullet = /^[•‣◦▪▫●○■□◆◇►▶➢✓✔·*–—\ufffd-]$/u;
const number =
  /^(?:[([]?\d{1,3}[.)\]]?|[([]?[a-z][.)\]]|[([]?[ivxlc]{1,5}[.)\]]|[IVX]{1,5}\.|\d{1,2}(?:\.\d{1,2})+\.?)$/iu;

/**
 * Separates the bullet or number of a list item from its text, if the text hangs beside it: then the label stays where it is,
 * and the text is set in its own column. If later lines run on below the label, it is part of the text.
 *
 * @returns the label as a line of its own, or null, and the lines of the text
 */
export function detachLabel(lines: readonly TextLine[]): { label: TextLine | null; text: TextLine[] } {
  const [first, second] = lines;
  const space = first!.characters.findIndex(({ text }) => text === ' ');
  const written = first!.text.split(' ')[0]!;
  const isBullet = bullet.test(written);
  if (space < 0 || first!.isRightToLeft || !(isBullet || number.test(written)))
    return { label: null, text: [...lines] };
  const split = first!.characters
    .slice(0, space)
    .reduce((right, { glyph }) => Math.max(right, glyph?.right ?? right), first!.left);
  const rest = first!.glyphs.filter((glyph) => !glyph.isBlank && glyph.left >= split - 0.05 * first!.size);
  const start = least(rest.map(({ left }) => left));
  const gap = start - split;
  const usual = usualSpace(first!);
  const isApart = isBullet
    ? gap > leastGapAfterBullet * first!.size
    : gap > Math.max(leastGap * first!.size, 1.4 * usual);
  const isHanging = !second || second.left > start - leastHang * first!.size;
  if (rest.length === 0 || !isApart || !isHanging) return { label: null, text: [...lines] };
  const own = new Set(rest);
  const isText = (glyph: (typeof rest)[number]) => own.has(glyph) || (glyph.isBlank && glyph.left >= start);
  return {
    label: toTextLine({ ...first!, glyphs: first!.glyphs.filter((glyph) => !isText(glyph)), right: split }),
    text: [toTextLine({ ...first!, glyphs: first!.glyphs.filter(isText), left: start }), ...lines.slice(1)],
  };
}

/** The width of the usual space between the words of a line after its first, in points; 0 if it has one word. */
function usualSpace({ characters }: TextLine): number {
  const gaps: number[] = [];
  for (const [index, { text }] of characters.entries()) {
    const [before, after] = [characters[index - 1]?.glyph, characters[index + 1]?.glyph];
    if (text === ' ' && before && after) gaps.push(after.left - before.right);
  }
  return median(gaps.slice(1));
}
