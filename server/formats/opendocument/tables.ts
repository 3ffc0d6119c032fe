import type { Item } from '../markup/inline-runs.ts';
import { attributeOf, type TextAttribute, textAttribute, type XmlStartTag } from '../office/xml-reader.ts';
import { writeReference } from '../xlsx/cell-reference.ts';
import { type CellRoom, usualLook } from './text-block.ts';
import type { Styles } from './text-styles.ts';

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
  /** Adjacent columns up to a number, with the names of their style and of that of their cells. */
  ranges: { last: number; style: string; cellStyle: string }[];
  /** The room in the current and in the previous cell, if it is known and their texts do not adapt. */
  room: CellRoom | undefined;
  previous: CellRoom | undefined;
}

/** The maximum number of matrix formulas that are known at the same time. */
const maxMatrices = 1_000;

/** The tables around the current element. */
export class OpenTables {
  readonly #tables: Table[] = [];
  readonly #styles: Styles;
  #count = 0;

  constructor(styles: Styles) {
    this.#styles = styles;
  }

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
      ...{ name, number, row: 1, column: 1, rows: 1, columns: 1 },
      ...{ value: undefined, matrices: [], ranges: [], room: undefined, previous: undefined },
    });
  }

  close(): void {
    this.#tables.pop();
  }

  addColumn(tag: XmlStartTag): void {
    this.current?.ranges.push({
      last: (this.current.ranges.at(-1)?.last ?? 0) + repeats(tag, 'number-columns-repeated'),
      style: attributeOf(tag, 'style-name') ?? '',
      cellStyle: attributeOf(tag, 'default-cell-style-name') ?? '',
    });
  }

  openRow(tag: XmlStartTag): void {
    const table = this.current;
    if (!table) return;
    Object.assign(table, {
      column: 1,
      room: undefined,
      previous: undefined,
      rows: repeats(tag, 'number-rows-repeated'),
    });
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
    if (!table) return;
    const isFilled = attributeOf(tag, 'value-type') !== undefined;
    if (table.previous && isFilled) table.previous.isTight = true;
    Object.assign(table, {
      columns: repeats(tag, 'number-columns-repeated'),
      value,
      room: this.#roomIn(table, tag),
    });
  }

  #roomIn({ ranges, column }: Table, tag: XmlStartTag): CellRoom | undefined {
    let [low, high] = [0, ranges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]!.last < column) low = middle + 1;
      else high = middle;
    }
    const range = ranges[low];
    const width = this.#styles.columnWidths.get(range?.style ?? '');
    const own = attributeOf(tag, 'style-name') ?? range?.cellStyle ?? '';
    const { size, adapts } = this.#styles.ofCells.get(own) ?? this.#styles.ofCells.get('') ?? usualLook;
    const spans = repeats(tag, 'number-columns-spanned') > 1;
    return width === undefined || adapts || spans ? undefined : { width, size, isTight: false };
  }

  closeCell(): void {
    const table = this.current;
    if (!table) return;
    table.column += table.columns;
    table.value = undefined;
    table.previous = table.room;
  }
}

/** Returns the value of an attribute that is a number of repetitions; 1 if it is missing or no such number. */
export function repeats(tag: XmlStartTag, name: string): number {
  const count = Number(attributeOf(tag, name) ?? 1);
  return Number.isSafeInteger(count) && count > 0 ? count : 1;
}

/** The value of a cell in an attribute. A program shows it instead of the cell's paragraphs, which repeat it. */
export interface CellValue extends TextAttribute {
  /** The number of open elements around the cell's paragraphs. */
  depth: number;
  /** Why the text stays. */
  kept: string | undefined;
  /** The text of the cell's paragraphs, without white space, and their range. */
  shown: string;
  first: number;
  last: number;
}

/**
 * Returns the text in the attribute `office:string-value` of a cell; undefined if no program shows it.
 *
 * @param type the type of the cell's value. Only spreadsheets show the attribute of a cell without a type
 */
export function cellValue(
  source: string,
  tag: XmlStartTag,
  cell: { type: string | undefined; isSheet: boolean; depth: number; kept: string | undefined },
): CellValue | undefined {
  if (cell.type !== 'string' && (cell.type !== undefined || !cell.isSheet)) return undefined;
  const attribute = textAttribute(source, tag, 'string-value');
  return attribute && { ...attribute, ...cell, shown: '', first: -1, last: -1 };
}

export function addParagraph(value: CellValue, items: readonly Item[], start: number, end: number): void {
  if (value.first < 0) value.first = start;
  value.last = end;
  value.shown += withoutSpace(items.map(({ text = '' }) => text).join(''));
}

/**
 * Whether the paragraphs have the text of the attribute. They have another one if the cell has a format that adds words
 * to its text.
 */
export function isRepeated({ text, shown }: CellValue): boolean {
  return withoutSpace(text) === shown;
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}
