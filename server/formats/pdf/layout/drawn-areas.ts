import { area, Bands, holds, type Matrix, type Rectangle, transformRectangle } from '../geometry.ts';
import type { PageContent } from '../page-content.ts';
import { append, firstFrom } from '../statistics.ts';
import type { Placed } from './form-fields.ts';
import { withoutHidden, withoutWhite } from './hidden-paints.ts';
import type { Glyph } from './pieces.ts';
import { flip, RuleIndex } from './rule-index.ts';

/** The maximum thickness of a rule, in points. Thicker rectangles count as areas. */
const maxRuleThickness = 3;
const minRule = 4;
/**
 * The minimum length of a vertical rule that separates texts, as a factor of the font size. A shorter line is a
 * character, such as a bar.
 */
const minOverText = 1.3;
/** The minimum distance of a side of a label's box from the texts next to it, as a share of the font size. */
const minFromText = 0.18;
/** The maximum share of the page that an area may cover. A larger area is the background. */
const maxArea = 0.8;
/** The maximum distance between boxes that touch each other, in points. */
const maxSeam = 0.1;

/** The rules and boxes on a page that separate texts. Positions are in the space of one text direction. */
export class DrawnAreas {
  readonly #vertical: RuleIndex;
  readonly #horizontal: RuleIndex;
  /** The left and right sides of filled boxes. */
  readonly #sides: RuleIndex;
  readonly #fills = new Bands<Fill>();

