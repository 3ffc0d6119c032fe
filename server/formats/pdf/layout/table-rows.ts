import type { Chain } from './line-links.ts';
import type { TextLine } from './text-lines.ts';

/**
 * Finds tables without rules: rows of cells that stand under those of the row above. Columns of running text look alike, but
 * their lines are full and have no cell that is only a number.
 */
export class TableRows {
  readonly #rows = new Map<number, TextLine[]>();
  readonly #below = new Map<TextLine, TextLine>();
  readonly #running = new Set<TextLine>();

  constructor(lines: readonly TextLine[], chains: readonly Chain[]) {
    for (const line of lines) {
      if (line.isLeader) continue;
      const row = this.#rows.get(line.row);
      if (row) row.push(line);
      else this.#rows.set(line.row, [line]);
    }
    for (const chain of chains) {
      for (const [index, line] of chain.slice(1).entries()) this.#below.set(chain[index]!, line);
      if (isRunningText(chain)) for (const line of chain) this.#running.add(line);
    }
  }

  /** Whether two lines, one under the other, are cells of two rows. */
  areCells(above: TextLine, below: TextLine): boolean {
    if (this.#running.has(above)) return false;
    const lower = this.#rows.get(below.row) ?? [];
    for (const cell of this.#rows.get(above.row) ?? []) {
      if (cell === above || this.#running.has(cell)) continue;
      const under = this.#below.get(cell);
      if (under && under !== below && under.row === below.row) return true;
      if (
        !cell.hasLetters &&
        lower.some((other) => other !== below && !other.hasLetters && areAligned(cell, other))
      )
        return true;
    }
    return false;
  }

  /** Whether a line stands in a row of cells that has rows of cells above or below it. */
  isCell(line: TextLine): boolean {
    if (this.#running.has(line)) return false;
    const row = this.#rows.get(line.row) ?? [];
    const cells = row.filter((cell) => !this.#running.has(cell));
    if (cells.length < 2) return false;
    return [line.row - 1, line.row + 1, line.row - 2, line.row + 2].some((at) => {
      const others = this.#rows.get(at) ?? [];
      const aligned = cells.filter((cell) => others.some((other) => areAligned(cell, other)));
      return aligned.length >= 2;
    });
  }
}

function areAligned(one: TextLine, other: TextLine): boolean {
  const near = 0.3 * Math.min(one.size, other.size);
  return (
    Math.abs(one.left - other.left) < near ||
    Math.abs(one.right - other.right) < near ||
    Math.abs(one.left + one.right - other.left - other.right) < 2 * near
  );
}

/** Most lines reach nearly to the end of the longest, and have several words. */
function isRunningText(chain: Chain): boolean {
  const own = chain.filter(({ hasLetters }) => hasLetters);
  if (own.length < 3) return false;
  const right = Math.max(...own.map((line) => line.right));
  const left = Math.min(...own.map((line) => line.left));
  const isRightToLeft = own.filter((line) => line.isRightToLeft).length * 2 > own.length;
  const { size } = own[0]!;
  if (right - left < 9 * size) return false;
  const full = own.filter((line) => (isRightToLeft ? line.left - left : right - line.right) < 3 * size);
  return full.length >= 0.55 * own.length;
}
