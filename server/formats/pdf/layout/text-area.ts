import type { TextLine } from './text-lines.ts';

/** The area of the texts of one direction on their page, and their edges. */
export class TextArea {
  readonly left: number;
  readonly right: number;
  /** From left to right. */
  readonly #lefts: number[];
  readonly #rights: number[];

  constructor(lines: readonly TextLine[]) {
    this.#lefts = lines.map(({ left }) => left).sort(ascending);
    this.#rights = lines.map(({ right }) => right).sort(ascending);
    this.left = this.#lefts[0] ?? 0;
    this.right = this.#rights.at(-1) ?? 0;
  }

  /** Counts the lines that start at a position. */
  beginsAt(place: number, near: number): number {
    return countWithin(this.#lefts, place - near, place + near);
  }

  /** Counts the lines that end at a position. */
  endsAt(place: number, near: number): number {
    return countWithin(this.#rights, place - near, place + near);
  }
}

function ascending(one: number, other: number): number {
  return one - other;
}

function countWithin(sorted: readonly number[], from: number, to: number): number {
  return firstAbove(sorted, to) - firstAbove(sorted, from);
}

function firstAbove(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const at = (low + high) >> 1;
    if (sorted[at]! <= value) low = at + 1;
    else high = at;
  }
  return low;
}