  /** @param inverse maps the page's user space to the space of the text direction */
  constructor(page: PageContent, inverse: Matrix) {
    const { vertical, horizontal, fills } = sortPaints(page, inverse);
    this.#vertical = new RuleIndex(vertical, minRule);
    this.#horizontal = new RuleIndex(horizontal.map(flip), minRule);
    this.#sides = new RuleIndex(
      fills.flatMap((fill) => (fill.parts ? [] : sidesOf(fill))),
      minRule,
    );
    for (const fill of fills) this.#fills.add(fill, fill);
  }

  /**
   * Removes vertical rules that cross letters, because they do not separate texts.
   *
   * @param rows the rows of glyphs; the glyphs of a row are sorted from left to right
   */
  forgetCrossedRules(rows: readonly { baseline: number; size: number; glyphs: readonly Glyph[] }[]): void {
    const passed = new Map<Rectangle, { rows: number; letters: number }>();
    for (const { baseline, size, glyphs } of rows)
      for (const rule of this.#vertical.passing(
        baseline + 0.3 * size,
        glyphs[0]!.left,
        glyphs.at(-1)!.right,
      )) {
        const count = passed.get(rule) ?? { rows: 0, letters: 0 };
        count.rows++;
        if (passesThrough((rule.left + rule.right) / 2, glyphs)) count.letters++;
        passed.set(rule, count);
      }
    for (const [rule, count] of passed) if (count.letters > 0.2 * count.rows) this.#vertical.forget(rule);
  }

  /**
   * Returns the positions of the vertical rules at the height of a line, from left to right. Rules that are not longer
   * than a line of this size are left out.
   */
  verticalRules(baseline: number, size: number): number[] {
    const rules = [...this.#vertical.passing(baseline + 0.3 * size)];
    return rules
      .filter(({ bottom, top }) => top - bottom >= minOverText * size)
      .map(({ left, right }) => (left + right) / 2);
  }

  /**
   * Whether a side of a filled box is in a gap of a line. A box that is only as high as a line may highlight words, so its
   * side counts only if it touches neither of the texts next to the gap.
   */
  hasSideIn(from: number, to: number, { baseline, size }: { baseline: number; size: number }): boolean {
    const near = minFromText * size;
    return [...this.#sides.passing(baseline + 0.3 * size, from, to)].some(
      ({ left, bottom, top }) =>
        top - bottom >= minOverText * size ||
        (top - bottom >= size && left > from + near && left < to - near),
    );
  }

  /**
   * Whether there is a horizontal rule between two heights that extends over most of a width. Underlines of words of the
   * line above are ignored.
   */
  hasRuleBetween(
    bottom: number,
    top: number,
    { left, right }: { left: number; right: number },
    above?: { left: number; right: number; size: number },
  ): boolean {
    for (const flipped of this.#horizontal.passing((left + right) / 2, bottom - 1, top)) {
      const rule = flip(flipped);
      if (rule.top < bottom || Math.min(right, rule.right) - Math.max(left, rule.left) < 0.6 * (right - left))
        continue;
      const isUnderline =
        above !== undefined &&
        rule.bottom > top - 0.45 * above.size &&
        rule.left > above.left - 0.4 * above.size &&
        rule.right < above.right + 0.4 * above.size;
      if (!isUnderline) return true;
    }
    return false;
  }

  /**
   * Returns the innermost filled box around a line; null if missing, or if the box only highlights the line. A text may
   * be slightly wider than its box, but a box behind a part of a line is decoration.
   */
  boxOf({ left, right, baseline, size }: Placed): Rectangle | null {
    const middle = baseline + 0.3 * size;
    const around = (inset: number) =>
      this.#innermostFill({ left: left + inset, right: right - inset, bottom: middle, top: middle }, false);
    const box = around((right - left) / 2);
    if (!box) return null;
    const isMark = box.top - box.bottom < 1.8 * size && box.left > left - size && box.right < right + size;
    return isMark ? null : around(Math.min(size, (right - left) / 2));
  }

  /** Returns the innermost area around a text: a filled box, or a cell between rules; null if missing. */
  container(box: Rectangle): Rectangle | null {
    const inner = shrink(box);
    const cell = this.#ruledCell(inner);
    const fill = this.#innermostFill(inner);
    return fill && (!cell || area(fill) < area(cell)) ? fill : cell;
  }

  /** @param hasShapes whether sloped and curved shapes count, too */
  #innermostFill(inner: Rectangle, hasShapes = true): Rectangle | null {
    let innermost: Rectangle | null = null;
    for (const fill of this.#fills.near(inner.bottom, inner.bottom))
      if ((hasShapes || !fill.parts) && isIn(inner, fill) && (!innermost || area(fill) < area(innermost)))
        innermost = fill;
    return innermost;
  }

  /**
   * Returns the positions of the nearest vertical rules or sides of filled boxes to the left and to the right of a box;
   * infinite if missing.
   */
  sidesAround(box: Rectangle): { left: number; right: number } {
    const rules = this.#vertical.around(box);
    const sides = this.#sides.around(box);
    return {
      left: Math.max(
        rules.left?.right ?? Number.NEGATIVE_INFINITY,
        sides.left?.right ?? Number.NEGATIVE_INFINITY,
      ),
      right: Math.min(
        rules.right?.left ?? Number.POSITIVE_INFINITY,
        sides.right?.left ?? Number.POSITIVE_INFINITY,
      ),
    };
  }

  #ruledCell(inner: Rectangle): Rectangle | null {
    const { left, right } = this.sidesAround(inner);
    if (!Number.isFinite(right - left)) return null;
    const { left: below, right: above } = this.#horizontal.around(flip(inner));
    if (!below || !above) return null;
    return { left, bottom: flip(below).top, right, top: flip(above).bottom };
  }
}

/**
 * Sorts the painted objects of a page into vertical rules, horizontal rules and filled boxes. The sides of a stroked
 * box become rules.
 */
