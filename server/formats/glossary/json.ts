import {
  type DeclaredLanguages,
  type FilePosition,
  type GlossaryFile,
  type GlossaryFileEntry,
  GlossaryFileError,
  type ReadingNote,
} from '../glossary-file.ts';
import { JsonError, type JsonObject, type JsonValue, parseJson, quoted } from '../json/parser.ts';
import { type FieldName, fieldColumns } from '../term-fields.ts';
import { decodeText, TextEncodingError } from '../text.ts';
import {
  type Column,
  type ColumnCells,
  type ColumnIndexes,
  cellsOf,
  columns,
  hasTerms,
  maxRows,
  readEntries,
  readHeader,
} from './columns.ts';
import { oneLine } from './term-text.ts';

/** The names of the list in an object that contains one. */
const listNames = ['terms', 'entries', 'glossary'];

/**
 * Reads a JSON glossary, in one of these shapes:
 *
 * - a list of objects whose keys are the names of columns: `[{"source_term": "invoice", "target_term": "facture"}]`
 * - a list of objects whose keys are languages: `[{"en": "invoice", "fr": "facture"}]`
 * - an object with such a list: `{"terms": […]}`. `source_lang` and `target_lang` next to the list apply to its objects
 * - an object with the terms as keys: `{"invoice": "facture"}`
 *
 * One invalid value makes the whole file invalid.
 *
 * @throws {GlossaryFileError} with the line and the path of the invalid value, such as `terms[3].target_term`
 */
export function readGlossaryJson(bytes: Uint8Array, declared: DeclaredLanguages): GlossaryFile {
  const root = parse(bytes);
  const reader = new Reader(declared);
  if (Array.isArray(root.value)) reader.readList(root.value, '');
  else if (root.value instanceof Map) {
    const name = listNames.find((key) => Array.isArray((root.value as JsonObject).get(key)?.value));
    if (name === undefined) reader.readTerms(root.value);
    else reader.readList(root.value.get(name)!.value as JsonValue[], name, root.value);
  } else throw at(root, 'the JSON must be a list of objects, or an object');
  if (reader.entries.length === 0)
    throw new GlossaryFileError('no entry of the file has both a source term and a target term');
  return { entries: reader.entries, unit: 'line', hasHeader: true, notes: reader.notes };
}

function parse(bytes: Uint8Array): JsonValue {
  try {
    return parseJson(decodeText(bytes));
  } catch (error) {
    if (error instanceof JsonError) throw GlossaryFileError.from(error);
    throw error instanceof TextEncodingError ? new GlossaryFileError(error.message) : error;
  }
}

function at({ line }: { line: number }, message: string): GlossaryFileError {
  return GlossaryFileError.at(line, message);
}

class Reader {
  readonly entries: GlossaryFileEntry[] = [];
  readonly notes: ReadingNote[] = [];
  readonly #declared: DeclaredLanguages;
  /** The columns of objects, by their keys. Most files have one combination of keys. */
  readonly #columns = new Map<string, ColumnIndexes | undefined>();
  readonly #unused = new Set<string>();
  #items = 0;

  constructor(declared: DeclaredLanguages) {
    this.#declared = declared;
  }

