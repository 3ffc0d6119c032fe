import type { Table, TableHeader } from './tables.ts';
import type { Sheet } from './workbook.ts';

/**
 * Returns the key of the name of a sheet, a table or a table's column. Names with the same key are equal for Excel,
 * which ignores letter case.
 */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Makes names unique, by means of numbers at their ends. */
class UniqueNames {
  readonly #limit: number;
  readonly #numbered: (number: number) => string;
  readonly #taken = new Set<string>();
  /** For each name, the last number at its end. */
  readonly #numbers = new Map<string, number>();

  /**
   * @param limit the maximum length of a name, in UTF-16 units
   * @param numbered returns the end of a name for a number from 2
   */
  constructor(limit: number, numbered: (number: number) => string) {
    this.#limit = limit;
    this.#numbered = numbered;
  }

  /** Records a name that does not change. */
  reserve(name: string): void {
    this.#taken.add(nameKey(name));
  }

  /** Returns the name, shortened to the limit, or with the next free number at its end. */
  take(name: string): string {
    const base = shorten(name, this.#limit);
    let free = base;
    let number = this.#numbers.get(nameKey(base)) ?? 1;
    while (this.#taken.has(nameKey(free))) {
      const end = this.#numbered(++number);
      free = shorten(base, this.#limit - end.length) + end;
    }
    this.#numbers.set(nameKey(base), number);
    this.#taken.add(nameKey(free));
    return free;
  }
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Shortens a text to a length in UTF-16 units: after a word if most of the text remains, otherwise after a character. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  let wordEnd = 0;
  for (const { index, segment } of graphemes.segment(text.slice(0, limit + 1))) {
    if (index > 0 && segment.trim() === '') wordEnd = index;
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, wordEnd > limit / 2 ? wordEnd : end).trimEnd();
}

/** The new names of sheets and of tables' columns, by their old names. */
export class NewNames {
  readonly #sheets = new Map<string, string>();
  readonly #tables = new Map<string, Map<string, string>>();

  /** Whether no name changes. */
  get isEmpty(): boolean {
    return this.#tables.size === 0 && !this.renamesSheets;
  }

  get renamesColumns(): boolean {
    return this.#tables.size > 0;
  }

  renamesSheets = false;

  /** Records a sheet. Its new name may be equal to its old one. */
  addSheet(old: string, next: string): void {
    this.#sheets.set(nameKey(old), next);
    this.renamesSheets ||= old !== next;
  }

  addColumn(table: string, old: string, next: string): void {
    const columns = this.#tables.get(nameKey(table)) ?? new Map<string, string>();
    this.#tables.set(nameKey(table), columns);
    columns.set(nameKey(old), next);
  }

  /** Returns the new name of a sheet; undefined if the workbook has no such sheet. */
  sheet(old: string): string | undefined {
    return this.#sheets.get(nameKey(old));
  }

  /** Returns the new name of a table's column; undefined if it does not change. */
  column(table: string, old: string): string | undefined {
    return this.#tables.get(nameKey(table))?.get(nameKey(old));
  }
}

/** The maximum lengths of names in Excel, in UTF-16 units. */
export const sheetNameLimit = 31;
export const columnNameLimit = 255;

/** Characters that the name of a sheet cannot contain. Some versions of Excel also reject their wide forms. */
const replacements: Readonly<Record<string, string>> = { ':': '-', '/': '-', '\\': '-', '[': '(', ']': ')' };

/**
 * Returns new names of sheets that Excel accepts, each different from all others.
 *
 * @param wanted the translations of the names; a sheet without one keeps its name
 */
export function newSheetNames(
  sheets: readonly Sheet[],
  wanted: ReadonlyMap<Sheet, string>,
): Map<Sheet, string> {
  const unique = new UniqueNames(sheetNameLimit, (number) => ` (${number})`);
  // Excel reserves this name for the history of changes.
  unique.reserve('History');
  const allowed = new Map<Sheet, string>();
  for (const [sheet, name] of wanted) {
    const text = allowedSheetName(name);
    if (text !== '' && name !== sheet.name) allowed.set(sheet, text);
  }
  for (const sheet of sheets) if (!allowed.has(sheet)) unique.reserve(sheet.name);
  return new Map(sheets.map((sheet) => [sheet, newName(sheet, allowed, unique)]));
}

function newName(sheet: Sheet, allowed: ReadonlyMap<Sheet, string>, unique: UniqueNames): string {
  const text = allowed.get(sheet);
  return text === undefined ? sheet.name : unique.take(text);
}

/** Returns a name without the characters that Excel does not accept; '' if nothing remains. */
function allowedSheetName(name: string): string {
  return (
    name
      .replace(/[:/\\[\]：／＼￥［］]/g, (character) => replacements[character.normalize('NFKC')] ?? '-')
      .replace(/[?*？＊]/g, '')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern is used to replace these characters
      .replace(/[\s\x00-\x1f\ufffe\uffff]+/g, ' ')
      .replace(/^[\s']+|[\s']+$/g, '')
      .toWellFormed()
  );
}

/** The translation of a header, which becomes the name of a column. */
export interface NewHeader extends TableHeader {
  old: string;
  /** The text of the header. `decideHeaders` changes it such that the names of a table differ. */
  text: string;
}

/** Shortens the new headers of tables, and makes them different from the other names of their tables. */
export function decideHeaders(headers: readonly NewHeader[]): void {
  for (const [table, own] of Map.groupBy(headers, ({ table }) => table)) {
    const isChanged = ({ old, text }: NewHeader) => text !== old && text.trim() !== '';
    const names = uniqueColumns(table, new Set(own.filter(isChanged).map(({ column }) => column)));
    for (const header of own) header.text = isChanged(header) ? names.take(header.text) : header.old;
  }
}

function uniqueColumns({ columns }: Table, changed: ReadonlySet<number>): UniqueNames {
  const names = new UniqueNames(columnNameLimit, String);
  for (const [column, name] of columns.entries()) if (!changed.has(column)) names.reserve(name);
  return names;
}
