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
}

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
    this.#tables.push({ name, number, row: 1, column: 1, rows: 1, columns: 1, value: undefined });
  }

  close(): void {
    this.#tables.pop();
  }

  openRow(tag: XmlStartTag): void {
    const table = this.current;
    if (table) Object.assign(table, { column: 1, rows: repeats(tag, 'number-rows-repeated') });
  }

  closeRow(): void {
    const table = this.current;
    if (table) table.row += table.rows;
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
