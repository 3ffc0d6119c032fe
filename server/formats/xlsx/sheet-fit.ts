import {
  digitWidth,
  linesOf,
  longestLine,
  longestWord,
  shortestLength,
  widthOf,
} from '../office/text-width.ts';
import { type CellRange, writeReference } from './cell-reference.ts';
import type { CellStyle, CellStyles } from './cell-styles.ts';
import type { SheetColumns } from './sheet-columns.ts';
import type { Cell } from './sheet-reader.ts';

/** The maximum height of a row in Excel, in points. */
const maxHeight = 409;
/** The height of a line in relation to the size of the font, and that of a line of turned text. */
const lineHeight = 1.32;
const turnedLineHeight = 1.25;
/** The width of bold text in relation to other text. */
const boldWidth = 1.07;
/** The margins of a cell, and a step of its indent, in digits. */
const margins = 0.71;
const indentStep = 1.3;
/** Widths are approximate: a text that seems to be this much wider than its cell may fit. */
const tolerance = 1.1;
/** The widths of the characters of texts without a cell around them are approximate, and cells have margins. */
const slack = 1.1;
/** The room around a text in a wider column, in relation to the text. */
const reserve = 1.05;
/** The maximum correction of a height that Excel has computed. */
const maxCorrection = 1.25;
/** The maximum width of a column in relation to its width in the source. */
const maxGrowth = 2;
/** The maximum number of columns of a merged cell of which the widest one grows. */
const maxMerged = 50;
/** The maximum length of a text that is measured. A longer turned text needs the maximum height. */
const maxLength = 2_000;

/** A cell whose new text may need more room. */
interface TightCell {
  row: number;
  column: number;
  /** The nearest columns at the left and at the right whose cells are not empty. */
  previous: number;
  next: number;
  rowHeight: number | undefined;
  hasFixedHeight: boolean;
  style: CellStyle;
  old: string;
  text: string;
}

/** The new sizes of a sheet's rows and columns, by their numbers. */
export interface NewSizes {
  /** The heights in points. */
  heights: Map<number, number>;
  /** The widths in digits. */
  widths: Map<number, number>;
  /** The widths of what is printed, in digits. */
  printed: [before: number, after: number];
}

/**
 * Collects the changed texts of a sheet, and determines the rows and columns that must grow so that no text is cut that
 * was not cut in the source. Pass all cells in order.
 */
export class SheetFit {
  readonly #styles: CellStyles;
  readonly #area: CellRange | undefined;
  readonly #tight: TightCell[] = [];
  /** For rows without a height: the number of texts that wrap and are not measured, such as results of formulas. */
  readonly #unmeasured = new Map<number, number>();
  #columns: SheetColumns | undefined;
  /** The last cell with content. */
  #row = 0;
  #column = 0;
  /** The last column with content. */
  #right = 0;
  /** The nearest cell with content before it in its row. */
  #previous = 0;

  /** @param area the range that is printed, if the workbook sets it */
  constructor(styles: CellStyles, area?: CellRange) {
    this.#styles = styles;
    this.#area = area;
  }

