import { FileError } from '../file-error.ts';
import type { XmlStartTag } from '../office/xml-reader.ts';

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

/** The maximum number of ranges with a limit that are known of a sheet. */
const maxRanges = 1_000;

/** The longest texts that the data validations of a sheet accept in its cells. */
export class CellLimits {
  readonly #ranges: (CellRange & { most: number })[] = [];
  #rule: { type: string; operator: string; ranges: string; values: string[] } | undefined;
  #value = 0;

  get isEmpty(): boolean {
    return this.#ranges.length === 0;
  }

  open({ local, attributes }: XmlStartTag): void {
    if (local === 'dataValidation') {
      const { type = '', operator = 'between', sqref: ranges = '' } = attributes;
      this.#rule = { type, operator, ranges, values: [] };
    } else if (local === 'formula1' || local === 'formula2') this.#value = local === 'formula1' ? 0 : 1;
  }

  /** @param text the text of the element. Newer files have formulas and ranges in child elements */
  close(local: string, text: string): void {
    const rule = this.#rule;
    if (!rule) return;
    if (local === 'f' || /^formula[12]$/.test(local)) rule.values[this.#value] = text;
    else if (local === 'sqref') rule.ranges = text;
    else if (local === 'dataValidation') {
      this.#rule = undefined;
      const most = mostOf(rule);
      if (most === undefined) return;
      for (const range of rule.ranges.trim().split(/\s+/))
        if (range !== '' && this.#ranges.length < maxRanges) this.#ranges.push({ ...readRange(range), most });
    }
  }

  /** Returns the largest number of characters that a cell accepts; undefined if it has no limit. */
  of({ row, column }: CellPosition): number | undefined {
    const own = this.#ranges.filter(
      ({ top, bottom, left, right }) => top <= row && row <= bottom && left <= column && column <= right,
    );
    return own.length === 0 ? undefined : Math.min(...own.map(({ most }) => most));
  }
}

/** Returns the limit of a rule about the length of a text; undefined if it has none, or if it is in a cell. */
function mostOf({
  type,
  operator,
  values,
}: {
  type: string;
  operator: string;
  values: string[];
}): number | undefined {
  const [first = '', second = ''] = values.map((value) => value.trim());
  if (type === 'custom') {
    const [, sign, most] = /^=?LEN\(\$?[A-Z]{1,3}\$?\d+\)\s*(<=?)\s*(\d+)$/i.exec(first) ?? [];
    return limitOf(most ?? '', sign === '<');
  }
  if (type !== 'textLength') return undefined;
  if (operator === 'between') return limitOf(second, false);
  if (operator === 'lessThan') return limitOf(first, true);
  return operator === 'lessThanOrEqual' || operator === 'equal' ? limitOf(first, false) : undefined;
}

function limitOf(value: string, isBelow: boolean): number | undefined {
  const most = /^\d+(?:\.0*)?$/.test(value) ? Number(value) - (isBelow ? 1 : 0) : 0;
  return most > 0 ? most : undefined;
}
