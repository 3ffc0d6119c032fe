import { FileError } from '../file-error.ts';
import { clip } from '../text.ts';
import type { Sheet } from './workbook.ts';

/** The maximum number of names of sheets in a message. */
const maxNames = 20;
/** The maximum length of a name in a message. Excel allows 31 characters. */
const maxLength = 40;

/**
 * Returns the worksheets of a workbook that are selected.
 *
 * @param names the names of sheets; undefined for all. Letter case is ignored, because Excel allows no two names that
 *   differ only in it
 * @throws {FileError} `selection` if a name belongs to no worksheet
 */
export function selectSheets(sheets: readonly Sheet[], names: readonly string[] | undefined): Sheet[] {
  const worksheets = sheets.filter(({ type }) => type === 'worksheet');
  if (!names) return worksheets;
  const byName = new Map(worksheets.map((sheet) => [keyOf(sheet.name), sheet]));
  const selected = new Set<Sheet>();
  for (const name of names) {
    const sheet = worksheets.find((one) => one.name === name) ?? byName.get(keyOf(name));
    if (!sheet) throw missing(name, worksheets);
    selected.add(sheet);
  }
  return worksheets.filter((sheet) => selected.has(sheet));
}

function keyOf(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

function missing(name: string, worksheets: readonly Sheet[]): FileError {
  const known = worksheets.slice(0, maxNames).map((sheet) => JSON.stringify(clip(sheet.name, maxLength)));
  const more = worksheets.length > maxNames ? ` and ${worksheets.length - maxNames} more` : '';
  const message = `pages: the workbook has no sheet ${JSON.stringify(clip(name, maxLength))}; its sheets: ${known.join(', ')}${more}`;
  const withComma = worksheets.find((sheet) => sheet.name.includes(','));
  const hint = withComma && `; send a name with a comma in a JSON list: ${JSON.stringify([withComma.name])}`;
  return new FileError('selection', `${message}${hint ?? ''}`);
}
