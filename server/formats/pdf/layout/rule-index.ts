import type { Rectangle } from '../geometry.ts';
import type { Paint } from '../page-content.ts';
import { append, firstFrom } from '../statistics.ts';

/** A thin painted line along the text. */
export interface Rule {
  box: Rectangle;
  paint: Paint;
}

/** Finds the rules within a rectangle; with `isAlone`, only if no small drawing touches it. */
export type FindRules = (area: Rectangle, isAlone?: boolean) => Rule[];

/** The height of the bands by which rules are found, in points. */
const bandHeight = 32;
/** The maximum gap between two pieces of one rule, in points. */
const maxDashGap = 3;

/** An index of vertical rules by height and position. For horizontal rules, exchange the axes with `flip`. */
export class RuleIndex {
  /** The rules by the bands of height that they cross; each list is sorted from left to right. */
  readonly #bands = new Map<number, Rectangle[]>();
  readonly #forgotten = new Set<Rectangle>();

  /**
   * @param pieces the rules. Those that continue each other are joined, because the cells of a table often have
   *   separate sides, and lines may be dashed
   * @param shortest the minimum length of a joined rule; shorter ones are left out
   */
  constructor(pieces: readonly Rectangle[], shortest: number) {
    const rules = joinPieces(pieces).filter(({ bottom, top }) => top - bottom >= shortest);
    for (const rule of rules.sort((one, other) => one.left - other.left))
      for (let band = bandOf(rule.bottom); band <= bandOf(rule.top); band++) append(this.#bands, band, rule);
  }

  forget(rule: Rectangle): void {
    this.#forgotten.add(rule);
  }

  /** Yields the rules that cross a height and start between two positions, from left to right. */
  *passing(
    height: number,
    from = Number.NEGATIVE_INFINITY,
    to = Number.POSITIVE_INFINITY,
  ): Generator<Rectangle> {
    const band = this.#bands.get(bandOf(height)) ?? [];
    for (let at = firstFrom(band, (rule) => rule.left < from); at < band.length && band[at]!.left <= to; at++)
      if (this.#passes(band[at]!, height, height)) yield band[at]!;
  }

  /**
   * Returns the nearest rule to the left of a box and the nearest one to its right. Only rules that cover the whole
   * height of the box are considered.
   */
  around({ left, right, bottom, top }: Rectangle): {
    left: Rectangle | undefined;
    right: Rectangle | undefined;
  } {
    const band = this.#bands.get(bandOf((bottom + top) / 2)) ?? [];
    const found: { left: Rectangle | undefined; right: Rectangle | undefined } = {
      left: undefined,
      right: undefined,
    };
    for (let at = firstFrom(band, (rule) => rule.left < left) - 1; at >= 0 && !found.left; at--)
      if (this.#passes(band[at]!, bottom, top)) found.left = band[at];
    for (let at = firstFrom(band, (rule) => rule.left < right); at < band.length && !found.right; at++)
      if (this.#passes(band[at]!, bottom, top)) found.right = band[at];
    return found;
  }

  #passes(rule: Rectangle, bottom: number, top: number): boolean {
    return rule.bottom <= bottom && rule.top >= top && !this.#forgotten.has(rule);
  }
}

/** Exchanges the x axis and the y axis. */
export function flip({ left, bottom, right, top }: Rectangle): Rectangle {
  return { left: bottom, bottom: left, right: top, top: right };
}

function bandOf(height: number): number {
  return Math.floor(height / bandHeight);
}

/** Joins the pieces of dashed and dotted vertical lines. */
export function joinPieces(pieces: readonly Rectangle[]): Rectangle[] {
  const joined: Rectangle[] = [];
  const column = (rule: Rectangle) => Math.round(rule.left + rule.right);
  const sorted = [...pieces].sort((one, other) => column(one) - column(other) || one.bottom - other.bottom);
  for (const piece of sorted) {
    const last = joined.at(-1);
    if (last && column(last) === column(piece) && piece.bottom <= last.top + maxDashGap) {
      last.top = Math.max(last.top, piece.top);
      last.left = Math.min(last.left, piece.left);
      last.right = Math.max(last.right, piece.right);
    } else joined.push({ ...piece });
  }
  return joined;
}
