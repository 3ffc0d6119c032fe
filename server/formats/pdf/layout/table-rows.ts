import type { Chain } from './line-links.ts';
import type { TextLine } from './text-lines.ts';

/** As shares of the size. */
const sameRow = 0.4;
const narrowestText = 9;

/**
 * Finds tables without rules: rows of cells that stand under those of the row above. Columns of running text look alike, but
 * their lines are full and have no cell that is only a number.
 */
export class TableRows {
  /** From the top. Cells of one row may have slightly different baselines. */
  readonly #rows: TextLine[][] = [];
  readonly #rowOf = new Map<TextLine, number>();
  readonly #below = new Map<TextLine, TextLine>();
  readonly #running = new Set<TextLine>();

  constructor(lines: readonly TextLine[], chains: readonly Chain[]) {
    for (const line of lines) {
      if (line.isLeader) continue;
      const last = this.#rows.at(-1)?.[0];
      if (last && last.baseline - line.baseline < sameRow * Math.min(last.size, line.size))
        this.#rows.at(-1)!.push(line);
      else this.#rows.push([line]);
      this.#rowOf.set(line, this.#rows.length - 1);
    }
    for (const chain of chains) {
      for (const [index, line] of chain.slice(1).entries()) this.#below.set(chain[index]!, line);
      if (isRunningText(chain)) for (const line of chain) this.#running.add(line);
    }
  }

  /** Whether two lines, one under the other, are cells of two rows. */
  areCells(above: TextLine, below: TextLine): boolean {
    if (this.#running.has(above)) return false;
    const lower = this.#rowAt(this.#rowOf.get(below));
    for (const cell of this.#rowAt(this.#rowOf.get(above))) {
      if (cell === above || this.#running.has(cell)) continue;
      const under = this.#below.get(cell);
      if (under && under !== below && lower.includes(under)) return true;
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
    const index = this.#rowOf.get(line);
    if (index === undefined || this.#running.has(line)) return false;
    const cells = this.#rowAt(index).filter((cell) => !this.#running.has(cell));
    if (cells.length < 2) return false;
    return [index - 1, index + 1, index - 2, index + 2].some((at) => {
      const others = this.#rowAt(at);
      const aligned = cells.filter((cell) => others.some((other) => areAligned(cell, other)));
      return aligned.length >= 2;
    });
  }

  #rowAt(index: number | undefined): TextLine[] {
    return index === undefined ? [] : (this.#rows[index] ?? []);
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

/** Most lines reach nearly from the start to the end of the longest, and there is room for several words. */
function isRunningText(chain: Chain): boolean {
  const own = chain.filter(({ hasLetters }) => hasLetters);
  if (own.length < 3) return false;
  const right = Math.max(...own.map((line) => line.right));
  const left = Math.min(...own.map((line) => line.left));
  const { size } = own[0]!;
  if (right - left < narrowestText * size) return false;
  const isRightToLeft = own.filter((line) => line.isRightToLeft).length * 2 > own.length;
  const full = own.filter(
    (line) =>
      line.right - line.left > right - left - 4 * size &&
      (isRightToLeft ? right - line.right : line.left - left) < 2.5 * size,
  );
  return full.length >= 0.5 * own.length;
}
