import type { SegmentKey } from '../document.ts';

/** The key of a paragraph, with its location in a readable form: `paragraph 3` or `table 1, row 2, cell 3`. */
export type KeyAndPlace = SegmentKey & { place: string };

/** A table around the current position in a story, with the position of the current cell. */
interface Table {
  id: number;
  row: number;
  column: number;
  /** The number of paragraphs so far in the current cell. */
  paragraph: number;
}

/** A part of a story whose paragraphs and tables have their own numbers, such as a footnote. */
interface Scope {
  keyPrefix: string;
  /** '' or, for example, `footnote 3, `. */
  place: string;
  tables: Table[];
  tableCount: number;
  paragraphCount: number;
}

/**
 * Numbers the paragraphs, tables and objects of a story in the order of the file. The numbers are parts of keys. Objects
 * of a kind are numbered within the object that contains them.
 */
export class Numbering {
  readonly #scopes: Scope[];
  /** The number of objects so far, by the names in their keys. */
  readonly #counts: Map<string, number>;

  constructor(keyPrefix: string, place = '', counts = new Map<string, number>()) {
    this.#scopes = [scope(keyPrefix, place)];
    this.#counts = counts;
  }

  /** Enters an object whose paragraphs have their own numbers. */
  enter(keyName: string, placeName: string): void {
    this.#scopes.push(this.#inner(keyName, placeName));
  }

  leave(): void {
    this.#scopes.pop();
  }

  /** Returns the numbering of the paragraphs of an object that is read separately. */
  inside(keyName: string, placeName: string): Numbering {
    const { keyPrefix, place } = this.#inner(keyName, placeName);
    return new Numbering(keyPrefix, place, this.#counts);
  }

  #inner(keyName: string, placeName: string): Scope {
    const { keyPrefix, place } = this.#scopes.at(-1)!;
    const id = `${keyPrefix}${keyName}`;
    const number = (this.#counts.get(id) ?? 0) + 1;
    this.#counts.set(id, number);
    return scope(`${id}${number}-`, `${place}${placeName} ${number}, `);
  }

  /** Returns a numbering that gives the same keys again. */
  again(): Numbering {
    const { keyPrefix, place } = this.#scopes[0]!;
    return new Numbering(keyPrefix, place);
  }

  get isInTable(): boolean {
    return this.#scopes.some(({ tables }) => tables.length > 0);
  }

  openTable(): void {
    const { tables } = this.#current;
    tables.push({ id: ++this.#current.tableCount, row: 0, column: 0, paragraph: 0 });
  }

  closeTable(): void {
    this.#current.tables.pop();
  }

  openRow(): void {
    const table = this.#current.tables.at(-1);
    if (table) Object.assign(table, { row: table.row + 1, column: 0 });
  }

  openCell(): void {
    const table = this.#current.tables.at(-1);
    if (table) Object.assign(table, { column: table.column + 1, paragraph: 0 });
  }

  openParagraph(): void {
    const table = this.#current.tables.at(-1);
    if (table) table.paragraph++;
    else this.#current.paragraphCount++;
  }

  /** Returns the key and the place of the current paragraph. */
  keyAndPlace(): KeyAndPlace {
    const { keyPrefix, place, tables, paragraphCount } = this.#current;
    const table = tables.at(-1);
    if (!table) {
      const number = paragraphCount;
      return { regionId: `${keyPrefix}p${number}`, cellId: null, place: `${place}paragraph ${number}` };
    }
    const { id, row, column, paragraph } = table;
    const isFirst = paragraph === 1;
    return {
      regionId: `${keyPrefix}t${id}`,
      cellId: `r${row}c${column}${isFirst ? '' : `p${paragraph}`}`,
      place: `${place}table ${id}, row ${row}, cell ${column}${isFirst ? '' : `, paragraph ${paragraph}`}`,
    };
  }

  get #current(): Scope {
    return this.#scopes.at(-1)!;
  }
}

function scope(keyPrefix: string, place: string): Scope {
  return { keyPrefix, place, tables: [], tableCount: 0, paragraphCount: 0 };
}
