import { FileError } from '../file-error.ts';
import {
  type DeclaredLanguages,
  type GlossaryFile,
  type GlossaryFileEntry,
  GlossaryFileError,
  type NoteCode,
  type ReadingNote,
  type TableAssignment,
} from '../glossary-file.ts';
import { withFileErrors } from '../office/package.ts';
import { isYes } from '../term-fields.ts';
import { writeReference } from '../xlsx/cell-reference.ts';
import type { Sheet } from '../xlsx/workbook.ts';
import {
  type Column,
  type ColumnCells,
  type ColumnIndexes,
  columns,
  maxRows,
  positional,
  readEntries,
  readHeader,
  requireNoLanguages,
  unusedColumns,
  withLanguages,
} from './columns.ts';
import { noUsableRow } from './csv.ts';
import {
  openTable,
  type SheetEnd,
  type SheetRow,
  type TableCell,
  type TableWorkbook,
} from './sheet-table.ts';
import {
  atColumn,
  columnsOfTable,
  type UsedColumns,
  whatHeadersAre,
  withoutStates,
  withTable,
  withUnknownNames,
} from './table-columns.ts';
import { oneLine } from './term-text.ts';

/**
 * Reads a glossary from a workbook: from the first sheet with a header or, if no sheet has one, from the first sheet with
 * content. The header is the first row with at least two filled cells; rows above it with one filled cell are titles.
 * Hidden sheets, rows and columns are left out. One invalid row makes the whole file invalid.
 *
 * @param declared the languages after which the columns of the terms may be named
 * @param assigned the use of the columns, if the upload assigns them
 * @throws {GlossaryFileError} with the first invalid cell
 * @throws {FileError} `protected`, `too_large` or `unreadable`
 */
export function readGlossaryXlsx(
  bytes: Uint8Array,
  declared: DeclaredLanguages,
  assigned?: TableAssignment,
): Promise<GlossaryFile> {
  return withFileErrors(() => readGlossary(bytes, declared, assigned));
}

async function readGlossary(
  bytes: Uint8Array,
  declared: DeclaredLanguages,
  assigned: TableAssignment | undefined,
): Promise<GlossaryFile> {
  const workbook = await openTable(bytes);
  const { sheet, others, start } = await chooseSheet(workbook, declared);
  if (!sheet || !start)
    throw new GlossaryFileError('no visible sheet of the workbook has a row with two filled cells');
  const names = namesOf(start);
  const named = columnsOfTable(names, declared, 'sheet', assigned, positionalFrom(start));
  const { hasHeader, languages } = named;
  let { table } = named;
  try {
    if (!hasHeader && !assigned) requireNoLanguages(names, `row ${start.row}`, declared);
    const rows = await readRows(workbook, sheet, named.indexes, hasHeader ? start.row : 0);
    const statuses = rows.filled.map(({ cells }) => cells.get('status')?.text.trim() ?? '');
    const used = withoutStates(named, statuses, assigned);
    ({ table } = used);
    if (!used.indexes.has('status')) for (const { cells } of rows.filled) cells.delete('status');
    const notes: ReadingNote[] = [
      ...others,
      ...(hasHeader ? unusedColumns(names, used.indexes) : []).map(
        (name): ReadingNote => ({ code: 'unused', line: null, name }),
      ),
      ...rows.notes,
    ];
    const first = hasHeader ? undefined : { row: start.row, names };
    const entries = rows.filled.flatMap((row) => entriesOf(row, notes, used, first));
    if (entries.length === 0) throw new GlossaryFileError(noUsableRow);
    return { entries: withLanguages(entries, languages), unit: 'row', hasHeader, table, notes };
  } catch (error) {
    throw withTable(error, table);
  }
}

/** Returns the texts of a row by column, from the first column of the sheet. */
function namesOf({ cells }: SheetRow): string[] {
  return Array.from(
    { length: Math.max(...cells.keys()) },
    (_, index) => cells.get(index + 1)?.text.trim() ?? '',
  );
}

/** Returns the columns of a sheet without a header. They begin at the first filled column of its first row. */
function positionalFrom({ cells }: SheetRow): ColumnIndexes {
  const first = Math.min(...cells.keys()) - 1;
  return new Map([...positional].map(([column, index]) => [column, first + index]));
}

/** Finds the sheet with the glossary, and its first row with at least two filled cells. */
async function chooseSheet(
  workbook: TableWorkbook,
  declared: DeclaredLanguages,
): Promise<{ sheet?: Sheet; start?: SheetRow; others: ReadingNote[] }> {
  const found: { sheet: Sheet; start: SheetRow | undefined }[] = [];
  const hidden: ReadingNote[] = [];
  for (const sheet of workbook.sheets) {
    if (sheet.isHidden) {
      hidden.push({ code: 'hidden_sheet', line: null, name: sheet.name });
      continue;
    }
    let isFilled = false;
    let start: SheetRow | undefined;
    await workbook.readRows(sheet, (row) => {
      isFilled = true;
      if (!row.isHidden && row.cells.size > 1) start = row;
      return start === undefined;
    });
    if (isFilled) found.push({ sheet, start });
  }
  const usable = found.filter(({ start }) => start);
  const chosen =
    usable.find(({ start }) => start && readHeader(namesOf(start), declared, 'sheet')) ?? usable[0];
  const others = found
    .filter((one) => one !== chosen)
    .map(({ sheet: { name } }): ReadingNote => ({ code: 'other_sheet', line: null, name }));
  return {
    ...(chosen?.start && { sheet: chosen.sheet, start: chosen.start }),
    others: [...hidden, ...others],
  };
}

