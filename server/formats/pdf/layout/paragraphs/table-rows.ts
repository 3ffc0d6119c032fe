import { greatest, least, runsOf } from '../../statistics.ts';
import { continues, isOpen, withoutCase } from '../sentences.ts';
import { minWidthOfText } from './line-ends.ts';
import type { Chain } from './line-links.ts';
import type { TextLine } from './text-lines.ts';
import { areAligned, ValueRows } from './value-rows.ts';

/** The maximum number of texts of a row that are compared. It limits the time for rows with very many texts. */
const maxCells = 100;
/** Distances and widths as shares of the font size. */
const sameRow = 0.2;
const sameSize = 0.2;
const sameDrop = 0.06;
const sameEdge = 0.05;
const minTextWidth = 9;
const maxLabelDistance = 4;

/** The number of pairs of lines next to two lines that make these rows, if no cell has a line more or less. */
const minPairsOfGrid = 4;

const itemNumber = /^[([]?(?:\d{1,3}\p{L}?|\p{L}|[ivxlc]{1,5})[.)\]]?$/iu;

/** A price, also with a word before it. */
const price = /^(?:\p{L}{1,8}\.?\s)?(?:\p{Sc}\s?\d[\d.,]*|\d[\d.,]*\s?\p{Sc}|\d[\d.,]*[.,]\d{2})$/u;
const lineNumber = /^\d+$/u;
/** The number of a section, which stands before a heading. */
const sectionNumber = /^\d{1,2}(?:\.\d{1,2})+\.?$/u;

/**
 * Whether a new row of a table starts between two lines. If it is only likely, the lines stay together if a sentence
 * continues from one to the other. If there is only another pair of lines next to them (paired), the lines of a cell
 * between rules also stay together.
 */
export type RowBreak = 'certain' | 'likely' | 'paired' | 'none';

/**
 * Finds tables without rules, in which the cells of a row are below the cells of the previous row. Columns of running
 * text look similar, but most of their lines have the full width, and none of them is only a number.
 */
export class TableRows {
  /** The rows of lines from the top. The baselines of a row may differ slightly. */
  readonly #rows: TextLine[][];
  readonly #rowOf = new Map<TextLine, number>();
  readonly #below = new Map<TextLine, TextLine>();
  /** Lines next to the bullet or number of a list item, with the row break before each of them. */
  readonly #labeled = new Map<TextLine, RowBreak>();
  readonly #isTableRow = new Map<number, boolean>();
  readonly #running = new Set<TextLine>();
  readonly #bullets: ReadonlySet<TextLine>;
  readonly #values: ValueRows;

