import { firstFrom } from '../../statistics.ts';
import type { TextLine } from '../paragraphs/text-lines.ts';

/** The horizontal range of the lines of one direction on a page, and the positions at which lines start and end. */
export class TextArea {
  readonly left: number;
  readonly right: number;
  /** The left edges of the lines in ascending order; `#rights` contains their right edges. */
  readonly #lefts: number[];
  readonly #rights: number[];
  /** The right edge of the first line of each row. */
  readonly #firstEnds = new Map<number, number>();

  constructor(lines: readonly TextLine[]) {
    this.#lefts = lines.map(({ left }) => left).sort(ascending);
    this.#rights = lines.map(({ right }) => right).sort(ascending);
    this.left = this.#lefts[0] ?? 0;
    this.right = this.#rights.at(-1) ?? 0;
    for (const { right, row } of lines)
      this.#firstEnds.set(row, Math.min(right, this.#firstEnds.get(row) ?? Number.POSITIVE_INFINITY));
  }

  /** Whether another line ends in the row of a line, at least as far before it as a distance. */
  isBehindText({ left, row }: TextLine, distance: number): boolean {
    return (this.#firstEnds.get(row) ?? left) <= left - distance;
  }

  /** Returns how many lines start within the distance `near` of a position. */
  beginsAt(place: number, near: number): number {
    return countWithin(this.#lefts, place - near, place + near);
  }

  /** Returns how many lines end within the distance `near` of a position. */
  endsAt(place: number, near: number): number {
    return countWithin(this.#rights, place - near, place + near);
  }
}

function ascending(one: number, other: number): number {
  return one - other;
}

function countWithin(sorted: readonly number[], from: number, to: number): number {
  return firstFrom(sorted, (place) => place <= to) - firstFrom(sorted, (place) => place <= from);
}
