import type { Finding } from '../document.ts';
import { FileError, limits, overLimit } from '../file-error.ts';
import { ComparedTexts } from '../office/compared-texts.ts';
import type { OfficePackage } from '../office/package.ts';
import { type CellPosition, lastRow, readRange, writeReference } from './cell-reference.ts';
import { decodeCellText } from './cell-text.ts';
import { readXmlPart } from './part-stream.ts';
import { isFilter } from './sheet-reader.ts';
import { isSpreadsheet, requireRoot, type Workbook } from './workbook.ts';

/** An Excel Table. Formulas refer to the table's columns by the texts of their headers. */
export interface Table {
  name: string;
  /** The path of the table's part. */
  path: string;
  /** The number of the table's header cells with text that stay unchanged. */
  headers: number;
  /** The names of the columns. Empty if the request does not include the headers of tables. */
  columns: string[];
  /** Whether a query or a slicer finds the columns by their names. */
  isBound: boolean;
}

/** The header of a table's column. */
export interface TableHeader {
  table: Table;
  /** The index of the column in the table, from 0. */
  column: number;
}

interface HeaderRow {
  left: number;
  right: number;
  /** Whether the table has one header row, as every table that Excel writes. */
  isOnly: boolean;
  table: Table;
}

/** Selects tables whose headers are translated. */
export interface HeaderSelection {
  /** The ids of tables with a slicer. */
  sliced: ReadonlySet<string>;
}

/**
 * The label of a column in the totals row of a table. The table's part repeats the text of the cell. If the two texts
 * differ, Excel repairs the file.
 */
interface TotalsLabel {
  /** The path of the table's part. */
  path: string;
  /** The index of the column in the table, from 0. */
  column: number;
  text: string;
}

export class SheetTables {
  readonly tables: Table[] = [];
  /** The values of the filters. */
  readonly compared = new ComparedTexts();
  readonly #headerRows = new Map<number, HeaderRow[]>();
  readonly #totalsLabels = new Map<string, TotalsLabel>();
  readonly #selection: HeaderSelection | undefined;
  #rows = 0;
  #headers = 0;
  #textLength = 0;

  private constructor(selection: HeaderSelection | undefined) {
    this.#selection = selection;
  }

  /**
   * Reads the tables of a sheet.
   *
   * @param selection undefined if the headers of the tables stay unchanged
   * @throws {FileError} `unreadable`
   */
  static async read(
    office: OfficePackage,
    sheetPath: string,
    selection?: HeaderSelection,
  ): Promise<SheetTables> {
    const tables = new SheetTables(selection);
    for (const { type, target } of await office.relationships(sheetPath))
      if (type === 'table' && target !== undefined) await tables.#add(office, target);
    return tables;
  }

  async #add(office: OfficePackage, path: string): Promise<void> {
    let depth = 0;
    /** The position of the first cell of the totals row; undefined if the table has none. */
    let totals: CellPosition | undefined;
    let column = -1;
    const table: Table = { name: '', path, headers: 0, columns: [], isBound: false };
    await readXmlPart(office, path, {
      openTag: (tag) => {
        if (++depth > 1) {
          if (isFilter(tag)) this.compared.addValue(decodeCellText(tag.attributes['val'] ?? ''));
          if (depth !== 3 || tag.local !== 'tableColumn' || !isSpreadsheet(tag)) return;
          column++;
          if (this.#selection) this.#addColumn(table, tag.attributes['name'] ?? '');
          const label = tag.attributes['totalsRowLabel'];
          if (totals && label !== undefined) this.#addTotalsLabel(path, totals, column, label);
          return;
        }
        requireRoot(tag, 'table');
        const { displayName, name, id = '', tableType } = tag.attributes;
        const { ref = '', headerRowCount = '1', totalsRowCount = '0' } = tag.attributes;
        const { top, bottom, left, right } = readRange(ref);
        table.name = displayName ?? name ?? '';
        table.isBound = tableType === 'queryTable' || this.#selection?.sliced.has(id) === true;
        this.tables.push(table);
        if (Number.parseInt(totalsRowCount, 10) > 0) totals = { row: bottom, column: left };
        // The count can have any value, although Excel writes only 0 or 1.
        const rowCount = Number.parseInt(headerRowCount, 10);
        const last = Math.min(bottom, top + rowCount - 1);
        const header = { left, right, isOnly: rowCount === 1, table };
        for (let row = top; row <= last; row++) {
          if (++this.#rows > lastRow) throw new FileError('unreadable', 'the tables of a sheet overlap');
          const inRow = this.#headerRows.get(row);
          if (inRow) inRow.push(header);
          else this.#headerRows.set(row, [header]);
        }
      },
      closeTag: () => {
        depth--;
      },
    });
  }

  #addColumn({ columns }: Table, name: string): void {
    this.#count(name);
    columns.push(decodeCellText(name));
  }

