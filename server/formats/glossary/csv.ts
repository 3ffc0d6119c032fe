import { CsvError, type CsvRow, formulaLike, readCsv } from '../csv/reader.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  type GlossaryFileEntry,
  GlossaryFileError,
  leadingColumns,
  type ReadingNote,
  type TableAssignment,
} from '../glossary-file.ts';
import {
  type ColumnIndexes,
  cellsOf,
  hasTerms,
  languagesOfHeader,
  parseLanguage,
  positional,
  readEntries,
  readHeader,
  requireNoLanguages,
  unusedColumns,
  withLanguages,
} from './columns.ts';
import {
  atColumn,
  columnsOfTable,
  type UsedColumns,
  whatHeadersAre,
  withoutStates,
  withTable,
  withUnknownNames,
} from './table-columns.ts';

/**
 * Reads a CSV glossary. One invalid row makes the whole file invalid.
 *
 * @param declared the languages after which the columns of the terms may be named
 * @param assigned the use of the columns, if the upload assigns them
 * @throws {GlossaryFileError} with the line of the first invalid row; without a line if no row is usable
 */
export function readGlossaryCsv(
  bytes: Uint8Array,
  declared: DeclaredLanguages = none,
  assigned?: TableAssignment,
): GlossaryFile {
  const rows = withoutTitle(readRows(bytes, declared), declared);
  const named = columnsOfTable(rows[0]?.cells ?? [], declared, 'csv', assigned, indexesWithoutHeader(rows));
  const status = named.indexes.get('status') ?? -1;
  const used = withoutStates(
    named,
    rows.slice(named.hasHeader ? 1 : 0).map(({ cells }) => cells[status] ?? ''),
    assigned,
  );
  try {
    return { ...readTerms(rows, used), unit: 'line', hasHeader: used.hasHeader, table: used.table };
  } catch (error) {
    try {
      if (!used.hasHeader && !assigned && rows[0])
        requireNoLanguages(rows[0].cells, `line ${rows[0].line}`, declared);
    } catch (names) {
      throw withTable(names, used.table);
    }
    throw withTable(error, used.table);
  }
}

/** The minimum number of third cells, none of which names a language, so that these are notes. */
const minNotes = 3;

/** Returns the columns of a table without a header: the third of three columns may have notes, as in OmegaT's files. */
function indexesWithoutHeader(rows: readonly CsvRow[]): ColumnIndexes {
  const thirds = rows.flatMap(({ cells }) => cells[2] || []);
  const isNote = (cell: string) => parseLanguage(cell) === undefined;
  if (thirds.length < minNotes || !thirds.every(isNote) || rows.some(({ cells }) => cells.length > 3))
    return positional;
  return new Map([...positional].slice(0, 2)).set('note', 2);
}

/** Returns the rows without a title: rows with one filled cell above a header. */
function withoutTitle(rows: CsvRow[], declared: DeclaredLanguages): CsvRow[] {
  const at = rows.findIndex(({ cells }) => cells.filter((cell) => cell !== '').length > 1);
  const isHeader = at > 0 && readHeader(rows[at]!.cells, languagesOfHeader(rows[at]!.cells, declared));
  return isHeader ? rows.slice(at) : rows;
}

function readTerms(rows: readonly CsvRow[], used: UsedColumns): Pick<GlossaryFile, 'entries' | 'notes'> {
  const { indexes, hasHeader, languages, table } = used;
  const entries: GlossaryFileEntry[] = [];
  const notes = (hasHeader ? unusedColumns(rows[0]!.cells, indexes) : []).map(
    (name): ReadingNote => ({ code: 'unused', line: null, name }),
  );
  for (const [index, row] of rows.entries()) {
    const { line } = row;
    rejectMultiline(row, used);
    if (hasHeader && index === 0) continue;
    const cells = cellsOf(row.cells.map(withoutApostrophe), indexes);
    if (!hasTerms(cells)) {
      notes.push({ code: 'skipped', line });
      continue;
    }
    if (hasHeader && row.cells.slice(table.columns.length).some((cell) => cell !== ''))
      notes.push({ code: 'extra_cells', line });
    entries.push(
      ...readEntries(cells, { line }, notes, (column, text) => {
        const message = atColumn(text, column, used);
        return index === 0
          ? withUnknownNames(GlossaryFileError.at(line, `${message}; ${whatHeadersAre}`), row.cells)
          : GlossaryFileError.at(line, message);
      }),
    );
    if (
      row.trimmed.some(
        (place) => place === indexes.get('source_term') || place === indexes.get('target_term'),
      )
    )
      notes.push({ code: 'trimmed', line });
  }
  if (entries.length === 0) throw new GlossaryFileError(noUsableRow);
  return { entries: withLanguages(entries, languages), notes };
}

/** Removes the apostrophe that an export writes before a cell that could be a formula. */
const withoutApostrophe = (cell: string): string =>
  cell.startsWith("'") && formulaLike.test(cell) ? cell.slice(1) : cell;

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
 * into one cell. Definitions and notes may have several lines.
 */
function rejectMultiline({ line, multiline }: CsvRow, used: UsedColumns): void {
  const column = leadingColumns.find((name) => multiline.includes(used.indexes.get(name) ?? -1));
  if (column !== undefined)
    throw GlossaryFileError.at(line, atColumn(`the ${column} cell spans several lines`, column, used));
}
