import { least, median } from './statistics.ts';
import type { TextLine } from './text-lines.ts';
import { toTextLine } from './text-lines.ts';

/** As shares of the size. */
const minGap = 0.45;
const minGapAfterBullet = 0.15;
const minHang = 0.5;
const sameStart = 0.15;

const bullet = /^[•‣◦▪▫●○■□◆◇►▶➢✓✔·*–—\ufffd-]$/u;
const number =
  /^(?:[([]?\d{1,3}[.)\]]?|[([]?[a-z][.)\]]|[([]?[ivxlc]{1,5}[.)\]]|[IVX]{1,5}\.|\d{1,2}(?:\.\d{1,2})+\.?)$/iu;

/**
 * Separates the bullet or number of a list item from its text, if the text is in a column next to it. The label then does not
 * move, and the text is typeset in its column. If later lines continue below the label, the label is part of the text.
 *
 * @returns the label as a separate line, or null, and the lines of the text
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
  const isHanging = !second || second.left > start - minHang * first!.size;
  // In a justified line the gap after the label may be as wide as those between words.
  const isBelow = second !== undefined && Math.abs(second.left - start) < sameStart * first!.size;
  const isApart = isBullet
    ? gap > minGapAfterBullet * first!.size
    : isBelow || gap > Math.max(minGap * first!.size, 1.4 * usual);
  if (rest.length === 0 || !isApart || !isHanging) return { label: null, text: [...lines] };
  const own = new Set(rest);
  const isText = (glyph: (typeof rest)[number]) => own.has(glyph) || (glyph.isBlank && glyph.left >= start);
  return {
    label: toTextLine({ ...first!, glyphs: first!.glyphs.filter((glyph) => !isText(glyph)), right: split }),
    text: [toTextLine({ ...first!, glyphs: first!.glyphs.filter(isText), left: start }), ...lines.slice(1)],
  };
}

/** The maximum difference between the baselines of a row, in points. */
const sameRow = 1;
/** The maximum distance of a label from its text, as a factor of the size. */
const maxLabelDistance = 4;
/** Limits the work on a row with very many numbers, which are not labels. */
const maxInRow = 100;

/** Finds labels that are so far before their texts that they are separate lines. */
export class LooseLabels {
  /** By the height of their baselines. */
  readonly #rows = new Map<number, TextLine[]>();

  /** @param lines the first line of each text */
  constructor(lines: readonly TextLine[]) {
    for (const line of lines) {
      if (!bullet.test(line.text) && !number.test(line.text)) continue;
      const row = Math.round(line.baseline / sameRow);
      const known = this.#rows.get(row);
      if (!known) this.#rows.set(row, [line]);
      else if (known.length < maxInRow) known.push(line);
    }
  }

  /** Returns the nearest label to the left of a line, on the same baseline. */
  before({ baseline, left, size, isRightToLeft }: TextLine): TextLine | null {
    if (isRightToLeft) return null;
    const row = Math.round(baseline / sameRow);
    let nearest: TextLine | null = null;
    for (const label of [row - 1, row, row + 1].flatMap((at) => this.#rows.get(at) ?? [])) {
      const gap = left - label.right;
      const isBeside =
        gap > 0 && gap < maxLabelDistance * size && Math.abs(label.baseline - baseline) < sameRow;
      if (isBeside && (!nearest || label.right > nearest.right)) nearest = label;
    }
    return nearest;
  }
}

/** Returns the width of the usual space between the words of a line after its first word, in points; 0 if it has one word. */
function usualSpace({ characters }: TextLine): number {
  const gaps: number[] = [];
  for (const [index, { text }] of characters.entries()) {
    const [before, after] = [characters[index - 1]?.glyph, characters[index + 1]?.glyph];
    if (text === ' ' && before && after) gaps.push(after.left - before.right);
  }
  return median(gaps.slice(1));
}
