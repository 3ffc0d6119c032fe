import { FileError } from '../file-error.ts';

/** The position of a cell in its sheet. Rows and columns are counted from 1. */
export interface CellPosition {
  row: number;
  column: number;
}

/** A rectangle of cells, including the cells at its edges. */
export interface CellRange {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** The maximum size of a sheet. */
export const lastRow = 1_048_576;
export const lastColumn = 16_384;

const dollar = 36;

/**
 * Parses a reference such as `B7`. This function uses no regular expression, because a sheet may have millions of
 * references.
 *
 * @throws {FileError} `unreadable` if the text is not a reference, or if the cell is outside the maximum size of a
 *   sheet
 */
export function readReference(reference: string): CellPosition {
  const { length } = reference;
  let at = reference.charCodeAt(0) === dollar ? 1 : 0;
  let column = 0;
  for (; at < length && column <= lastColumn; at++) {
    // Clears the bit in which upper and lower case differ.
    const letter = (reference.charCodeAt(at) & ~32) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  if (reference.charCodeAt(at) === dollar) at++;
  let row = 0;
  for (; at < length && row <= lastRow; at++) {
    const digit = reference.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    row = row * 10 + digit;
  }
  if (at < length || row < 1 || row > lastRow || column < 1 || column > lastColumn)
    throw new FileError('unreadable', 'a cell in the workbook has an invalid reference');
  return { row, column };
}

/** Parses a range such as `A1:B7`. A single cell is also a range. */
export function readRange(range: string): CellRange {
  const [first = '', last = first] = range.trim().split(':');
  const a = readReference(first);
  const b = readReference(last);
  return {
    top: Math.min(a.row, b.row),
    left: Math.min(a.column, b.column),
    bottom: Math.max(a.row, b.row),
    right: Math.max(a.column, b.column),
  };
}

/** Formats a reference such as `B7`. */
export function writeReference({ row, column }: CellPosition): string {
  let letters = '';
  for (let rest = column; rest > 0; rest = Math.floor((rest - 1) / 26))
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  return letters + row;
}
