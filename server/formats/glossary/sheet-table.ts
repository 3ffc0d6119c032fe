import { clip } from '../text.ts';
import { decodeCellText } from '../xlsx/cell-text.ts';
import { readXmlPart } from '../xlsx/part-stream.ts';
import { SharedStrings } from '../xlsx/shared-strings.ts';
import { type Cell, SheetReader } from '../xlsx/sheet-reader.ts';
import { isSpreadsheet, openWorkbook, type Sheet, type Workbook } from '../xlsx/workbook.ts';

/** The built-in number formats that show a date or a time (ECMA-376, part 1, 18.8.30, with those of East Asia). */
const builtIn = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/**
 * Returns whether a cell style shows numbers as dates or times.
 *
 * @throws {FileError} `unreadable` or `too_large`
 */
async function readDateStyles({ office, path }: Workbook): Promise<(style: number) => boolean> {
  const part = (await office.relationships(path)).find(({ type }) => type === 'styles')?.target;
  if (part === undefined) return () => false;
  const custom = new Map<number, boolean>();
  const formats: number[] = [];
  const open: string[] = [];
  await readXmlPart(office, part, {
    openTag: (tag) => {
      open.push(isSpreadsheet(tag) ? tag.local : '');
      const id = Number(tag.attributes['numFmtId'] ?? 0);
      const place = open.slice(1).join('/');
      if (place === 'numFmts/numFmt') custom.set(id, showsDate(tag.attributes['formatCode'] ?? ''));
      else if (place === 'cellXfs/xf') formats.push(id);
    },
    closeTag: () => {
      open.pop();
    },
  });
  return (style) => {
    const id = formats[style] ?? 0;
    return custom.get(id) ?? builtIn(id);
  };
}

/** Whether a format code has a letter for a part of a date or time, other than in quotes, brackets or after an escape. */
function showsDate(code: string): boolean {
  return /[dmyhs]/i.test(code.replace(/"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]|general/gi, ''));
}

/** The content of a cell, and how it is stored. Only texts are read unchanged. */
export interface TableCell {
  text: string;
  /** `error`: a formula without a result, or an error; its text is ''. */
  kind: 'text' | 'number' | 'date' | 'error';
}

/** A row of a sheet that has a cell with content. */
export interface SheetRow {
  /** The number of the row, from 1. */
  row: number;
  isHidden: boolean;
  /** The cells with content by column, from 1. */
  cells: Map<number, TableCell>;
}

/** A workbook whose cells are read as a table. */
export interface TableWorkbook {
  sheets: Sheet[];
  /**
   * Reads the rows of a sheet that have content, without hidden columns.
   *
   * @param onRow is called with each row in order, and returns whether to continue
   * @returns the merged cells below each other and the hidden columns, for the rows that were read
   * @throws {FileError} `protected`, `too_large` or `unreadable`
   */
  readRows(sheet: Sheet, onRow: (row: SheetRow) => boolean): Promise<SheetEnd>;
}

export interface SheetEnd {
  /** The merged cells that span several rows, in the order of their rows. */
  merged: { column: number; top: number; bottom: number }[];
  /** The hidden columns that have content. */
  hiddenColumns: ReadonlySet<number>;
}

/**
 * The maximum length of a text that is kept, in bytes of UTF-8 or in UTF-16 units. It is far more than a term may have,
 * and it bounds the memory and the time if many cells refer to one long text.
 */
const maxTextBytes = 5000;

/** Ends the reading of a sheet. */
class Enough extends Error {}

/** @throws {FileError} `protected`, `too_large` or `unreadable` */
export async function openTable(bytes: Uint8Array): Promise<TableWorkbook> {
  const workbook = await openWorkbook(bytes);
  const strings = await SharedStrings.read(workbook.office, workbook.sharedStrings, () => true);
  const isDate = await readDateStyles(workbook);
  return {
    sheets: workbook.sheets.filter(({ type }) => type === 'worksheet'),
    readRows: (sheet, onRow) => readRows(workbook, sheet, (cell) => contentOf(cell, strings, isDate), onRow),
  };
}

async function readRows(
  { office }: Workbook,
  { path }: Sheet,
  contentOf: (cell: Cell) => TableCell | undefined,
  onRow: (row: SheetRow) => boolean,
): Promise<SheetEnd> {
  const hiddenColumns = new Set<number>();
  let current: SheetRow | undefined;
  const endRow = (): void => {
    const ended = current;
    current = undefined;
    if (ended && !onRow(ended)) throw new Enough();
  };
  const reader = new SheetReader((cell) => {
    if (current && current.row !== cell.row) endRow();
    const content = contentOf(cell);
    if (!content) return;
    const isHidden = cell.rowHeight === 0;
    if (!isHidden && cell.columns.widthOf(cell.column) === 0) {
      hiddenColumns.add(cell.column);
      return;
    }
    current ??= { row: cell.row, isHidden, cells: new Map() };
    current.cells.set(cell.column, content);
  });
  try {
    await readXmlPart(office, path, reader);
    endRow();
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
  }
  const merged = [...reader.summary.merged.values()]
    .map(({ left: column, top, bottom }) => ({ column, top, bottom }))
    .filter(({ top, bottom }) => bottom > top)
    .sort((one, other) => one.top - other.top);
  return { merged, hiddenColumns };
}

/** Returns the content of a cell; undefined if the cell is blank. The content of a formula is its stored result. */
function contentOf(
  cell: Cell,
  strings: SharedStrings,
  isDate: (style: number) => boolean,
): TableCell | undefined {
  const { type, value, hasFormula } = cell;
  if (type === 'e' || (hasFormula && value === '')) return { text: '', kind: 'error' };
  if (type === 's') {
    const index = strings.readIndex(value);
    return index === undefined ? undefined : textCell(strings.textOf(index, maxTextBytes));
  }
  if (type === 'inlineStr') return textCell(cell.inlineText);
  if (type === 'str') return textCell(decodeCellText(value));
  const written = value.trim();
  if (written === '') return undefined;
  if (type === 'b') return { text: written === '1' || written === 'true' ? 'TRUE' : 'FALSE', kind: 'text' };
  if (type === 'd' || isDate(cell.style)) return { text: clip(written, 100), kind: 'date' };
  const number = Number(written);
  return Number.isFinite(number) ? { text: String(number), kind: 'number' } : undefined;
}

function textCell(text: string): TableCell | undefined {
  return /\S/.test(text) ? { text: clip(text, maxTextBytes), kind: 'text' } : undefined;
}
