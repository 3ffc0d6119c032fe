import { limits, overLimit } from '../file-error.ts';
import { type CellRange, lastColumn } from './cell-reference.ts';

/**
 * The cells that show the results of a formula that is in another cell: the cells of an array formula or of a data
 * table. Only the first cell has the formula, and none of these cells has its own text.
 */
export class FormulaResults {
  /**
   * For each column, the last row that a formula fills so far. A formula is in the first cell of the range that it
   * fills, so the rows above have already been read.
   */
  readonly #lastRows = new Int32Array(lastColumn + 1);
  #marked = 0;

  /** @throws {FileError} `too_large` if all formulas together fill more columns than a sheet can need */
  add({ left, right, bottom }: CellRange): void {
    this.#marked += right - left + 1;
    if (this.#marked > limits.xlsxFormulaColumns)
      throw overLimit('the number of columns that array formulas fill', limits.xlsxFormulaColumns);
    for (let column = left; column <= right; column++)
      if (this.#lastRows[column]! < bottom) this.#lastRows[column] = bottom;
  }

  includes(row: number, column: number): boolean {
    return row <= this.#lastRows[column]!;
  }
}
