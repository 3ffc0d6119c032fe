import { Bands, type Matrix, type Rectangle, transformRectangle } from '../geometry.ts';
import type { PageContent, Paint } from '../page-content.ts';
import type { MovedGlyphs } from '../text-block.ts';
import type { Glyph } from './pieces.ts';
import type { FindRules } from './rule-index.ts';

/** The height of the middle of small letters above the baseline, as a share of the font size. */
export const middleOfLetters = 0.25;
/** The maximum width of a check box, as a factor of the font size. */
export const maxCheckBox = 3;

/** The maximum width and height of an annotation that a person has put on a form to fill it in, in points. */
const maxMark = 30;

/** Whether an annotation can be a mark in a box, such as a tick. It stays at its place, as a form field does. */
function isMark({ left, right, bottom, top }: Rectangle): boolean {
  return right - left < maxMark && top - bottom < maxMark;
}

/** A line of text, or a glyph of one. */
export interface Placed {
  left: number;
  right: number;
  baseline: number;
  size: number;
}

/** The form fields of a page: text fields, check boxes and buttons, and marks of a person in their place. Positions are in the space of one text direction. */
export class FormFields {
  readonly #fields = new Bands<Rectangle>();

  /** @param inverse maps the page's user space to the space of the text direction */
  constructor(annotations: PageContent['annotations'], inverse: Matrix) {
    for (const { kind, box } of annotations) {
      if (kind !== 'widget' && !(kind === 'other' && isMark(box))) continue;
      const field = transformRectangle(inverse, box);
      this.#fields.add(field, field);
    }
  }

  /** Whether a field is over a sign, such as the box that shows where to check. */
  isOver(
    { left, right }: Pick<Placed, 'left' | 'right'>,
    { baseline, size }: Omit<Placed, 'left' | 'right'>,
  ) {
    const middle = (left + right) / 2;
    return this.#at(baseline + middleOfLetters * size).some((field) => {
      const isSmall = field.right - field.left < maxCheckBox * size;
      return isSmall && field.left < middle && field.right > middle;
    });
  }

  /** Whether the middle of a field is in a gap of a row. */
  isInGap(left: number, right: number, { baseline, size }: Pick<Placed, 'baseline' | 'size'>): boolean {
    return this.#at(baseline + middleOfLetters * size).some((field) => {
      const middle = (field.left + field.right) / 2;
      return middle > left && middle < right;
    });
  }

  /** Returns the nearest field on each side of a line, at the height of its letters. */
  nextTo({ left, right, baseline, size }: Placed): Record<'left' | 'right', Rectangle | undefined> {
    const found: Record<'left' | 'right', Rectangle | undefined> = { left: undefined, right: undefined };
    const slack = 0.3 * size;
    for (const field of this.#at(baseline + middleOfLetters * size)) {
      if (field.right < left + slack && !(found.left && found.left.right >= field.right)) found.left = field;
      if (field.left > right - slack && !(found.right && found.right.left <= field.left)) found.right = field;
    }
    return found;
  }

  #at(height: number): Rectangle[] {
    return [...this.#fields.near(height, height)].filter(
      ({ bottom, top }) => bottom <= height && top >= height,
    );
  }
}

/** The minimum length of a blank to fill in, and the maximum distance of its ends from the words next to it, in em. */
const [minBlank, besideBlank] = [0.9, 0.35];
/** The maximum distance of a blank below the baseline, in em. */
const belowBaseline = 0.3;
/** The minimum distance from a word to a blank that is a space, in em. */
const minSpace = 0.1;

/**
 * Returns the line to write on that is drawn in the gap between two words, with the spaces around it: on the ___ day of May.
 *
 * @param before the last glyph of the word before the gap
 * @param after the first glyph of the word after the gap
 */
export function blankBetween(
  before: Glyph,
  after: Glyph,
  rulesIn: FindRules,
): { moved: MovedGlyphs; rules: Paint[]; spaces: [before: boolean, after: boolean] } | undefined {
  const { baseline, size } = before.piece;
  const [left, right] = [before.right, after.left];
  if (right - left < minBlank * size) return undefined;
  const slack = besideBlank * size;
  const [bottom, top] = [baseline - belowBaseline * size, baseline + slack];
  const found = rulesIn({ left: left - slack, right: right + slack, bottom, top }, true);
  const [rule] = found;
  const length = rule ? rule.box.right - rule.box.left : 0;
  if (!rule || found.length > 1 || length < Math.max(minBlank * size, (right - left) / 2)) return undefined;
  const { box, paint } = rule;
  const bar = { left: 0, right: length, bottom: box.bottom - baseline, top: box.top - baseline };
  return {
    rules: [paint],
    moved: {
      parts: [],
      bars: [{ box: bar, color: paint.color ?? before.piece.style.color }],
      width: bar.right,
    },
    spaces: [box.left - left > minSpace * size, right - box.right > minSpace * size],
  };
}
