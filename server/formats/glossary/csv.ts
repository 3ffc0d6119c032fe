import { type LanguageCode, languageOfName, readLanguage } from '../../languages.ts';
import { CsvError } from '../csv/error.ts';
import type { CsvRow } from '../csv/rows.ts';
import { readCsv } from '../csv/read.ts';
import { type ColumnPlaces, columns, positional, readHeader } from './columns.ts';
import { type GlossaryFile, type GlossaryFileEntry, requireTermLength } from './entry.ts';
import { GlossaryFileError } from './error.ts';

/**
 * A CSV glossary (B 4.4 "CSV rules"), all or none.
 *
 * @throws {GlossaryFileError} naming the line of the first row that is wrong, or saying that no row can be used
 */
export function readGlossaryCsv(bytes: Uint8Array): GlossaryFile {
  const rows = readRows(bytes);
  const header = readHeader(rows[0]?.cells ?? []);
  const places = header ?? positional;
  const entries: GlossaryFileEntry[] = [];
  const skippedLines: number[] = [];
  for (const [index, row] of rows.entries()) {
    refuseMultiline(row, places);
    if (header && index === 0) continue;
    const entry = readEntry(row, places);
    if (entry) entries.push(entry);
    else skippedLines.push(row.line);
  }
  if (entries.length === 0)
    throw new GlossaryFileError('no row of the file has both a source term and a target term');
  return { entries, hasHeader: header !== undefined, skippedLines };
}

function readRows(bytes: Uint8Array): CsvRow[] {
  try {
    return readCsv(bytes, (cells) => readHeader(cells) !== undefined);
  } catch (error) {
    throw error instanceof CsvError ? GlossaryFileError.from(error) : error;
  }
}

/** A quote that was left open makes one cell of many lines: that would be a strange term. */
function refuseMultiline({ line, multiline }: CsvRow, places: ColumnPlaces): void {
  const column = columns.find((name) => multiline.includes(places.get(name) ?? -1));
  if (column !== undefined) throw GlossaryFileError.at(line, `the ${column} cell runs across lines`);
}

/** Undefined for a row that is skipped: one of its terms is blank. */
function readEntry({ line, cells }: CsvRow, places: ColumnPlaces): GlossaryFileEntry | undefined {
  const [sourceTerm, targetTerm, sourceLang, targetLang, caseSensitive, priority] = columns.map(
    (column) => cells[places.get(column) ?? -1] ?? '',
  ) as [string, string, string, string, string, string];
  if (sourceTerm === '' || targetTerm === '') return undefined;
  const entry: GlossaryFileEntry = {
    line,
    sourceTerm,
    targetTerm,
    sourceLang: readLanguageCell('source_lang', sourceLang, line),
    targetLang: readLanguageCell('target_lang', targetLang, line),
    caseSensitive: ['1', 'true', 'yes', 'on'].includes(caseSensitive.toLowerCase()),
    priority: readPriority(priority, line),
  };
  requireTermLength(entry);
  return entry;
}

function readLanguageCell(column: string, cell: string, line: number): LanguageCode | null {
  if (cell === '') return null;
  const language = readLanguage(cell) ?? languageOfName(cell);
  if (language) return language;
  throw GlossaryFileError.at(
    line,
    `${column} is no supported language; Chinese and Portuguese need their variant, such as zh-Hans or pt-BR`,
  );
}

function readPriority(cell: string, line: number): number {
  if (cell === '') return 0;
  const priority = /^[+-]?\d{1,20}$/.test(cell) ? Number(cell) : Number.NaN;
  // Not -0.
  if (priority === (priority | 0)) return priority | 0;
  throw GlossaryFileError.at(line, 'priority is not an integer of 32 bits');
}
