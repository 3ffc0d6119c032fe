import { readRange } from './cell-reference.ts';
import { decodeCellText, hasLetter } from './cell-text.ts';
import { FormulaResults } from './formula-results.ts';
import { type PartEditor, readXmlPart } from './part-stream.ts';
import type { SharedStrings } from './shared-strings.ts';
import { type Cell, SheetReader, type SheetSummary } from './sheet-reader.ts';
import type { SheetTables } from './tables.ts';
import type { Sheet, Workbook } from './workbook.ts';

/**
 * Receives the cells of a sheet. Cells that are never translated are skipped: numbers, dates, texts without a letter.
 */
export interface TextCellVisitor {
  /**
   * Called for a cell whose text is translated.
   *
   * @param sharedIndex the index of the shared string; undefined if the cell contains its text itself
   * @param text returns the text of the cell
   */
  text(cell: Cell, sharedIndex: number | undefined, text: () => string): void;
  /** Called for a cell with text that stays unchanged, because it is the header of a table's column. */
  header?(cell: Cell, sharedIndex: number | undefined): void;
  /** Called for a cell with a formula whose result is a shared string. */
  formulaResult?(sharedIndex: number): void;
}

/** Returns a reader for a sheet that passes the text cells to the visitor. */
export function textCellReader(
  strings: SharedStrings,
  tables: SheetTables,
  visitor: TextCellVisitor,
  editor?: PartEditor,
): SheetReader {
  const results = new FormulaResults();
  const visit = (cell: Cell, sharedIndex: number | undefined, text: () => string): void => {
    const table = tables.withHeader(cell.row, cell.column);
    if (table) {
      tables.countHeader(table);
      visitor.header?.(cell, sharedIndex);
    } else visitor.text(cell, sharedIndex, text);
  };
  const onCell = (cell: Cell): void => {
    if (cell.formulaRange !== undefined) results.add(readRange(cell.formulaRange));
    const isResult = cell.hasFormula || results.includes(cell.row, cell.column);
    if (cell.type === 's') {
      const index = strings.readIndex(cell.value);
      if (index === undefined || !strings.isTranslatable(index)) return;
      if (isResult) visitor.formulaResult?.(index);
      else visit(cell, index, () => strings.textOf(index));
    } else if (!isResult && (cell.type === 'inlineStr' || cell.type === 'str')) {
      const text = cell.type === 'str' ? decodeCellText(cell.value) : cell.inlineText;
      if (hasLetter(text)) visit(cell, undefined, () => text);
    }
  };
  return new SheetReader(onCell, editor);
}

/** Reads the cells of a sheet in order. Returns the numbers of other texts in the sheet. */
export async function readTextCells(
  { office }: Workbook,
  { path }: Sheet,
  strings: SharedStrings,
  tables: SheetTables,
  visitor: TextCellVisitor,
): Promise<SheetSummary> {
  const reader = textCellReader(strings, tables, visitor);
  await readXmlPart(office, path, reader);
  return reader.summary;
}