  #count(text: string): void {
    this.#textLength += text.length;
    if (this.#textLength > limits.textChars)
      throw overLimit('the length of the names and labels of the columns of tables', limits.textChars);
  }

  #addTotalsLabel(path: string, { row, column: left }: CellPosition, column: number, label: string): void {
    this.#count(label);
    const text = decodeCellText(label);
    this.#totalsLabels.set(writeReference({ row, column: left + column }), { path, column, text });
  }

  /**
   * Returns the label that a table has for this cell; undefined if missing, or if it differs from the cell's
   * text.
   */
  totalsLabel(cell: CellPosition, text: string): TotalsLabel | undefined {
    if (this.#totalsLabels.size === 0) return undefined;
    const label = this.#totalsLabels.get(writeReference(cell));
    return label?.text === text ? label : undefined;
  }

  /** Counts a header cell with text. */
  countHeader(table: Table): void {
    table.headers++;
    if (++this.#headers > limits.allSegments)
      throw overLimit("the number of header cells of the workbook's tables", limits.allSegments);
  }

  findings(): Finding[] {
    return this.tables
      .filter(({ headers }) => headers > 0)
      .map((table) => ({
        severity: 'info',
        code: 'table_header_kept',
        message: `${table.headers === 1 ? `1 column header of the table ${table.name} is` : `${table.headers} column headers of the table ${table.name} are`} not translated, ${this.#whyKept(table)}`,
        unitId: table.name,
      }));
  }

  #whyKept({ isBound }: Table): string {
    if (!this.#selection)
      return 'because formulas refer to the columns by their headers; add `table_headers` to `include` to translate them';
    if (isBound) return 'because a query or a slicer finds the columns by their headers';
    return 'because the cells differ from the names of the columns';
  }

  /** Returns the table for which this cell is a header; undefined if missing. */
  withHeader(row: number, column: number): Table | undefined {
    return this.#headerRow(row, column)?.table;
  }

  /**
   * Returns the header in this cell if it is translated; undefined if it stays unchanged.
   *
   * @param text the text of the cell. Formulas refer to the name of the column, which must be equal
   */
  translatedHeader(row: number, column: number, text: string): TableHeader | undefined {
    const found = this.#headerRow(row, column);
    if (!found || !this.#selection || !found.isOnly || found.table.isBound) return undefined;
    const name = found.table.columns[column - found.left];
    const isEqual = name !== undefined && lineFeeds(name) === lineFeeds(text);
    return isEqual ? { table: found.table, column: column - found.left } : undefined;
  }

  #headerRow(row: number, column: number): HeaderRow | undefined {
    return this.#headerRows.get(row)?.find(({ left, right }) => left <= column && column <= right);
  }
}

function lineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

/** Returns the ids of the tables with a slicer. The caches of slicers name a table and the column that they filter. */
export async function slicedTables({ office, path }: Workbook): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for (const { type, target } of await office.relationships(path)) {
    if (type !== 'slicerCache' || target === undefined) continue;
    await readXmlPart(office, target, {
      openTag: ({ local, attributes: { tableId } }) => {
        if (local === 'tableSlicerCache' && tableId !== undefined) ids.add(tableId);
      },
    });
  }
  return ids;
}