  /** Reads an object whose keys are source terms and whose values are target terms. */
  readTerms(terms: JsonObject): void {
    for (const [key, member] of terms) {
      this.#requireRoom(member);
      if (typeof member.value !== 'string')
        throw at({ line: member.keyLine }, `the value of ${quoted(key)} must be a string`);
      const cells = { ...noCells, source_term: key, target_term: member.value };
      this.#add(cells, { line: member.keyLine, place: quoted(key) }, (_, message) =>
        at({ line: member.keyLine }, `${quoted(key)}: ${message}`),
      );
    }
  }

  /** Reads a list of objects. @param around the object that contains the list and may name languages */
  readList(list: readonly JsonValue[], name: string, around: JsonObject = new Map()): void {
    const defaults = Object.fromEntries(
      (['source_lang', 'target_lang'] as const).map((column) => [
        column,
        textOf(column, around.get(column), column),
      ]),
    );
    for (const key of around.keys()) if (key !== name && !Object.hasOwn(defaults, key)) this.#addUnused(key);
    for (const [index, item] of list.entries()) {
      this.#requireRoom(item);
      const place = `${name}[${index}]`;
      if (!(item.value instanceof Map)) throw at(item, `${place} must be an object`);
      const cells = this.#cellsOf(item.value, place, item);
      if (cells)
        this.#add(
          { ...cells, ...emptyOnly(cells, defaults) },
          { line: item.line, place },
          (column, message) =>
            at(item, `${place}: ${message.startsWith(column) ? '' : `${column}: `}${message}`),
        );
    }
  }

  /** Returns the values of an object by column; undefined if it has no source term or no target term. */
  #cellsOf(object: JsonObject, place: string, item: JsonValue): ColumnCells | undefined {
    const keys = [...object.keys()];
    const indexes = this.#columnsOf(keys);
    if (!indexes) {
      this.notes.push({ code: 'skipped', line: item.line, place });
      return undefined;
    }
    const used = new Map([...indexes].map(([column, key]) => [key, column]));
    const values = keys.map((key, index) => {
      const column = used.get(index);
      if (isField(column)) return this.#fieldOf(column, object.get(key)?.value, { line: item.line, place });
      if (column) return textOf(column, object.get(key), `${place}.${key}`);
      this.#addUnused(key);
      return '';
    });
    return cellsOf(values, indexes);
  }

  /** A field of another type is left out, because the keys of a file may have another meaning. */
  #fieldOf(
    name: FieldName | 'forbidden_term',
    value: JsonValue['value'] = null,
    position: FilePosition,
  ): string {
    if (value === null || typeof value === 'string') return value ?? '';
    if (typeof value === 'boolean') return String(value);
    this.notes.push({ code: 'field', ...position, name });
    return '';
  }

  #columnsOf(keys: string[]): ColumnIndexes | undefined {
    const signature = JSON.stringify(keys);
    if (this.#columns.has(signature)) return this.#columns.get(signature);
    const indexes = readHeader(keys, this.#declared, 'keys');
    if (this.#columns.size < 1000) this.#columns.set(signature, indexes);
    return indexes;
  }

  #add(
    written: ColumnCells,
    position: { line: number; place: string },
    invalid: (column: Column, message: string) => Error,
  ): void {
    const cells = { ...written };
    const notes = new Set<'trimmed' | 'line_break'>();
    for (const column of ['source_term', 'target_term'] as const) {
      if (!written[column].isWellFormed() || written[column].includes('\0'))
        throw invalid(column, `${column} has a character that cannot be stored`);
      const { text, note } = oneLine(written[column]);
      cells[column] = text;
      if (note) notes.add(note);
    }
    if (!hasTerms(cells)) {
      this.notes.push({ code: 'skipped', ...position });
      return;
    }
    this.entries.push(...readEntries(cells, position, this.notes, invalid));
    for (const code of notes) this.notes.push({ code, ...position });
  }

  #addUnused(key: string): void {
    if (this.#unused.size >= 1000 || this.#unused.has(key)) return;
    this.#unused.add(key);
    this.notes.push({ code: 'unused', line: null, name: key });
  }

  #requireRoom(value: JsonValue): void {
    if (++this.#items > maxRows)
      throw at(value, `the file has more than ${maxRows.toLocaleString('en-US')} entries`);
  }
}

const isField = (column: Column | undefined): column is FieldName | 'forbidden_term' =>
  column === 'forbidden_term' || (fieldColumns as readonly (string | undefined)[]).includes(column);

const noCells = Object.fromEntries(columns.map((column) => [column, ''])) as ColumnCells;

/** Returns the default languages for the columns of `cells` that are empty. */
function emptyOnly(cells: ColumnCells, defaults: Partial<ColumnCells>): Partial<ColumnCells> {
  return Object.fromEntries(Object.entries(defaults).filter(([column]) => cells[column as Column] === ''));
}

/**
 * Returns a JSON value as the text of a cell. `null` and a missing value are ''.
 *
 * @throws {GlossaryFileError} if the value has the wrong type for the column
 */
function textOf(column: Column, value: JsonValue | undefined, path: string): string {
  const given = value?.value ?? '';
  if (typeof given === 'string')
    return column === 'source_term' || column === 'target_term' ? given : given.trim();
  if (column === 'priority' && typeof given === 'number') return String(given);
  if (column === 'case_sensitive' && typeof given === 'boolean') return String(given);
  const expected = { priority: 'an integer', case_sensitive: 'true or false' } as Partial<
    Record<Column, string>
  >;
  throw at(value!, `${clipped(path)} must be ${expected[column] ?? 'a string'}`);
}

function clipped(path: string): string {
  return path.length > 100 ? `${path.slice(0, 100).replace(/[\ud800-\udbff]$/, '')}…` : path;
}
