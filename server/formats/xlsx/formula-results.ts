import { limits, overLimit } from '../file-error.ts';
import { type CellRange, lastColumn } from './cell-reference.ts';

/**
 * The cells that show the result of a formula in another cell: those of an array formula or a data table. Only the first of
 * them has the formula, but none of them has a separate text.
 */
export class FormulaResults {
  /** For each column, the last row that a previous formula fills. A formula is in the first cell of its range. */
  readonly #lastRows = new Int32Array(lastColumn + 1);
  #marked = 0;

  /** @throws {FileError} `too_large` if the formulas together fill more columns than a sheet can need */
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
