import { DamagedError, type ReadPart } from './archive-reader.ts';
import { type Header, type Manifest, nameOfTable, names, tableName } from './format.ts';

const newline = 10;
const tab = 9;

/**
 * Checks without a server that the rows of a backup are complete and readable: that each table has the number
 * of rows in the manifest, and that each row has as many fields as the table has columns.
 */
export class RowCheck {
  readonly #file: string;
  readonly #columns: Map<string, number>;
  readonly #rows = new Map<string, number>();
  #hasSequences = false;

  constructor(file: string, { tables }: Header) {
    this.#file = file;
    this.#columns = new Map(tables.map((table) => [tableName(table), Math.max(1, table.columns.length)]));
  }

  add({ name, content }: ReadPart): void {
    if (name === names.sequences) this.#hasSequences = true;
    const table = nameOfTable(name);
    if (table === undefined) return;
    const columns = this.#columns.get(table);
    if (columns === undefined) throw new DamagedError(this.#file, name, 'the header has no such table');
    let rows = 0;
    for (let from = 0; from < content.length; rows += 1) {
      const end = content.indexOf(newline, from);
      if (end < 0 || fieldsOf(content.subarray(from, end)) !== columns)
        throw new DamagedError(this.#file, name, `row ${rows + 1} does not have ${columns} fields`);
      from = end + 1;
    }
    this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows);
  }

  /** Call this after the last part. @throws DamagedError if rows are missing */
  compare({ rows }: Manifest): void {
    for (const table of this.#columns.keys()) {
      const found = this.#rows.get(table) ?? 0;
      if (found !== rows[table])
        throw new DamagedError(
          this.#file,
          `database/${table}`,
          `it has ${found} rows, but should have ${rows[table] ?? 0}`,
        );
    }
    if (!this.#hasSequences) throw new DamagedError(this.#file, names.sequences, 'it is missing');
  }
}

/** COPY writes a tab in a value as `\t`, so each tab separates two fields. */
function fieldsOf(row: Buffer): number {
  let fields = 1;
  for (let at = row.indexOf(tab); at >= 0; at = row.indexOf(tab, at + 1)) fields += 1;
  return fields;
}
