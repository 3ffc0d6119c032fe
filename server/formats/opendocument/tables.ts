import { attributeOf, type XmlStartTag } from '../office/xml-reader.ts';
import { writeReference } from '../xlsx/cell-reference.ts';
import type { CellValue } from './cell-values.ts';

/** A table around the current element, with the position of the current cell. */
export interface Table {
  /** The name of a sheet. */
  name: string;
  /** The number of the table in the part or on the slide. */
  number: number;
  row: number;
  column: number;
  /** The repetitions of the current row and cell. */
  rows: number;
  columns: number;
  /** The value of the current cell, if an attribute has it. */
  value: CellValue | undefined;
  /** The cells with the results of matrix formulas that may follow. Only the first one has the formula. */
  matrices: { column: number; right: number; bottom: number }[];
}

/** The maximum number of matrix formulas that are known at the same time. */
const maxMatrices = 1_000;

/** The tables around the current element. */
export class OpenTables {
  readonly #tables: Table[] = [];
  #count = 0;

  /** The outermost table, which is the sheet in a spreadsheet. */
  get outermost(): Table | undefined {
    return this.#tables[0];
  }

  get current(): Table | undefined {
    return this.#tables.at(-1);
  }

  get depth(): number {
    return this.#tables.length;
  }

  /** The reference of the current cell of the outermost table, such as `B4`. */
  get reference(): string {
    return writeReference(this.#tables[0]!);
  }

  /** Numbers the next tables from 1, because a slide begins. */
  restart(): void {
    this.#count = 0;
  }

  open(tag: XmlStartTag): void {
    const name = attributeOf(tag, 'name') ?? '';
    const number = ++this.#count;
    this.#tables.push({
      name,
      number,
      row: 1,
      column: 1,
      rows: 1,
      columns: 1,
      value: undefined,
      matrices: [],
    });
  }

  close(): void {
    this.#tables.pop();
  }

  openRow(tag: XmlStartTag): void {
    const table = this.current;
    if (!table) return;
    Object.assign(table, { column: 1, rows: repeats(tag, 'number-rows-repeated') });
    table.matrices = table.matrices.filter(({ bottom }) => bottom >= table.row);
  }

  closeRow(): void {
    const table = this.current;
    if (table) table.row += table.rows;
  }

  /** Whether a cell has a formula, or a result of the matrix formula in a cell before it. */
  isFormula(tag: XmlStartTag): boolean {
    const table = this.current;
    if (attributeOf(tag, 'formula') === undefined)
      return (
        table?.matrices.some(({ column, right }) => column <= table.column && table.column <= right) ?? false
      );
    const columns = repeats(tag, 'number-matrix-columns-spanned');
    const rows = repeats(tag, 'number-matrix-rows-spanned');
    if (table && columns * rows > 1 && table.matrices.length < maxMatrices) {
      const { column, row } = table;
      table.matrices.push({ column, right: column + columns - 1, bottom: row + rows - 1 });
    }
    return true;
  }

  openCell(tag: XmlStartTag, value: CellValue | undefined): void {
    const table = this.current;
    if (table) Object.assign(table, { columns: repeats(tag, 'number-columns-repeated'), value });
  }

  closeCell(): void {
    const table = this.current;
    if (!table) return;
    table.column += table.columns;
    table.value = undefined;
  }
}

/** Returns the value of an attribute that is a number of repetitions; 1 if it is missing or no such number. */
export function repeats(tag: XmlStartTag, name: string): number {
  const count = Number(attributeOf(tag, name) ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}