  /** Adds a cell with content, also if its text does not change. */
  filled({ row, column, columns, rowHeight, type, style }: Cell): void {
    if (rowHeight === undefined && type !== '' && wrapsText(this.#styles.get(style))) this.#count(row, 1);
    const last = this.#tight.at(-1);
    if (last?.row === row && last.column === this.#column) last.next = column;
    this.#previous = this.#row === row ? this.#column : 0;
    this.#row = row;
    this.#column = column;
    this.#right = Math.max(this.#right, column);
    this.#columns = columns;
  }

  /** Adds the new text of the cell that was passed to `filled`. */
  add(
    { row, column, style: number, rowHeight, hasFixedHeight, columns }: Cell,
    old: string,
    text: string,
  ): void {
    const style = this.#styles.get(number);
    const needsHeight = rowHeight === undefined && wrapsText(style);
    if (needsHeight) this.#count(row, -1);
    if ((text === old && !needsHeight) || columns.widthOf(column) === 0 || rowHeight === 0) return;
    if (style.angle === 0) {
      if (style.shrinks || style.alignment === 'fill' || style.alignment === 'centerContinuous') return;
      if (this.#widthOf(text, style) <= this.#room(columns, column, column, style) / tolerance) return;
    }
    const next = Number.POSITIVE_INFINITY;
    const previous = this.#previous;
    this.#tight.push({ row, column, previous, next, rowHeight, hasFixedHeight, style, old, text });
  }

  #count(row: number, change: number): void {
    this.#unmeasured.set(row, (this.#unmeasured.get(row) ?? 0) + change);
  }

  /** @param merged the merged ranges, by their first cells */
  sizes(merged: ReadonlyMap<string, CellRange>): NewSizes {
    const sizes: NewSizes = { heights: new Map(), widths: new Map(), printed: [0, 0] };
    const computed = new ComputedRows();
    for (const cell of this.#tight) {
      const { row, column, style } = cell;
      const range = merged.get(writeReference({ row, column }));
      // The text of several rows has the height of all of them, which is not known.
      if (range && range.bottom > range.top && (style.angle !== 0 || wrapsText(style))) continue;
      if (style.angle !== 0) this.#fitTurned(cell, sizes);
      else if (wrapsText(style)) this.#fitWrapped(cell, range, sizes, computed);
      else this.#fitLine(cell, range, sizes);
    }
    for (const [row, height] of computed.grown())
      if (!this.#unmeasured.get(row)) sizes.heights.set(row, Math.max(height, sizes.heights.get(row) ?? 0));
    if (this.#columns) this.#measurePrinted(merged, sizes);
    return sizes;
  }

  /** Measures the columns with content, and the texts that are drawn over the empty cells after them. */
  #measurePrinted(merged: ReadonlyMap<string, CellRange>, { widths, printed }: NewSizes): void {
    const { left, right } = this.#area ?? { left: 1, right: this.#right };
    /** By how much all columns up to a column have grown, by its number. */
    const grown: number[] = Array.from({ length: left }, () => 0);
    const widen = (last: number, old = 0, text = 0): void => {
      const before = this.#columns!.widthOfAll(left, last);
      for (let next = grown.length; next <= last; next++) {
        const width = this.#columns!.widthOf(next);
        grown.push(grown.at(-1)! + (widths.get(next) ?? width) - width);
      }
      printed[0] = Math.max(printed[0], before + old);
      printed[1] = Math.max(printed[1], before + grown[last]! + text);
    };
    widen(right);
    if (this.#area) return;
    for (const { right } of merged.values()) widen(right);
    const digit = digitWidth * this.#styles.fontSize;
    for (const { row, column, next, style, old, text } of this.#tight) {
      if (next < Number.POSITIVE_INFINITY || style.angle !== 0 || wrapsText(style)) continue;
      if (/right|center/.test(style.alignment) || merged.has(writeReference({ row, column }))) continue;
      const [before, after] = [this.#widthOf(old, style) / digit, this.#widthOf(text, style) / digit];
      widen(column - 1, before, after > before ? after * slack : after);
    }
  }

  #fitTurned({ row, style, rowHeight, old, text }: TightCell, { heights }: NewSizes): void {
    if (rowHeight === undefined) return;
    const height = turnedHeight(style, rowHeight, old.trim(), text.trim());
    if (height > rowHeight) heights.set(row, Math.max(height, heights.get(row) ?? 0));
  }

  #fitWrapped(
    cell: TightCell,
    range: CellRange | undefined,
    { heights, widths }: NewSizes,
    computed: ComputedRows,
  ): void {
    const { row, column, style, rowHeight, hasFixedHeight, old, text } = cell;
    if (text.length > maxLength) {
      this.#count(row, 1);
      return;
    }
    const last = range?.right ?? column;
    const room = this.#room(this.#columns!, column, last, style);
    const size = sizeOf(style);
    if (!range) this.#widen(widths, column, room, longestWord(old) * size, longestWord(text) * size);
    const lines = linesOf(text, room / size);
    const oldLines = linesOf(old, (room * tolerance) / size);
    if (rowHeight === undefined) {
      if (!range)
        computed.add(row, Math.ceil(lines * style.size * lineHeight), text !== old && lines > oldLines);
      return;
    }
    if (lines <= oldLines) return;
    const oldHeight = oldLines * style.size * lineHeight;
    // A row that is too low for the source shows only a part of the text on purpose.
    if (oldHeight > rowHeight * tolerance && hasFixedHeight) return;
    // Excel has computed a height that is not fixed from the texts of the row, so the source may need all of it.
    const most = hasFixedHeight || range ? 1 : maxCorrection;
    const correction = Math.min(most, rowHeight / oldHeight);
    const height = Math.ceil(lines * style.size * lineHeight * correction);
    if (height > rowHeight) heights.set(row, Math.min(maxHeight, Math.max(height, heights.get(row) ?? 0)));
  }

  #fitLine(cell: TightCell, range: CellRange | undefined, { widths }: NewSizes): void {
    const { column, previous, next, style, old, text } = cell;
    const columns = this.#columns!;
    let first = column;
    let last = range?.right ?? column;
    let grows = column;
    if (range)
      for (let at = first; at <= Math.min(last, first + maxMerged); at++)
        if (columns.widthOf(at) > columns.widthOf(grows)) grows = at;
    if (!range) {
      const isAlone = previous < column - 1 && next > column + 1;
      if (style.alignment === 'right') first = previous + 1;
      else if (style.alignment === 'center') {
        if (isAlone) return;
      } else if (next === Number.POSITIVE_INFINITY) return;
      else last = next - 1;
    }
    const room = this.#room(columns, first, last, style);
    this.#widen(widths, grows, room, this.#widthOf(old, style), this.#widthOf(text, style));
  }

  /** Records a new width of a column if a text fitted in the room, in points, and its translation does not. */
  #widen(widths: Map<number, number>, column: number, room: number, old: number, text: number): void {
    if (old > room * tolerance) return;
    // The source fits. If it seems not to, its font is narrower than expected, and so is the new text.
    const needed = text * Math.min(1, room / old);
    if (needed * reserve <= room) return;
    const width = this.#columns!.widthOf(column);
    const digits = (needed * reserve - room) / (digitWidth * this.#styles.fontSize);
    const next = Math.round(Math.min(width + digits, width * maxGrowth) * 100) / 100;
    if (next > (widths.get(column) ?? width)) widths.set(column, next);
  }

  /** Returns the width for text in adjacent columns, in points. */
  #room(columns: SheetColumns, first: number, last: number, { indent }: CellStyle): number {
    const digits = columns.widthOfAll(first, last) - margins - indent * indentStep;
    return Math.max(digits, 1) * digitWidth * this.#styles.fontSize;
  }

  #widthOf(text: string, style: CellStyle): number {
    return text.length > maxLength ? Number.POSITIVE_INFINITY : longestLine(text) * sizeOf(style);
  }
}

/** The heights of rows whose height the file does not have. */
class ComputedRows {
  readonly #heights = new Map<number, number>();
  readonly #grown = new Set<number>();

