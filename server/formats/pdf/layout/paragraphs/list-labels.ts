import { Bands } from '../../geometry.ts';
import { least, median } from '../../statistics.ts';
import { boxAtStart, isSign, mayBeBullet } from '../item-signs.ts';
import type { TextLine } from './text-lines.ts';
import { toTextLine } from './text-lines.ts';

/** Distances as shares of the font size. */
const minGap = 0.45;
const minGapAfterBullet = 0.15;
const minHang = 0.5;
const sameStart = 0.15;

/** A number, or the letter that Word writes as the bullet of an inner list. It must be lowercase: a group of blood may be O. */
const number =
  /^(?:o|[([]?\d{1,3}[.)\]]?|[([]?[A-Za-z][.)\]]|[([]?(?:[ivxlc]{1,5}|[IVXLC]{1,5})[.)\]]|[A-Za-z]\d{1,2}\.?|\d{0,2}(?:\.\d{1,2})+\.?)$/u;

/** Whether a text is only the number, or a letter as the bullet, of a list item. */
export function isNumberOfItem(text: string): boolean {
  return number.test(text);
}

interface Item {
  label: TextLine | null;
  text: TextLine[];
}

/**
 * Separates the labels of list items from their texts. If the number of an item is separate, those of the same form at
 * the same position are too.
 */
export function detachLabels(paragraphs: readonly TextLine[][]): Item[] {
  const items = paragraphs.map((lines) => detachLabel(lines, false));
  const placeOf = ({ text, left }: TextLine) => {
    const written = text.split(' ', 1)[0]!;
    const form = written.replaceAll(/\d+/g, '1').replaceAll(/\p{L}+/gu, 'a');
    return number.test(written) ? `${Math.round(left)} ${form}` : '';
  };
  const places = new Set(items.flatMap(({ label }) => (label && placeOf(label)) || []));
  return items.map((item, index) => {
    const lines = paragraphs[index]!;
    return item.label || !places.has(placeOf(lines[0]!)) ? item : detachLabel(lines, true);
  });
}

/**
 * Separates the bullet, box or number of a list item from the item's text, if all lines of the text are to the right of this
 * label. The label then stays unchanged, and the translation is set in the column of the text. If later lines start
 * below the label, the label is part of the text.
 *
 * @param isListed whether the numbers of similar items are separate
 * @returns the label as a separate line (null if it is part of the text), and the lines of the text
 */
function detachLabel(lines: readonly TextLine[], isListed: boolean): Item {
  const [first, second] = lines;
  const box = boxAtStart(first!.text);
  const written = box || first!.text.split(' ')[0]!;
  const space = first!.characters.findIndex(({ text }, index) => text === ' ' && index >= box.length);
  const isBullet = box !== '' || isSign(written) || (lines.length > 1 && mayBeBullet(written));
  if (space < 0 || first!.isRightToLeft || !(isBullet || number.test(written)))
    return { label: null, text: [...lines] };
  const split = first!.characters
    .slice(0, space)
    .reduce((right, { glyph }) => Math.max(right, glyph?.right ?? right), first!.left);
  const rest = first!.glyphs.filter((glyph) => !glyph.isBlank && glyph.left >= split - 0.05 * first!.size);
  const start = least(rest.map(({ left }) => left));
  const gap = start - split;
  const usual = usualSpace(first!);
  // Of a list with longer numbers, the texts after them may start at the next tab.
  const hangsFrom = isListed && gap > minGap * first!.size ? first!.left + 2 * minHang * first!.size : start;
  const isHanging = !second || second.left > hangsFrom - minHang * first!.size;
  // If the second line starts at the same position as the text after the label, the gap need not be wider than a space,
  // because in a justified line the spaces may be equally wide.
  const isBelow = second !== undefined && Math.abs(second.left - start) < sameStart * first!.size;
  const isApart = isBullet
    ? gap > minGapAfterBullet * first!.size
    : isListed || isBelow || gap > Math.max(minGap * first!.size, 1.4 * usual);
  if (rest.length === 0 || !isApart || !isHanging) return { label: null, text: [...lines] };
  const own = new Set(rest);
  const isText = (glyph: (typeof rest)[number]) => own.has(glyph) || (glyph.isBlank && glyph.left >= start);
  return {
    label: toTextLine({ ...first!, glyphs: first!.glyphs.filter((glyph) => !isText(glyph)), right: split }),
    text: [toTextLine({ ...first!, glyphs: first!.glyphs.filter(isText), left: start }), ...lines.slice(1)],
  };
}

/** The maximum difference between baselines in one row, in points, and for a small bullet that is raised, in em. */
const [sameRow, raised] = [1, 0.2];
const raisedBullet = /^[•‣◦·▪■●○◆►]$/;
/** The maximum distance of a label from its text, as a factor of the font size. */
const maxLabelDistance = 6;
/** Finds bullets and numbers that are separate lines, because they are far away from the texts that they label. */
export class LooseLabels {
  readonly #labels = new Bands<TextLine>();

  /** @param lines the first line of each text of the page */
  constructor(lines: readonly TextLine[], bullets: ReadonlySet<TextLine>) {
    for (const line of lines)
      if (bullets.has(line) || number.test(line.text))
        this.#labels.add({ bottom: line.baseline, top: line.baseline }, line);
  }

  /** Returns the nearest label to the left of a line on the same baseline; null if missing. */
  before({ baseline, left, size, isRightToLeft }: TextLine): TextLine | null {
    if (isRightToLeft) return null;
    let nearest: TextLine | null = null;
    for (const label of this.#labels.near(baseline - sameRow, baseline + Math.max(sameRow, raised * size))) {
      const [gap, rise] = [left - label.right, label.baseline - baseline];
      const isInRow =
        Math.abs(rise) < sameRow || (rise > 0 && label.size < size && raisedBullet.test(label.text));
      const isBefore = isInRow && gap > 0 && gap < maxLabelDistance * size;
      if (isBefore && (!nearest || label.right > nearest.right)) nearest = label;
    }
    return nearest;
  }
}

/**
 * Returns the median width of the spaces between the words of a line, in points, without the space after the first
 * word; 0 if missing.
 */
function usualSpace({ characters }: TextLine): number {
  const gaps: number[] = [];
  for (const [index, { text }] of characters.entries()) {
    const [before, after] = [characters[index - 1]?.glyph, characters[index + 1]?.glyph];
    if (text === ' ' && before && after) gaps.push(after.left - before.right);
  }
  return median(gaps.slice(1));
}