/** A row with the cells of the columns that are used. */
interface FilledRow {
  row: number;
  cells: Map<Column, TableCell>;
  /** Returns the reference of the row's cell in a column; undefined if the sheet does not have the column. */
  placeOf: (column: Column) => string | undefined;
}

async function readRows(
  workbook: TableWorkbook,
  sheet: Sheet,
  indexes: ColumnIndexes,
  headerRow: number,
): Promise<{ filled: FilledRow[]; notes: ReadingNote[] }> {
  const rows: FilledRow[] = [];
  const notes: ReadingNote[] = [];
  let count = 0;
  const end = await workbook.readRows(sheet, ({ row, isHidden, cells }) => {
    if (row <= headerRow) return true;
    if (++count > maxRows)
      throw new FileError('too_large', `the sheet has more than ${maxRows.toLocaleString('en-US')} rows`);
    if (isHidden) notes.push({ code: 'hidden_row', line: row, place: `A${row}` });
    else
      rows.push({
        row,
        cells: new Map(
          [...indexes].flatMap(([column, index]) => {
            const cell = cells.get(index + 1);
            return cell ? [[column, cell]] : [];
          }),
        ),
        placeOf: (column) =>
          indexes.has(column) ? writeReference({ row, column: indexes.get(column)! + 1 }) : undefined,
      });
    return true;
  });
  for (const column of end.hiddenColumns)
    notes.push({ code: 'hidden_column', line: null, name: writeReference({ row: 1, column }).slice(0, -1) });
  fillMerged(rows, end, indexes, notes);
  return { filled: rows.filter(({ cells }) => cells.size > 0), notes };
}

/** Gives the value of cells that are merged below each other to each of their rows. */
function fillMerged(
  rows: readonly FilledRow[],
  { merged }: SheetEnd,
  indexes: ColumnIndexes,
  notes: ReadingNote[],
): void {
  for (const [column, index] of indexes) {
    const ranges = merged.filter((range) => range.column === index + 1);
    let next = 0;
    let value: TableCell | undefined;
    for (const { row, cells, placeOf } of rows) {
      // Excel does not allow ranges that overlap. Of those that do, the last one that begins counts.
      while (next < ranges.length && ranges[next]!.top <= row) {
        value = ranges[next]!.top === row ? cells.get(column) : undefined;
        next++;
      }
      const range = ranges[next - 1];
      if (
        !range ||
        !value ||
        row === range.top ||
        row > range.bottom ||
        cells.has(column) ||
        cells.size === 0
      )
        continue;
      cells.set(column, value);
      notes.push({ code: 'merged', line: row, place: placeOf(column) });
    }
  }
}

const termColumns = ['source_term', 'target_term'] as const;

/**
 * Returns the entry of a row, or adds a note with the reason why it is skipped.
 * @param first the first row, if it was not recognized as a header
 */
function entriesOf(
  { row: line, cells: written, placeOf }: FilledRow,
  notes: ReadingNote[],
  used: UsedColumns,
  first: { row: number; names: string[] } | undefined,
): GlossaryFileEntry[] {
  const place = placeOf('source_term');
  const skip = (code: NoteCode, column: Column): [] => {
    notes.push({ code, line, place: placeOf(column) });
    return [];
  };
  const ofKind = (kind: TableCell['kind']) =>
    termColumns.find((column) => written.get(column)?.kind === kind);
  const error = ofKind('error');
  if (error) return skip('cell_error', error);
  const isUntranslated = isYes(written.get('do_not_translate')?.text ?? '');
  const missing = termColumns.find(
    (column) => !written.has(column) && !(isUntranslated && column === 'target_term'),
  );
  if (missing) return skip('skipped', missing);
  const date = ofKind('date');
  if (date) return skip('date', date);
  const texts = new Map([...written].map(([column, { text }]) => [column, oneLine(text)]));
  const cells = Object.fromEntries(
    columns.map((column) => [column, texts.get(column)?.text ?? '']),
  ) as ColumnCells;
  const entries = readEntries(cells, { line, place }, notes, (column, message) => {
    const error = `cell ${placeOf(column)}: ${atColumn(message, column, used)}`;
    return first?.row === line
      ? withUnknownNames(new GlossaryFileError(`${error}; ${whatHeadersAre}`), first.names)
      : new GlossaryFileError(error);
  });
  for (const column of termColumns) {
    const code = texts.get(column)?.note;
    if (code) notes.push({ code, line, place: placeOf(column) });
  }
  const number = ofKind('number');
  if (number) notes.push({ code: 'number', line, place: placeOf(number) });
  return entries;
}
