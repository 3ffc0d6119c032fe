import { type Matrix, type Rectangle, transformRectangle } from '../geometry.ts';
import type { PageContent } from '../page-content.ts';
import type { Glyph } from './pieces.ts';

/** Thicker ones are areas, in points. */
const thickestRule = 3;
const shortestRule = 4;
/** As a multiple of the size of the text beside it: a shorter vertical rule is a sign, such as a bar. */
const leastOverText = 1.3;
/** In points: from the end of a piece of a rule to the next. */
const furthestDash = 3;
/** A larger share of the page is its background. */
const largestArea = 0.8;
/** In points. */
const bandHeight = 24;

/** Rectangles that are found by their height on the page. */
class Bands {
  readonly #bands = new Map<number, Rectangle[]>();

  add(box: Rectangle): void {
    for (let band = Math.floor(box.bottom / bandHeight); band <= Math.floor(box.top / bandHeight); band++) {
      const boxes = this.#bands.get(band);
      if (boxes) boxes.push(box);
      else this.#bands.set(band, [box]);
    }
  }

  delete(box: Rectangle): void {
    for (const boxes of this.#bands.values()) {
      const index = boxes.indexOf(box);
      if (index >= 0) boxes.splice(index, 1);
    }
  }

  /** Those that reach into a range of heights; one may be given more than once. */
  *between(bottom: number, top: number): Generator<Rectangle> {
    for (let band = Math.floor(bottom / bandHeight); band <= Math.floor(top / bandHeight); band++)
      for (const box of this.#bands.get(band) ?? []) if (box.bottom <= top && box.top >= bottom) yield box;
  }
}

/** Rules and boxes on a page that separate texts, in the space of one direction of text. */
export class DrawnAreas {
  readonly #vertical = new Bands();
  readonly #horizontal = new Bands();
  readonly #fills = new Bands();
  /** The sides of fills that stand like rules. */
  readonly #sides = new Bands();
  readonly #page: Rectangle;

