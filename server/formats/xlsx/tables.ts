import type { Finding } from '../document.ts';
import { FileError, limits, overLimit } from '../file-error.ts';
import type { OfficePackage } from '../office/package.ts';
import { lastRow, readRange } from './cell-reference.ts';
import { readXmlPart } from './part-stream.ts';
import { requireRoot } from './workbook.ts';

/** An Excel Table. Formulas name its columns by their headers. */
export interface Table {
  name: string;
  /** Header cells with text that were found in its sheet. */
  headers: number;
}

interface HeaderRow {
  left: number;
  right: number;
  table: Table;
}

/** The tables of one sheet. */
export class SheetTables {
  readonly tables: Table[] = [];
  readonly #headerRows = new Map<number, HeaderRow[]>();
  #rows = 0;
  #headers = 0;

  /** @throws {FileError} `unreadable` */
  static async read(office: OfficePackage, sheetPath: string): Promise<SheetTables> {
    const tables = new SheetTables();
    for (const { type, target } of await office.relationships(sheetPath))
      if (type === 'table' && target !== undefined) await tables.#add(office, target);
    return tables;
  }

  async #add(office: OfficePackage, path: string): Promise<void> {
    let depth = 0;
    await readXmlPart(office, path, {
      openTag: (tag) => {
        if (++depth > 1) return;
        requireRoot(tag, 'table');
        const { displayName, name, ref = '', headerRowCount = '1' } = tag.attributes;
        const { top, bottom, left, right } = readRange(ref);
        const table = { name: displayName ?? name ?? '', headers: 0 };
        this.tables.push(table);
        // Excel writes 0 or 1.
        const last = Math.min(bottom, top + Number.parseInt(headerRowCount, 10) - 1);
        for (let row = top; row <= last; row++) {
          if (++this.#rows > lastRow) throw new FileError('unreadable', 'the tables of a sheet overlap');
          const inRow = this.#headerRows.get(row);
          if (inRow) inRow.push({ left, right, table });
          else this.#headerRows.set(row, [{ left, right, table }]);
        }
      },
      closeTag: () => {},
      text: () => {},
    });
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
        message: `the table ${name} keeps its ${headers === 1 ? 'column header' : `${headers} column headers`}, because formulas name columns by them`,
        unitId: name,
      }));
  }

  /** The table that has this cell among its headers. */
  withHeader(row: number, column: number): Table | undefined {
    return this.#headerRows.get(row)?.find(({ left, right }) => left <= column && column <= right)?.table;
  }
}