function sortPaints(
  { box, paints }: PageContent,
  inverse: Matrix,
): Record<'vertical' | 'horizontal', Rectangle[]> & { fills: Fill[] } {
  const page = transformRectangle(inverse, box);
  const sorted = { vertical: [] as Rectangle[], horizontal: [] as Rectangle[] };
  const fills: Fill[] = [];
  const seen = new Set<string>();
  for (const paint of withoutHidden(withoutWhite(paints))) {
    // A curved or sloped line, such as an arrow of a diagram, does not enclose anything.
    if (paint.parts && paint.kind !== 'fill') continue;
    const own = transformRectangle(inverse, paint.box);
    const key = `${paint.kind} ${[own.left, own.bottom, own.right, own.top].map((place) => Math.round(4 * place)).join(' ')}`;
    const visible = clip(own, page);
    if (!visible || seen.has(key)) continue;
    seen.add(key);
    const [width, height] = [own.right - own.left, own.top - own.bottom];
    if (Math.min(width, height) <= maxRuleThickness) {
      if (height > width) sorted.vertical.push(visible);
      else sorted.horizontal.push(visible);
    } else if (paint.kind !== 'image' && area(visible) < maxArea * area(page)) {
      if (paint.kind === 'fill') {
        const parts = paint.parts?.map((part) => transformRectangle(inverse, part));
        fills.push({ ...visible, color: paint.color, ...(parts && { parts }) });
      } else {
        sorted.vertical.push(...sidesOf(visible));
        sorted.horizontal.push(...sidesOf(flip(visible)).map(flip));
      }
    }
  }
  return { ...sorted, fills: joinStrips(fills) };
}

type Fill = Rectangle & {
  color?: string | undefined;
  /** For a shape such as an arrow: rectangles in it. */
  parts?: Rectangle[];
};

/** Whether a box is in a filled area: in all of the parts at its height, if the area is a sloped or curved shape. */
function isIn(inner: Rectangle, fill: Fill): boolean {
  const { parts = [fill] } = fill;
  const beside = parts.filter(({ bottom, top }) => bottom <= inner.top && top >= inner.bottom);
  return holds(fill, inner) && beside.every(({ left, right }) => left <= inner.left && right >= inner.right);
}

/**
 * Joins filled boxes of one color and width that touch each other, because no edge is visible between them. Programs
 * paint the background of a cell line by line.
 */
function joinStrips(fills: readonly Fill[]): Fill[] {
  const columns = new Map<string, Fill[]>();
  const joined: Fill[] = [];
  for (const fill of fills) {
    if (fill.color === undefined || fill.parts) {
      joined.push(fill);
      continue;
    }
    append(columns, `${fill.color} ${Math.round(fill.left)} ${Math.round(fill.right)}`, fill);
  }
  for (const column of columns.values()) {
    let last: Rectangle | undefined;
    for (const { left, bottom, right, top } of column.sort((one, other) => other.top - one.top)) {
      if (last && top > last.bottom - maxSeam) {
        last.bottom = Math.min(last.bottom, bottom);
        continue;
      }
      last = { left, bottom, right, top };
      joined.push(last);
    }
  }
  return joined;
}

function sidesOf({ left, bottom, right, top }: Rectangle): Rectangle[] {
  return [
    { left, right: left, bottom, top },
    { left: right, right, bottom, top },
  ];
}

function passesThrough(place: number, glyphs: readonly Glyph[]): boolean {
  const low = firstFrom(glyphs, ({ right }) => right <= place);
  const glyph = glyphs[low];
  if (!glyph || glyph.isBlank) return false;
  const margin = 0.1 * (glyph.right - glyph.left);
  return place > glyph.left + margin && place < glyph.right - margin;
}

/** Makes a box slightly smaller, because the ascents and descents of its text may extend over the surrounding rules. */
function shrink({ left, bottom, right, top }: Rectangle): Rectangle {
  const slack = 0.15 * (top - bottom) + 0.5;
  const [center, middle] = [(left + right) / 2, (bottom + top) / 2];
  return {
    left: Math.min(left + slack, center),
    right: Math.max(right - slack, center),
    bottom: Math.min(bottom + slack, middle),
    top: Math.max(top - slack, middle),
  };
}

/**
 * Returns the part of a box that is on the page. Unlike `intersection`, this function keeps rectangles without width or
 * height. Returns undefined if the box is outside the page, or if its coordinates are not numbers.
 */
function clip(box: Rectangle, page: Rectangle): Rectangle | undefined {
  const left = Math.max(box.left, page.left);
  const right = Math.min(box.right, page.right);
  const bottom = Math.max(box.bottom, page.bottom);
  const top = Math.min(box.top, page.top);
  return left <= right && bottom <= top ? { left, bottom, right, top } : undefined;
}