  /** @param inverse from the page's user space */
  constructor({ box, paints }: PageContent, inverse: Matrix) {
    this.#page = transformRectangle(inverse, box);
    const pageArea = area(this.#page);
    const seen = new Set<string>();
    const vertical: Rectangle[] = [];
    const horizontal: Rectangle[] = [];
    for (const paint of paints) {
      const own = transformRectangle(inverse, paint.box);
      const [width, height] = [own.right - own.left, own.top - own.bottom];
      if (
        !Number.isFinite(width + height) ||
        (paint.kind === 'image' && Math.min(width, height) > thickestRule)
      )
        continue;
      const key = `${paint.kind} ${round(own.left)} ${round(own.bottom)} ${round(own.right)} ${round(own.top)}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const visible = clip(own, this.#page);
      if (!visible) continue;
      if (width <= thickestRule && height > width) vertical.push(visible);
      else if (height <= thickestRule && width > height) horizontal.push(visible);
      else if (width > thickestRule && height > thickestRule && area(visible) < largestArea * pageArea)
        this.#addArea(visible, paint.kind === 'stroke');
    }
    for (const rule of joinVertical(vertical))
      if (rule.top - rule.bottom >= shortestRule) this.#vertical.add(rule);
    for (const rule of joinVertical(horizontal.map(flip)))
      if (rule.top - rule.bottom >= shortestRule) this.#horizontal.add(flip(rule));
  }

  #addArea(box: Rectangle, isStroke: boolean): void {
    const { left, bottom, right, top } = box;
    if (isStroke) {
      this.#vertical.add({ left, right: left, bottom, top });
      this.#vertical.add({ left: right, right, bottom, top });
      this.#horizontal.add({ left, right, bottom, top: bottom });
      this.#horizontal.add({ left, right, bottom: top, top });
    } else {
      this.#fills.add(box);
      this.#sides.add({ left, right: left, bottom, top });
      this.#sides.add({ left: right, right, bottom, top });
    }
  }

  /**
   * Forgets vertical rules that pass through letters: they do not separate texts.
   *
   * @param rows lines of glyphs, each sorted from left to right
   */
  forgetCrossedRules(rows: readonly { baseline: number; size: number; glyphs: readonly Glyph[] }[]): void {
    const passed = new Map<Rectangle, { rows: number; letters: number }>();
    for (const { baseline, size, glyphs } of rows) {
      const middle = baseline + 0.3 * size;
      for (const rule of new Set(this.#vertical.between(middle, middle))) {
        const count = passed.get(rule) ?? { rows: 0, letters: 0 };
        count.rows++;
        if (passesThrough((rule.left + rule.right) / 2, glyphs)) count.letters++;
        passed.set(rule, count);
      }
    }
    for (const [rule, count] of passed) if (count.letters > 0.2 * count.rows) this.#vertical.delete(rule);
  }

  /** The places of vertical rules that are longer than a line of this size, at its height, from left to right. */
  verticalRules(baseline: number, size: number): number[] {
    return places(this.#vertical, baseline, size);
  }

  /** The places of the sides of filled boxes. */
  filledSides(baseline: number, size: number): number[] {
    return places(this.#sides, baseline, size);
  }

  /** Whether a horizontal rule separates two heights over most of a width; the underline of a line above does not. */
  hasRuleBetween(
    bottom: number,
    top: number,
    { left, right }: { left: number; right: number },
    size: number,
  ): boolean {
    for (const rule of this.#horizontal.between(bottom, top)) {
      const covered = Math.min(right, rule.right) - Math.max(left, rule.left);
      if (covered < 0.6 * (right - left)) continue;
      const isUnderline =
        rule.bottom > top - 0.35 * size && rule.left > left - 0.4 * size && rule.right < right + 0.4 * size;
      if (!isUnderline) return true;
    }
    return false;
  }

  /** The innermost filled box around a line; null for one that only marks the line. */
  boxOf({
    left,
    right,
    baseline,
    size,
  }: {
    left: number;
    right: number;
    baseline: number;
    size: number;
  }): Rectangle | null {
    const box = this.#fillAround((left + right) / 2, baseline + 0.3 * size);
    if (!box) return null;
    const isMark = box.top - box.bottom < 1.8 * size && box.left > left - size && box.right < right + size;
    return isMark ? null : box;
  }

  #fillAround(x: number, y: number): Rectangle | null {
    let innermost: Rectangle | null = null;
    for (const fill of this.#fills.between(y, y))
      if (fill.left <= x && x <= fill.right && (!innermost || area(fill) < area(innermost))) innermost = fill;
    return innermost;
  }

  /** The innermost filled box, or cell between rules, around a text. */
  container(box: Rectangle): Rectangle | null {
    const slack = 0.15 * (box.top - box.bottom) + 0.5;
    const inner = {
      left: box.left + slack,
      right: box.right - slack,
      bottom: box.bottom + slack,
      top: box.top - slack,
    };
    if (inner.left > inner.right) inner.left = inner.right = (box.left + box.right) / 2;
    if (inner.bottom > inner.top) inner.bottom = inner.top = (box.bottom + box.top) / 2;
    const cell = this.#ruledCell(inner);
    let innermost = cell;
    for (const fill of this.#fills.between(inner.bottom, inner.bottom)) {
      const contains = fill.left <= inner.left && fill.right >= inner.right && fill.top >= inner.top;
      if (contains && (!innermost || area(fill) < area(innermost))) innermost = fill;
    }
    return innermost;
  }

  #ruledCell(inner: Rectangle): Rectangle | null {
    let left = Number.NEGATIVE_INFINITY;
    let right = Number.POSITIVE_INFINITY;
    for (const rules of [this.#vertical, this.#sides])
      for (const rule of rules.between(inner.bottom, inner.top)) {
        if (rule.bottom > inner.bottom || rule.top < inner.top) continue;
        if (rule.left <= inner.left) left = Math.max(left, rule.right);
        else if (rule.right >= inner.right) right = Math.min(right, rule.left);
      }
    if (!Number.isFinite(left) || !Number.isFinite(right)) return null;
    let bottom = Number.NEGATIVE_INFINITY;
    let top = Number.POSITIVE_INFINITY;
    for (const rule of this.#horizontal.between(this.#page.bottom, this.#page.top)) {
      if (rule.left > inner.left || rule.right < inner.right) continue;
      if (rule.top <= inner.bottom) bottom = Math.max(bottom, rule.top);
      else if (rule.bottom >= inner.top) top = Math.min(top, rule.bottom);
    }
    if (!Number.isFinite(bottom) || !Number.isFinite(top)) return null;
    return { left, bottom, right, top };
  }
}

/** Joins rules that go on where another ends: cells are often drawn with sides of their own, and lines with dashes. */
function joinVertical(rules: readonly Rectangle[]): Rectangle[] {
  const joined: Rectangle[] = [];
  const column = (rule: Rectangle) => Math.round(rule.left + rule.right);
  for (const rule of [...rules].sort(
    (one, other) => column(one) - column(other) || one.bottom - other.bottom,
  )) {
    const last = joined.at(-1);
    if (last && column(last) === column(rule) && rule.bottom <= last.top + furthestDash) {
      last.top = Math.max(last.top, rule.top);
      last.left = Math.min(last.left, rule.left);
      last.right = Math.max(last.right, rule.right);
    } else joined.push({ ...rule });
  }
  return joined;
}

function flip({ left, bottom, right, top }: Rectangle): Rectangle {
  return { left: bottom, bottom: left, right: top, top: right };
}

function places(bands: Bands, baseline: number, size: number): number[] {
  const middle = baseline + 0.3 * size;
  const found = new Set<number>();
  for (const rule of bands.between(middle, middle))
    if (rule.top - rule.bottom >= leastOverText * size) found.add((rule.left + rule.right) / 2);
  return [...found].sort((one, other) => one - other);
}

function passesThrough(place: number, glyphs: readonly Glyph[]): boolean {
  let low = 0;
  let high = glyphs.length;
  while (low < high) {
    const at = (low + high) >> 1;
    if (glyphs[at]!.right <= place) low = at + 1;
    else high = at;
  }
  const glyph = glyphs[low];
  if (!glyph || glyph.isBlank) return false;
  const margin = 0.1 * (glyph.right - glyph.left);
  return glyph.left + margin < place && place < glyph.right - margin;
}

function area({ left, bottom, right, top }: Rectangle): number {
  return (right - left) * (top - bottom);
}

/** Unlike an intersection, keeps rectangles without an area. */
function clip(box: Rectangle, page: Rectangle): Rectangle | undefined {
  const left = Math.max(box.left, page.left);
  const right = Math.min(box.right, page.right);
  const bottom = Math.max(box.bottom, page.bottom);
  const top = Math.min(box.top, page.top);
  return left <= right && bottom <= top ? { left, bottom, right, top } : undefined;
}

function round(value: number): number {
  return Math.round(value * 4);
}
