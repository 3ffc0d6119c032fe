import { CsvError, type CsvRow, readCsv } from '../csv/reader.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  type GlossaryFileEntry,
  GlossaryFileError,
  type ReadingNote,
} from '../glossary-file.ts';
import {
  type ColumnIndexes,
  cellsOf,
  columns,
  languagesOfHeader,
  positional,
  readEntry,
  readHeader,
  unusedColumns,
  withLanguages,
} from './columns.ts';

/**
 * Reads a CSV glossary. One invalid row makes the whole file invalid.
 *
 * @param declared the languages after which the columns of the terms may be named
 * @throws {GlossaryFileError} with the line of the first invalid row; without a line if no row is usable
 */
export function readGlossaryCsv(bytes: Uint8Array, declared: DeclaredLanguages = none): GlossaryFile {
  const rows = readRows(bytes, declared);
  const names = rows[0]?.cells ?? [];
  const header = readHeader(names, declared);
  const indexes = header ?? positional;
  const entries: GlossaryFileEntry[] = [];
  const notes = (header ? unusedColumns(rows[0]!.cells, header) : []).map(
    (name): ReadingNote => ({ code: 'unused', line: null, name }),
  );
  for (const [index, row] of rows.entries()) {
    const { line } = row;
    rejectMultiline(row, indexes);
    if (header && index === 0) continue;
    const cells = cellsOf(row.cells, indexes);
    if (cells.source_term === '' || cells.target_term === '') {
      notes.push({ code: 'skipped', line });
      continue;
    }
    entries.push(
      readEntry(cells, { line }, (_, message) =>
        GlossaryFileError.at(line, index === 0 ? `${message}; ${whatHeadersAre}` : message),
      ),
    );
    if (
      row.trimmed.some(
        (place) => place === indexes.get('source_term') || place === indexes.get('target_term'),
      )
    )
      notes.push({ code: 'trimmed', line });
  }
  if (entries.length === 0) throw new GlossaryFileError(noUsableRow);
  return {
    // The upload gives the declared languages to the terms.
    entries:
      header && !declared.source && !declared.target
        ? withLanguages(entries, languagesOfHeader(names, declared))
        : entries,
    unit: 'line',
    hasHeader: header !== undefined,
    notes,
  };
}

const whatHeadersAre =
  'if this is a header, it needs the columns source_term and target_term, or columns with the names or codes of both languages';

const none: DeclaredLanguages = { source: null, target: null };

export const noUsableRow = 'no row of the file has both a source term and a target term';

function readRows(bytes: Uint8Array, declared: DeclaredLanguages): CsvRow[] {
  try {
    return readCsv(bytes, (cells) => readHeader(cells, declared) !== undefined);
  } catch (error) {
    throw error instanceof CsvError ? GlossaryFileError.from(error) : error;
  }
}

/**
 * Rejects cells that span several lines. Such a cell usually results from an unclosed quote, which turns many lines
 * into one cell.
 */
function rejectMultiline({ line, multiline }: CsvRow, indexes: ColumnIndexes): void {
  const column = columns.find((name) => multiline.includes(indexes.get(name) ?? -1));
  if (column !== undefined) throw GlossaryFileError.at(line, `the ${column} cell spans several lines`);
}