  constructor(lines: readonly TextLine[], chains: readonly Chain[], bullets: ReadonlySet<TextLine>) {
    this.#bullets = bullets;
    this.#rows = runsOf(
      lines.filter(({ isLeader }) => !isLeader),
      ([first], { baseline, size }) => first!.baseline - baseline < sameRow * Math.min(first!.size, size),
    );
    for (const [index, row] of this.#rows.entries()) for (const line of row) this.#rowOf.set(line, index);
    for (const chain of chains) {
      for (const [index, line] of chain.slice(1).entries()) this.#below.set(chain[index]!, line);
      for (const line of chain)
        if (this.#labelOf(line, (cell) => bullets.has(cell))) this.#labeled.set(line, 'certain');
      const numbered = chain.filter(
        (line) => !this.#labeled.has(line) && this.#labelOf(line, ({ text }) => itemNumber.test(text)),
      );
      const isRunning = isRunningText(chain);
      // If almost all lines of a running text have a number without letters next to them, these are line numbers, not
      // the labels of rows. The row labels of a form include letters: 8, 9a, b.
      const counted = isRunning
        ? chain.filter((line) => this.#labelOf(line, ({ text }) => lineNumber.test(text)))
        : [];
      if (counted.length < 0.9 * chain.length) for (const line of numbered) this.#labeled.set(line, 'likely');
      if (isRunning) for (const line of chain) this.#running.add(line);
    }
    this.#values = new ValueRows(chains, (line) => this.#near(line));
  }

  /** Whether two lines, of which one is directly below the other, are cells of different rows. */
  breakBetween(above: TextLine, below: TextLine): RowBreak {
    const row = this.#values.breakBefore(below);
    const item = row === 'certain' ? row : this.#labeled.get(below);
    if (item) return item;
    const upper = this.#besides(above);
    const lower = this.#besides(below);
    // The lines of another column with another distance between lines are at the same height only by chance.
    const isRow = (cell: TextLine, other: TextLine) =>
      Math.abs(cell.baseline - other.baseline - above.baseline + below.baseline) < sameDrop * below.size;
    const numbers = upper.filter(
      (cell) =>
        isNumber(cell) &&
        lower.some((other) => isNumber(other) && areAligned(cell, other) && isRow(cell, other)),
    );
    // If each line has only one number next to it, these may be line numbers.
    if (numbers.length > 1) return 'certain';
    if (row) return row;
    if (this.#running.has(above)) return 'none';
    if (numbers.some(({ text }) => price.test(text))) return 'certain';
    if (numbers.length > 0) return 'likely';
    const startsRow = lower.filter(isNumber).length > 1 && lower.some((cell) => cell.right < below.left);
    if (startsRow && upper.length === 0) return 'likely';
    const pairs = upper.filter((cell) => {
      const under = this.#below.get(cell);
      return !this.#running.has(cell) && under !== undefined && lower.includes(under);
    });
    const isGrid =
      pairs.length >= minPairsOfGrid && pairs.length === upper.length && pairs.length === lower.length;
    if (isGrid && lower.every(({ text }) => !/^\p{Ll}/u.test(text))) return 'likely';
    return pairs.length > 0 ? 'paired' : 'none';
  }

  /**
   * Whether a line without a label is below a wide item of a list, or without a value in a row. Another item, which is
   * longer, then shows the end of the lines of the list.
   *
   * @param room the free space at the end of the item, up to the furthest end of nearby lines
   */
  mayWrapItem(above: TextLine, below: TextLine, room: number): boolean {
    if (this.#values.isWrapped(below)) return true;
    const isWide = above.right - above.left > minWidthOfText * above.size;
    return isWide && room > 0 && this.#labeled.has(above) && !this.#labeled.has(below);
  }

  /** Returns the other cells of a line's row whose font size is about that of the line. */
  #besides(line: TextLine): TextLine[] {
    return this.#near(line).filter((cell) => Math.abs(cell.size - line.size) < sameSize * line.size);
  }

  #near(line: TextLine): TextLine[] {
    const row = this.#rowAt(this.#rowOf.get(line));
    const own = row.length > maxCells ? row.indexOf(line) : 0;
    return row.slice(Math.max(0, own - maxCells / 2), own + maxCells).filter((cell) => cell !== line);
  }

  /**
   * Whether a line is a cell of a table without rules: its row has aligned rows above or below it, or contains several
   * numbers.
   */
  isCell(line: TextLine): boolean {
    const index = this.#rowOf.get(line);
    if (index === undefined) return false;
    if (this.#besides(line).filter(isNumber).length > 1) return true;
    if (this.#running.has(line)) return false;
    const isRow = this.#isTableRow.get(index) ?? this.#hasAlignedRow(index);
    this.#isTableRow.set(index, isRow);
    return isRow;
  }

  #hasAlignedRow(index: number): boolean {
    const cells = this.#rowAt(index)
      .filter((cell) => !this.#running.has(cell) && !this.#bullets.has(cell) && !itemNumber.test(cell.text))
      .filter((cell, at) => at > 0 || !sectionNumber.test(cell.text))
      .slice(0, maxCells);
    if (cells.length < 2) return false;
    return [index - 1, index + 1, index - 2, index + 2].some((at) => {
      const others = this.#rowAt(at).slice(0, maxCells);
      const aligned = cells.filter((cell) => others.some((other) => areAligned(cell, other)));
      return aligned.length >= 2;
    });
  }

  #labelOf(line: TextLine, isLabel: (cell: TextLine) => boolean): TextLine | undefined {
    return this.#near(line).find((cell) => {
      const gap = line.left - cell.right;
      return gap > 0 && gap < maxLabelDistance * line.size && isLabel(cell);
    });
  }

  #rowAt(index: number | undefined): TextLine[] {
    return index === undefined ? [] : (this.#rows[index] ?? []);
  }
}

/** Whether a text is a number, possibly with a letter, or a price: `12`, `8a`, `from $12`. */
function isNumber({ text }: TextLine): boolean {
  return (!/\p{L}{2}/u.test(text) && /\p{N}/u.test(text)) || price.test(text);
}

/**
 * Whether a chain is running text: a text continues from a line to the next one, most lines extend almost from the start
 * to the end of the longest line, and this line has room for several words. Long lines to the end of the column may also
 * be indented, as those of items.
 */
function isRunningText(chain: Chain): boolean {
  const own = chain.filter(({ hasLetters }) => hasLetters);
  const isContinued = own.some(({ text }, index) => {
    const above = own[index - 1]?.text;
    return above !== undefined && (continues(above, text) || isOpen(above, text) || withoutCase.test(text));
  });
  if (own.length < 3 || !isContinued) return false;
  const right = greatest(own.map((line) => line.right));
  const left = least(own.map((line) => line.left));
  const { size } = own[0]!;
  if (right - left < minTextWidth * size) return false;
  const isRightToLeft = own.filter((line) => line.isRightToLeft).length * 2 > own.length;
  // Next to a picture, lines of a justified text are shorter than the others.
  const isJustified = (line: TextLine, other: TextLine | undefined) =>
    other !== undefined &&
    line.right - line.left > minTextWidth * size &&
    Math.max(Math.abs(line.left - other.left), Math.abs(line.right - other.right)) < sameEdge * size &&
    line.text !== other.text;
  const full = own.filter((line, index) => {
    if (isJustified(line, own[index - 1]) || isJustified(line, own[index + 1])) return true;
    const [before, after] = [line.left - left, right - line.right];
    const [indent, room] = isRightToLeft ? [after, before] : [before, after];
    const isIndented = room < 0.5 * size && line.right - line.left > 2 * minTextWidth * size;
    return isIndented || (indent + room < 4 * size && indent < 2.5 * size);
  });
  return full.length >= 0.5 * own.length;
}
