import { UniqueNames } from './names.ts';
import type { Table, TableHeader } from './tables.ts';
import type { Sheet } from './workbook.ts';

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