  /** @param grows whether the translation needs more lines than the source */
  add(row: number, height: number, grows: boolean): void {
    this.#heights.set(row, Math.min(maxHeight, Math.max(height, this.#heights.get(row) ?? 0)));
    if (grows) this.#grown.add(row);
  }

  /** Returns the heights of the rows that need more lines than in the source. */
  grown(): [row: number, height: number][] {
    return [...this.#heights].filter(([row]) => this.#grown.has(row));
  }
}

function sizeOf({ size, isBold }: CellStyle): number {
  return isBold ? size * boldWidth : size;
}

function wrapsText({ wraps, alignment }: CellStyle): boolean {
  return wraps || alignment === 'justify' || alignment === 'distributed';
}

/**
 * Returns the height that a row needs after the text of a turned cell has changed, in points. It is the current height
 * unless the new text is longer than the row is high.
 */
function turnedHeight(style: CellStyle, height: number, old: string, text: string): number {
  const needed = heightOf(style, height, old, text);
  if (needed <= height) return height;
  // The source fits, as a rule. If it seems not to, its font is narrower than expected, and so is the new text.
  const narrow = Math.min(1, height / heightOf(style, height, old, old));
  return Math.min(Math.max(Math.ceil(needed * narrow), height), maxHeight);
}

function heightOf({ angle, size, wraps }: CellStyle, height: number, old: string, text: string): number {
  if (text.length > maxLength) return maxHeight;
  if (angle === 'stacked') return [...text].length * size * turnedLineHeight;
  const sine = Math.sin((angle * Math.PI) / 180);
  const cosine = Math.cos((angle * Math.PI) / 180);
  if (!wraps) return widthOf(text) * size * slack * sine + size * turnedLineHeight * cosine;
  // The column has room for the lines of the source. The new text gets as many.
  const lines = linesOf(old, height / size / slack);
  return shortestLength(text, lines) * size * slack * sine + lines * size * turnedLineHeight * cosine;
}
