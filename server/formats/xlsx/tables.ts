import type { Finding } from '../document.ts';
import { FileError, limits, overLimit } from '../file-error.ts';
import type { OfficePackage } from '../office/package.ts';
import { type CellPosition, lastRow, readRange, writeReference } from './cell-reference.ts';
import { decodeCellText } from './cell-text.ts';
import { readXmlPart } from './part-stream.ts';
import { isSpreadsheet, requireRoot } from './workbook.ts';

/** An Excel Table. Formulas refer to the table's columns by the texts of their headers. */
export interface Table {
  name: string;
  /** The number of the table's header cells with text. */
  headers: number;
}

interface HeaderRow {
  left: number;
  right: number;
  table: Table;
}

/**
 * The label of a column in the totals row of a table. The table's part repeats the text of the cell. If the two texts
 * differ, Excel repairs the file.
 */
export interface TotalsLabel {
  /** The path of the table's part. */
  path: string;
  /** The index of the column in the table, from 0. */
  column: number;
  text: string;
}

/** The tables of one sheet. */
export class SheetTables {
  readonly tables: Table[] = [];
  readonly #headerRows = new Map<number, HeaderRow[]>();
  readonly #totalsLabels = new Map<string, TotalsLabel>();
  #rows = 0;
  #headers = 0;
  #labelLength = 0;

  /**
   * Reads the tables of a sheet.
   *
   * @throws {FileError} `unreadable`
   */
  static async read(office: OfficePackage, sheetPath: string): Promise<SheetTables> {
    const tables = new SheetTables();
    for (const { type, target } of await office.relationships(sheetPath))
      if (type === 'table' && target !== undefined) await tables.#add(office, target);
    return tables;
  }

  async #add(office: OfficePackage, path: string): Promise<void> {
    let depth = 0;
    /** The position of the first cell of the totals row; undefined if the table has none. */
    let totals: CellPosition | undefined;
    let column = -1;
    await readXmlPart(office, path, {
      openTag: (tag) => {
        if (++depth > 1) {
          if (depth !== 3 || tag.local !== 'tableColumn' || !isSpreadsheet(tag)) return;
          column++;
          const label = tag.attributes['totalsRowLabel'];
          if (totals && label !== undefined) this.#addTotalsLabel(path, totals, column, label);
          return;
        }
        requireRoot(tag, 'table');
        const { displayName, name, ref = '', headerRowCount = '1', totalsRowCount = '0' } = tag.attributes;
        const { top, bottom, left, right } = readRange(ref);
        const table = { name: displayName ?? name ?? '', headers: 0 };
        this.tables.push(table);
        if (Number.parseInt(totalsRowCount, 10) > 0) totals = { row: bottom, column: left };
        // The count can have any value, although Excel writes only 0 or 1.
        const last = Math.min(bottom, top + Number.parseInt(headerRowCount, 10) - 1);
        for (let row = top; row <= last; row++) {
          if (++this.#rows > lastRow) throw new FileError('unreadable', 'the tables of a sheet overlap');
          const inRow = this.#headerRows.get(row);
          if (inRow) inRow.push({ left, right, table });
          else this.#headerRows.set(row, [{ left, right, table }]);
        }
      },
      closeTag: () => {
        depth--;
      },
      text: () => {},
    });
  }

  #addTotalsLabel(path: string, { row, column: left }: CellPosition, column: number, label: string): void {
    this.#labelLength += label.length;
    if (this.#labelLength > limits.textChars)
      throw overLimit('the length of the labels in the totals rows of tables', limits.textChars);
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
      .map(({ name, headers }) => ({
        severity: 'info',
        code: 'table_header_kept',
        message: `${headers === 1 ? 'the column header' : `${headers} column headers`} of the table ${name} are not translated, because formulas refer to the columns by their headers`,
        unitId: name,
      }));
  }

  /** Returns the table for which this cell is a header; undefined if missing. */
  withHeader(row: number, column: number): Table | undefined {
    return this.#headerRows.get(row)?.find(({ left, right }) => left <= column && column <= right)?.table;
  }
}
