import type { Rectangle } from '../../geometry.ts';
import { TextArea } from '../alignment/text-area.ts';
import type { DrawnAreas } from '../drawn-areas.ts';
import type { FormFields } from '../form-fields.ts';
import type { TextLine } from './text-lines.ts';

/** How many rows above and below a line are searched for texts next to the line. */
const nearbyRows = 2;
/** The maximum number of texts of a row that are compared. It limits the time for rows with very many texts. */
const maxCompared = 200;
/** The usual distance between columns and between a text and the border of its cell, as shares of the font size. */
const columnGap = 1;
const cellPadding = 0.3;

/** The horizontal range that a line could fill: its cell, or the space up to the texts next to it. */
type FreeRange = Pick<Rectangle, 'left' | 'right'>;

/** Finds the space that the lines of a page could fill if they were longer. */
export class ColumnEnds {
  readonly #rows: ReadonlyMap<number, readonly TextLine[]>;
  readonly #area: FreeRange;
  readonly #areas: DrawnAreas;
  readonly #fields: FormFields;
  readonly #known = new Map<TextLine, FreeRange>();

  /**
   * @param lines all lines of the page, in their order on the page
   * @param page the visible part of the page
   */
  constructor(lines: readonly TextLine[], page: Rectangle, areas: DrawnAreas, fields: FormFields) {
    const { left, right } = new TextArea(lines);
    // A page with little text has equal margins on both sides.
    this.#area = {
      left: Math.min(left, page.left + Math.max(0, page.right - right)),
      right: Math.max(right, page.right - Math.max(0, left - page.left)),
    };
    this.#areas = areas;
    this.#fields = fields;
    this.#rows = Map.groupBy(lines, ({ row }) => row);
  }

  rangeOf(line: TextLine): FreeRange {
    const known = this.#known.get(line);
    if (known) return known;
    const { left, right, row, size, baseline } = line;
    const range = { ...this.#area };
    const limit = (from: number, to: number, distance: number) => {
      if (from >= right) range.right = Math.max(right, Math.min(range.right, from - distance));
      if (to <= left) range.left = Math.min(left, Math.max(range.left, to + distance));
    };
    for (let at = row - nearbyRows; at <= row + nearbyRows; at++)
      for (const other of this.#rows.get(at)?.slice(0, maxCompared) ?? [])
        if (other !== line && Math.abs(other.baseline - baseline) <= size)
          limit(other.left, other.right, columnGap * size);
    const letters = { left, right, bottom: baseline + 0.1 * size, top: baseline + 0.4 * size };
    const sides = this.#areas.sidesAround(letters);
    limit(sides.left, sides.left, cellPadding * size);
    limit(sides.right, sides.right, cellPadding * size);
    const { left: before, right: after } = this.#fields.nextTo(line);
    if (before) limit(before.left, before.right, cellPadding * size);
    if (after) limit(after.left, after.right, cellPadding * size);
    this.#known.set(line, range);
    return range;
  }

  /** Returns the nearest text on each side of a line, at the same height. */
  textsBeside(line: TextLine): Record<'left' | 'right', TextLine | undefined> {
    const row = this.#rows.get(line.row) ?? [];
    const found: Record<'left' | 'right', TextLine | undefined> = { left: undefined, right: undefined };
    for (const other of row.slice(0, maxCompared)) {
      if (other.right <= line.left && !(found.left && found.left.right > other.right)) found.left = other;
      if (other.left >= line.right && !(found.right && found.right.left < other.left)) found.right = other;
    }
    return found;
  }
}
